package io.github.redisstreams.publish;

import java.util.Map;

import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.Message;

/**
 * Writes entries to streams ({@code XADD}). The payload goes into the field
 * {@code payload}: text and bytes as they are, anything else as JSON, without class
 * names. Headers become fields of their own.
 * <p>
 * A stream is named as listeners name it: by its key, or by an entry under
 * {@code redis.streams.listeners} that sets the key.
 */
public interface StreamTemplate {

	/**
	 * Add an entry.
	 * @param stream the stream's name
	 * @param payload what to write
	 * @return the id that the server gave the entry
	 * @throws org.springframework.dao.TransientDataAccessResourceException if the server
	 * cannot add it now, as when it is out of memory
	 * @throws org.springframework.dao.InvalidDataAccessResourceUsageException if the key
	 * is not a stream
	 * @throws org.springframework.dao.PermissionDeniedDataAccessException if the user may
	 * not add to the stream
	 * @throws org.springframework.dao.DataAccessException if Redis did not confirm the
	 * entry for another reason; it may have been added all the same where the reply was
	 * lost
	 * @throws org.springframework.messaging.converter.MessageConversionException if the
	 * payload cannot be written as JSON
	 */
	default RecordId send(String stream, Object payload) {
		return send(stream, payload, Map.of());
	}

	/**
	 * Add an entry with further fields.
	 * @param stream the stream's name
	 * @param payload what to write
	 * @param headers fields beside the payload; values other than bytes are written as
	 * their {@code toString()}
	 * @return the id that the server gave the entry
	 */
	RecordId send(String stream, Object payload, Map<String, ?> headers);

	/**
	 * Add a message: its payload, and its headers as fields.
	 * @param stream the stream's name
	 * @param message what to write
	 * @return the id that the server gave the entry
	 */
	default RecordId send(String stream, Message<?> message) {
		return send(stream, message.getPayload(), message.getHeaders());
	}

}
