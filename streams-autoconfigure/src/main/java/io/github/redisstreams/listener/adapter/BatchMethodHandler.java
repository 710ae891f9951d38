package io.github.redisstreams.listener.adapter;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.listener.Acknowledgment;
import io.github.redisstreams.listener.Delivery;
import io.github.redisstreams.listener.EntriesFailedException;
import io.github.redisstreams.listener.EntryHandler;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.support.StreamHeaders;

import org.springframework.messaging.support.GenericMessage;

/**
 * Calls an annotated method with all entries of one read. An entry that cannot be
 * converted fails alone; the method is called with the others.
 */
final class BatchMethodHandler implements EntryHandler {

	private final BatchElementConverter elements;

	private final HandlerMethodInvoker invoker;

	BatchMethodHandler(BatchElementConverter elements, HandlerMethodInvoker invoker) {
		this.elements = elements;
		this.invoker = invoker;
	}

	@Override
	public boolean isBatch() {
		return true;
	}

	@Override
	public void handle(List<Delivery> deliveries) throws Exception {
		Map<EntryId, Throwable> failures = new LinkedHashMap<>();
		List<Delivery> convertible = new ArrayList<>(deliveries.size());
		List<Object> batch = new ArrayList<>(deliveries.size());
		for (Delivery delivery : deliveries) {
			try {
				batch.add(this.elements.convert(delivery));
				convertible.add(delivery);
			}
			catch (Exception | StackOverflowError ex) {
				failures.put(delivery.entry().id(), ex);
			}
		}
		if (!batch.isEmpty()) {
			Acknowledgment all = new BatchAcknowledgment(convertible);
			invoke(new GenericMessage<>(batch, Map.of(StreamHeaders.ACKNOWLEDGMENT, all)), convertible, failures);
		}
		if (!failures.isEmpty()) {
			throw new EntriesFailedException(failures);
		}
	}

	private void invoke(GenericMessage<List<Object>> message, List<Delivery> deliveries,
			Map<EntryId, Throwable> failures) throws Exception {
		try {
			this.invoker.invoke(message);
		}
		catch (EntriesFailedException ex) {
			failures.putAll(ex.among(deliveries.stream().map((delivery) -> delivery.entry().id()).toList()));
		}
		catch (Exception | Error ex) {
			if (failures.isEmpty()) {
				throw ex;
			}
			deliveries.forEach((delivery) -> failures.put(delivery.entry().id(), ex));
		}
	}

}
