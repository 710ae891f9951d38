package io.github.redisstreams.sample;

import java.util.concurrent.ThreadLocalRandom;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.support.StreamHeaders;
import jakarta.validation.Valid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.stereotype.Component;

/**
 * Handles the orders. An order whose handling fails is delivered again after a second or
 * so, unless trying again is of no use: then it goes to the dead letters. One whose
 * handler died with its process is delivered again too, to another instance. So every
 * order is handled at least once, and now and then one is handled twice: a real service
 * would look up the entry's id before it bills.
 */
@Component
class OrderHandler {

	private static final Logger logger = LoggerFactory.getLogger(OrderHandler.class);

	private static final int MOST_IN_STOCK = 100;

	private final SampleProperties properties;

	private final OrderStats stats;

	OrderHandler(SampleProperties properties, OrderStats stats) {
		this.properties = properties;
		this.stats = stats;
	}

	/**
	 * Handle an order. All but the payload is optional: {@code void handle(Order order)}
	 * does too.
	 */
	@StreamListener("events")
	void handle(@Payload @Valid Order order, RecordId id, @Header(StreamHeaders.DELIVERY_COUNT) long attempt,
			@Header(name = "source", required = false) String source) throws InterruptedException {
		bill(order, attempt);
		this.stats.handled(attempt);
		if (attempt > 1) {
			logger.info("Handled order {} at attempt {}: {}", id, attempt, order);
		}
		// Several a second come from the generator, too many to read
		else if (OrderGenerator.SOURCE.equals(source)) {
			logger.debug("Handled order {}: {}", id, order);
		}
		else {
			logger.info("Handled order {}: {}", id, order);
		}
	}

	// Stands for the slow call to another system that fails now and then, mostly for a
	// while, but sometimes for good
	private void bill(Order order, long attempt) throws InterruptedException {
		if (order.quantity() > MOST_IN_STOCK) {
			this.stats.failed();
			throw new DeadLetterException("There are no " + order.quantity() + " of " + order.product());
		}
		Thread.sleep(this.properties.handlingTime().toMillis());
		if (attempt == 1 && ThreadLocalRandom.current().nextDouble() < this.properties.failureRate()) {
			this.stats.failed();
			throw new BillingUnavailableException("Billing is down, made up for " + order);
		}
	}

}
