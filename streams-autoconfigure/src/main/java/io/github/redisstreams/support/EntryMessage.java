package io.github.redisstreams.support;

import java.io.Serial;
import java.util.Map;
import java.util.UUID;

import io.github.redisstreams.redis.StreamEntry;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;

/**
 * A stream entry as a message, whose headers are the entry's fields besides where it
 * comes from. The payload stays the entry itself until an argument asks for a type.
 */
final class EntryMessage implements Message<StreamEntry> {

	private final StreamEntry entry;

	private final MessageHeaders headers;

	EntryMessage(StreamEntry entry, Map<String, Object> headers) {
		this.entry = entry;
		this.headers = new EntryHeaders(headers, entry.id().time());
	}

	@Override
	public StreamEntry getPayload() {
		return this.entry;
	}

	@Override
	public MessageHeaders getHeaders() {
		return this.headers;
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
