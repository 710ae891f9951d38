package io.github.redisstreams.support;

import java.io.Serial;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

import io.github.redisstreams.redis.StreamEntry;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;

/**
 * A stream entry as a message, whose headers are the entry's fields besides where it
 * comes from. The payload stays the entry itself until an argument asks for a type, and
 * most handlers never ask for a header.
 */
final class EntryMessage implements Message<StreamEntry> {

	private final StreamEntry entry;

	private final Supplier<Map<String, Object>> origin;

	private volatile @Nullable MessageHeaders headers;

	EntryMessage(StreamEntry entry, Supplier<Map<String, Object>> origin) {
		this.entry = entry;
		this.origin = origin;
	}

	@Override
	public StreamEntry getPayload() {
		return this.entry;
	}

	@Override
	public MessageHeaders getHeaders() {
		MessageHeaders headers = this.headers;
		if (headers == null) {
			headers = new EntryHeaders(fieldsAndOrigin(), this.entry.id().time());
			this.headers = headers;
		}
		return headers;
	}

	private Map<String, Object> fieldsAndOrigin() {
		Map<String, Object> all = new HashMap<>();
		this.entry.forEachField((name, value) -> {
			String text = FieldText.of(name);
			if (text != null && !text.equals(StreamHeaders.PAYLOAD_FIELD)) {
				String valueText = FieldText.of(value);
				all.put(text, (valueText != null) ? valueText : value);
			}
		});
		all.putAll(this.origin.get());
		return all;
	}

	@Override
	public String toString() {
		return "EntryMessage " + this.entry;
	}

	/**
	 * Message headers that leave a field called {@code id} or {@code timestamp} to its
	 * writer: {@code MessageHeaders} keeps those names for itself.
	 */
	private static final class EntryHeaders extends MessageHeaders {

		@Serial
		private static final long serialVersionUID = 1L;

		EntryHeaders(Map<String, Object> headers, long timestamp) {
			super(headers, ID_VALUE_NONE, timestamp);
			for (String name : new String[] { ID, TIMESTAMP }) {
				Object field = headers.get(name);
				if (field != null) {
					getRawHeaders().put(name, field);
				}
			}
		}

		@Override
		public @Nullable UUID getId() {
			return (get(ID) instanceof UUID id) ? id : null;
		}

		@Override
		public @Nullable Long getTimestamp() {
			return (get(TIMESTAMP) instanceof Long timestamp) ? timestamp : null;
		}

	}

}
