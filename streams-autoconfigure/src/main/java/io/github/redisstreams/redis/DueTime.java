package io.github.redisstreams.redis;

import java.time.Duration;
import java.time.Instant;

/**
 * When an entry is due, by the clock of the server.
 *
 * @param relative whether to count from now
 * @param millis milliseconds, since the epoch or from now
 */
public record DueTime(boolean relative, long millis) {

	// Scores of a sorted set are exact up to 2^53. This is long enough.
	private static final long LATEST = 1L << 52;

	/**
	 * At a certain time.
	 * @param time the time
	 * @return the due time
	 * @throws IllegalArgumentException if it is further off than the server can count
	 */
	public static DueTime at(Instant time) {
		if (time.isBefore(Instant.EPOCH)) {
			return new DueTime(false, 0);
		}
		if (time.isAfter(Instant.ofEpochMilli(LATEST))) {
			throw new IllegalArgumentException("An entry cannot be scheduled for " + time + ", which is too far off");
		}
		return new DueTime(false, time.toEpochMilli());
	}

	/**
	 * After a delay, which begins when the server is told.
	 * @param delay the delay; at once if it is not positive
	 * @return the due time
	 * @throws IllegalArgumentException if it is longer than the server can count
	 */
	public static DueTime after(Duration delay) {
		if (delay.isNegative()) {
			return new DueTime(true, 0);
		}
		if (delay.compareTo(Duration.ofMillis(LATEST)) > 0) {
			throw new IllegalArgumentException("An entry cannot be scheduled in " + delay + ", which is too far off");
		}
		return new DueTime(true, delay.toMillis());
	}

	String kind() {
		return this.relative ? "after" : "at";
	}

}
