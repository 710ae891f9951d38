package io.github.redisstreams.listener.adapter;

import java.util.HashMap;
import java.util.Map;

import io.github.redisstreams.listener.Delivery;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.support.StreamHeaders;

import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.StreamRecords;
import org.springframework.messaging.Message;

/**
 * Deliveries in the forms that handler methods take.
 */
final class DeliveryMessages {

	private final EntryMessageConverter converter;

	DeliveryMessages(EntryMessageConverter converter) {
		this.converter = converter;
	}

	Message<StreamEntry> of(Delivery delivery) {
		return this.converter.toMessage(delivery.entry(), () -> origin(delivery));
	}

	private static Map<String, Object> origin(Delivery delivery) {
		StreamEntry entry = delivery.entry();
		Map<String, Object> headers = Map.of(StreamHeaders.STREAM, delivery.stream(), StreamHeaders.GROUP,
				delivery.group(), StreamHeaders.CONSUMER, delivery.consumer(), StreamHeaders.ID,
				entry.id().toRecordId(), StreamHeaders.DELIVERY_COUNT, entry.deliveryCount(),
				StreamHeaders.ACKNOWLEDGMENT, delivery);
		String task = entry.taskId();
		if (task != null) {
			headers = new HashMap<>(headers);
			headers.put(StreamHeaders.TASK, task);
		}
		return headers;
	}

	MapRecord<String, String, String> mapRecord(String stream, StreamEntry entry) {
		return StreamRecords.newRecord().in(stream).withId(entry.id().toRecordId()).ofMap(this.converter.fields(entry));
	}

}
