package io.github.redisstreams.redis;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * An entry on its way to a dead-letter stream.
 *
 * @param holder the consumer that holds the entry
 * @param id the entry
 * @param stream the key of the dead-letter stream
 * @param maxLength about how many entries that may have
 * @param namesAndValues the fields to write, names and values in turn
 * @param onlyIfHeld whether to do nothing if the consumer no longer holds the entry;
 * otherwise the dead letter is written all the same
 * @param delete whether to delete the entry from its stream too, unless another group
 * still needs it
 * @param task the task that the entry is, {@code null} if it is none
 */
public record DeadLetter(StreamConsumer holder, EntryId id, String stream, long maxLength, List<byte[]> namesAndValues,
		boolean onlyIfHeld, boolean delete, @Nullable TaskAttempt task) {

}
