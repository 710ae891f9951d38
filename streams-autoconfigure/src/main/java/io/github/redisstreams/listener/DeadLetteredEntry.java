package io.github.redisstreams.listener;

import io.github.redisstreams.redis.EntryId;
import org.jspecify.annotations.Nullable;

/**
 * An entry that was moved to the dead letters, without its content.
 *
 * @param id the id that it had in its stream
 * @param deliveryCount how often it was delivered, by the server's count
 * @param deadLetterStream the key of the stream that it was moved to
 * @param deadLetterId the id that it has there
 * @param reason why, in words
 * @param exception the class of the exception that its handler threw, if it threw one
 */
public record DeadLetteredEntry(EntryId id, long deliveryCount, String deadLetterStream, EntryId deadLetterId,
		String reason, @Nullable String exception) {

}
