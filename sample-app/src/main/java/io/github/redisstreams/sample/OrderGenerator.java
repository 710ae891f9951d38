package io.github.redisstreams.sample;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import io.github.redisstreams.publish.StreamTemplate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.stereotype.Component;

/**
 * Publishes a few orders a second, so that there is something to see.
 */
@Component
@ConditionalOnBooleanProperty(name = "sample.generator.enabled", matchIfMissing = true)
class OrderGenerator implements SchedulingConfigurer {

	/**
	 * The {@code source} header of the orders from here.
	 */
	static final String SOURCE = "generator";

	private static final Logger logger = LoggerFactory.getLogger(OrderGenerator.class);

	private static final List<String> CUSTOMERS = List.of("ada", "barbara", "edsger", "grace", "leslie");

	private static final List<String> PRODUCTS = List.of("coffee", "pen", "lamp", "notebook", "tea");

	private final StreamTemplate streams;

	private final int rate;

	private boolean failing;

	OrderGenerator(StreamTemplate streams, SampleProperties properties) {
		this.streams = streams;
		this.rate = properties.generator().rate();
	}

	@Override
	public void configureTasks(ScheduledTaskRegistrar tasks) {
		// A fixed rate would make up for the time that Redis was away, all at once
		tasks.addFixedDelayTask(this::publish, Duration.ofSeconds(1).dividedBy(this.rate));
		logger.info("Publishing about {} orders a second; to stop that set sample.generator.enabled=false", this.rate);
	}

	private void publish() {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		// Now and then one that can never be billed
		int quantity = (random.nextInt(100) == 0) ? 500 : random.nextInt(1, 10);
		Order order = new Order(oneOf(CUSTOMERS), oneOf(PRODUCTS), quantity);
		try {
			this.streams.send("events", order, Map.of("source", SOURCE));
			if (this.failing) {
				logger.info("Orders can be published again");
			}
			this.failing = false;
		}
		// Several a second fail while Redis is away: one line is enough
		catch (DataAccessException ex) {
			if (!this.failing) {
				logger.warn("Orders cannot be published for now: {}", ex.getMessage());
			}
			this.failing = true;
		}
	}

	private static String oneOf(List<String> choices) {
		return choices.get(ThreadLocalRandom.current().nextInt(choices.size()));
	}

}
