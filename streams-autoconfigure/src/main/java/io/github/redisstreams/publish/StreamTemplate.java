package io.github.redisstreams.publish;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.redisstreams.redis.Durability;

import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.Message;

/**
 * Writes entries to streams, now or at a later time. The payload goes into the field
 * {@code payload}: text and bytes as they are, anything else as JSON, without class
 * names. Headers become fields of their own. A {@link Message} as payload brings headers
 * of its own, to which those that are given are added.
 * <p>
 * A stream is named as listeners name it: by its key, or by an entry under
 * {@code redis.streams.listeners} that sets the key. It is trimmed as it is written to,
 * by default so that nothing is dropped that some group has not finished.
 * <p>
 * With a header {@link io.github.redisstreams.support.StreamHeaders#TASK_KEY} an entry is
 * a task with that key, and refused with a {@link TaskActiveException} while another task
 * with it is scheduled, queued or running.
 * <p>
 * Failures of Redis are {@link org.springframework.dao.DataAccessException}s that name
 * the command and the stream, and then nothing was written, unless the reply was lost:
 * <ul>
 * <li>{@link org.springframework.dao.TransientDataAccessResourceException} if the server
 * cannot write now, as when it is out of memory or a replica by now;</li>
 * <li>{@link org.springframework.dao.InvalidDataAccessResourceUsageException} if the key
 * is not a stream;</li>
 * <li>{@link org.springframework.dao.PermissionDeniedDataAccessException} if the user may
 * not write to it;</li>
 * <li>{@link org.springframework.data.redis.RedisConnectionFailureException} or
 * {@link org.springframework.dao.QueryTimeoutException} if the connection or the reply
 * was lost, where it may have been written all the same;</li>
 * <li>{@link io.github.redisstreams.redis.NotDurableException} if it was written, but not
 * confirmed to be where it is wanted.</li>
 * </ul>
 * A payload that cannot be written as JSON is a
 * {@link org.springframework.messaging.converter.MessageConversionException}, and what
 * cannot be sent at all an {@link IllegalArgumentException}.
 * <p>
 * Where {@code redis.streams.publisher.after-commit} is set, everything within a Spring
 * transaction is sent after its commit, and not at all after a rollback, be it to a
 * savepoint only. What fails then is thrown to whoever has committed, and what is still
 * to be sent is sent nevertheless.
 */
public interface StreamTemplate {

	/**
	 * Add an entry: {@code XADD}.
	 * @param stream the stream's name
	 * @param payload what to write
	 * @return the id that the server gave the entry, or {@link RecordId#autoGenerate()}
	 * for one that is sent after the commit
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
	 * @return the id that the server gave the entry, or {@link RecordId#autoGenerate()}
	 * for one that is sent after the commit
	 */
	RecordId send(String stream, Object payload, Map<String, ?> headers);

	/**
	 * Add a message: its payload, and its headers as fields.
	 * @param stream the stream's name
	 * @param message what to write
	 * @return the id that the server gave the entry, or {@link RecordId#autoGenerate()}
	 * for one that is sent after the commit
	 */
	default RecordId send(String stream, Message<?> message) {
		return send(stream, message.getPayload(), message.getHeaders());
	}

	/**
	 * Add an entry without waiting for the reply. A failure of Redis completes the future
	 * with the exception that {@code send} would throw.
	 * @param stream the stream's name
	 * @param payload what to write
	 * @return the id that the server gives the entry; cancelled if the transaction is
	 * rolled back after whose commit it was to be sent
	 */
	default CompletableFuture<RecordId> sendAsync(String stream, Object payload) {
		return sendAsync(stream, payload, Map.of());
	}

	/**
	 * Add an entry with further fields, without waiting for the reply.
	 * @param stream the stream's name
	 * @param payload what to write
	 * @param headers fields beside the payload
	 * @return the id that the server gives the entry; cancelled if the transaction is
	 * rolled back after whose commit it was to be sent
	 */
	CompletableFuture<RecordId> sendAsync(String stream, Object payload, Map<String, ?> headers);

	/**
	 * Add entries in one pipeline, in the order of the collection. All are converted
	 * before the first is sent.
	 * @param stream the stream's name
	 * @param payloads what to write
	 * @return the ids that the server gave the entries, in the same order, or
	 * {@link RecordId#autoGenerate()} for those that are sent after the commit
	 * @throws PartlySentException if some, or all, were not added; says which
	 */
	List<RecordId> sendAll(String stream, Collection<?> payloads);

	/**
	 * Schedule an entry, or add it if the time is not in the future, by the clock of the
	 * server.
	 * @param stream the stream's name
	 * @param payload what to write
	 * @param time when to add it, to the millisecond
	 * @return the id by which it can be cancelled or rescheduled, which also is that of
	 * its task: its key, or else one of our own
	 */
	default String sendAt(String stream, Object payload, Instant time) {
		return sendAt(stream, payload, Map.of(), time);
	}

	/**
	 * Schedule an entry with further fields.
	 * @param stream the stream's name
	 * @param payload what to write
	 * @param headers fields beside the payload
	 * @param time when to add it, to the millisecond
	 * @return the id by which it can be cancelled or rescheduled, which also is that of
	 * its task
	 */
	String sendAt(String stream, Object payload, Map<String, ?> headers, Instant time);

	/**
	 * Schedule an entry, or add it if the delay is not positive. The delay begins when
	 * the server is told, so that it does not matter if clocks differ.
	 * @param stream the stream's name
	 * @param payload what to write
	 * @param delay after what time to add it, to the millisecond
	 * @return the id by which it can be cancelled or rescheduled, which also is that of
	 * its task: its key, or else one of our own
	 */
	default String sendAfter(String stream, Object payload, Duration delay) {
		return sendAfter(stream, payload, Map.of(), delay);
	}

	/**
	 * Schedule an entry with further fields.
	 * @param stream the stream's name
	 * @param payload what to write
	 * @param headers fields beside the payload
	 * @param delay after what time to add it, to the millisecond
	 * @return the id by which it can be cancelled or rescheduled, which also is that of
	 * its task
	 */
	String sendAfter(String stream, Object payload, Map<String, ?> headers, Duration delay);

	/**
	 * Drop a scheduled entry. At once, also within a transaction.
	 * @param stream the stream's name
	 * @param id what {@code sendAt} or {@code sendAfter} returned
	 * @return whether it was still scheduled; if not it has been added to its stream, or
	 * there was none
	 */
	boolean cancel(String stream, String id);

	/**
	 * Have a scheduled entry be added at another time. At once, also within a
	 * transaction.
	 * @param stream the stream's name
	 * @param id what {@code sendAt} or {@code sendAfter} returned
	 * @param time when to add it, to the millisecond; as soon as can be if that is past
	 * @return whether it was still scheduled; if not it has been added to its stream, or
	 * there was none
	 */
	boolean reschedule(String stream, String id, Instant time);

	/**
	 * A template that sends as this one does, but for where entries are to be before they
	 * count as sent ({@code WAIT} or {@code WAITAOF}): for what is worth more than the
	 * rest. Make it once and keep it.
	 * @param durability where entries are to be
	 * @return the template
	 * @throws IllegalArgumentException if {@code replicas} is negative, or
	 * {@code timeout} less than a millisecond
	 */
	StreamTemplate withDurability(Durability durability);

}
