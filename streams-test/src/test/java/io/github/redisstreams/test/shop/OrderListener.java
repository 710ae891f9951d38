package io.github.redisstreams.test.shop;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.support.StreamHeaders;
import jakarta.validation.Valid;

import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.stereotype.Component;

/**
 * Books orders. One of too many is refused, one of a negative quantity fails at its first
 * two attempts.
 */
@Component
public class OrderListener {

	private final Ledger ledger;

	OrderListener(Ledger ledger) {
		this.ledger = ledger;
	}

	@StreamListener("orders")
	@SendTo("invoices")
	String handle(@Payload @Valid Order order, @Header(StreamHeaders.DELIVERY_COUNT) long delivery) {
		if (order.quantity() > 100) {
			throw new TooManyException("There are no " + order.quantity());
		}
		if (order.quantity() < 0 && delivery < 3) {
			throw new IllegalStateException("Not yet");
		}
		this.ledger.book(order);
		return "Invoice for " + order.customer();
	}

}
