package io.github.redisstreams.event;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.stream.RecordId;

/**
 * A listener has moved an entry to the dead letters. It tells nothing of the entry's
 * content: {@code DeadLetters} has that.
 * <p>
 * Published once the entry has been moved, so not at all where the reply of Redis that
 * says so was lost.
 *
 * @param listenerId the listener's id
 * @param stream the key of the stream that it reads
 * @param group the group that it reads for
 * @param time when it happened
 * @param entryId the id that the entry had in its stream
 * @param deliveryCount how often it was delivered, by the server's count
 * @param deadLetterStream the key of the dead-letter stream
 * @param deadLetterId the id that it has there
 * @param reason why, in words; the message of a
 * {@link io.github.redisstreams.listener.failure.DeadLetterException}, if its handler
 * threw that
 * @param exception the class of the exception that its handler threw; {@code null} if it
 * threw none
 */
public record EntryDeadLetteredEvent(String listenerId, String stream, String group, Instant time, RecordId entryId,
		long deliveryCount, String deadLetterStream, RecordId deadLetterId, String reason,
		@Nullable String exception) implements StreamListenerEvent {

}
