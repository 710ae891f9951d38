package io.github.redisstreams.deadletter;

import java.time.Instant;

import io.github.redisstreams.redis.EntryId;

import org.springframework.data.redis.connection.stream.RecordId;

/**
 * A range of dead letters by their ids in the dead-letter stream, which tell when they
 * were written there, by the server's clock in milliseconds. Both ends are part of it.
 *
 * @param first the first id
 * @param last the last id
 */
public record DeadLetterRange(EntryId first, EntryId last) {

	private static final DeadLetterRange ALL = new DeadLetterRange(EntryId.ZERO, EntryId.MAX);

	/**
	 * All dead letters.
	 * @return the range
	 */
	public static DeadLetterRange all() {
		return ALL;
	}

	/**
	 * Dead letters from one id to another.
	 * @param first the first id in the dead-letter stream
	 * @param last the last id in the dead-letter stream
	 * @return the range
	 * @throws IllegalArgumentException if one of them is no complete id
	 */
	public static DeadLetterRange between(RecordId first, RecordId last) {
		return new DeadLetterRange(EntryId.parse(first.getValue()), EntryId.parse(last.getValue()));
	}

	/**
	 * Dead letters that were written between two times.
	 * @param from the earliest time, to the millisecond, inclusive
	 * @param to the latest time, to the millisecond, inclusive
	 * @return the range
	 */
	public static DeadLetterRange between(Instant from, Instant to) {
		return since(from).until(to);
	}

	/**
	 * Dead letters that were written at a time or later.
	 * @param from the earliest time, to the millisecond, inclusive
	 * @return the range
	 */
	public static DeadLetterRange since(Instant from) {
		return new DeadLetterRange(new EntryId(millis(from), 0), EntryId.MAX);
	}

	/**
	 * What of this range was written at a time or earlier.
	 * @param to the latest time, to the millisecond, inclusive
	 * @return the range
	 */
	public DeadLetterRange until(Instant to) {
		return until(new EntryId(millis(to), -1));
	}

	private static long millis(Instant time) {
		return Math.max(0, time.toEpochMilli());
	}

	DeadLetterRange until(EntryId id) {
		return new DeadLetterRange(this.first, (id.compareTo(this.last) < 0) ? id : this.last);
	}

	boolean isEmpty() {
		return this.first.compareTo(this.last) > 0;
	}

	DeadLetterRange after(EntryId id) {
		// Nothing is after the very last id, whose next one would be the first again
		return id.equals(EntryId.MAX) ? new DeadLetterRange(EntryId.MAX, EntryId.ZERO)
				: new DeadLetterRange(id.next(), this.last);
	}

	DeadLetterRange before(EntryId id) {
		return new DeadLetterRange(this.first, id.previous());
	}

}
