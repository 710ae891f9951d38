package io.github.redisstreams.redis;

import java.time.Instant;

import org.springframework.data.redis.connection.stream.RecordId;

/**
 * The id of a stream entry: {@code <time>-<sequence>}, both unsigned 64-bit numbers.
 *
 * @param time milliseconds since the epoch by the server's clock, unless the writer chose
 * the id
 * @param sequence tells entries of the same millisecond apart
 */
public record EntryId(long time, long sequence) implements Comparable<EntryId> {

	/**
	 * {@code 0-0}, before every entry. As a cursor: from the start, or nothing left.
	 */
	public static final EntryId ZERO = new EntryId(0, 0);

	/**
	 * The last id that there can be.
	 */
	public static final EntryId MAX = new EntryId(-1, -1);

	/**
	 * Parse an id as Redis writes it.
	 * @param id {@code <time>-<sequence>} or {@code <time>}, which means sequence 0
	 * @return the id
	 * @throws IllegalArgumentException if the text is no entry id
	 */
	public static EntryId parse(String id) {
		int dash = id.indexOf('-');
		try {
			if (dash < 0) {
				return new EntryId(Long.parseUnsignedLong(id), 0);
			}
			return new EntryId(Long.parseUnsignedLong(id, 0, dash, 10),
					Long.parseUnsignedLong(id, dash + 1, id.length(), 10));
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("'" + id + "' is not a stream entry id such as 1700000000000-0", ex);
		}
	}

	/**
	 * When the entry was added, if the server chose the id.
	 * @return the time part of the id
	 */
	public Instant timestamp() {
		return Instant.ofEpochMilli(this.time);
	}

	/**
	 * The same id as Spring Data Redis has it.
	 * @return the record id
	 */
	public RecordId toRecordId() {
		return RecordId.of(toString());
	}

	/**
	 * The id right after this one, with which a page begins that goes on after it.
	 * @return the next id; after {@link #MAX} it is {@link #ZERO}
	 */
	public EntryId next() {
		return (this.sequence != -1) ? new EntryId(this.time, this.sequence + 1) : new EntryId(this.time + 1, 0);
	}

	/**
	 * The id right before this one.
	 * @return the previous id; before {@link #ZERO} it is {@link #MAX}
	 */
	public EntryId previous() {
		return (this.sequence != 0) ? new EntryId(this.time, this.sequence - 1) : new EntryId(this.time - 1, -1);
	}

	@Override
	public int compareTo(EntryId other) {
		int byTime = Long.compareUnsigned(this.time, other.time);
		return (byTime != 0) ? byTime : Long.compareUnsigned(this.sequence, other.sequence);
	}

	@Override
	public String toString() {
		return Long.toUnsignedString(this.time) + '-' + Long.toUnsignedString(this.sequence);
	}

}
