package io.github.redisstreams.listener.adapter;

import java.util.List;

import io.github.redisstreams.listener.Delivery;
import io.github.redisstreams.listener.EntryHandler;

/**
 * Calls an annotated method with one entry.
 */
final class MethodEntryHandler implements EntryHandler {

	private final DeliveryMessages messages;

	private final HandlerMethodInvoker invoker;

	MethodEntryHandler(DeliveryMessages messages, HandlerMethodInvoker invoker) {
		this.messages = messages;
		this.invoker = invoker;
	}

	@Override
	public void handle(List<Delivery> deliveries) throws Exception {
		for (Delivery delivery : deliveries) {
			this.invoker.invoke(this.messages.of(delivery));
		}
	}

}
