package io.github.redisstreams.redis;

import org.jspecify.annotations.Nullable;

/**
 * What came of moving an entry to a dead-letter stream.
 *
 * @param id the id that it has there; {@code null} if it was not moved, since this
 * consumer no longer holds it, and nothing has changed
 * @param dropped how many older dead letters the stream's bound has dropped
 */
public record DeadLetterMove(@Nullable EntryId id, long dropped) {

	/**
	 * Of an entry that was not moved.
	 */
	public static final DeadLetterMove NOT_MOVED = new DeadLetterMove(null, 0);

	/**
	 * Whether the entry was moved.
	 * @return whether it was
	 */
	public boolean moved() {
		return this.id != null;
	}

}
