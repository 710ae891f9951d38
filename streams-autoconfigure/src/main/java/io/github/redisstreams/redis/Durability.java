package io.github.redisstreams.redis;

import java.time.Duration;

/**
 * Where an entry is to be before it counts as sent.
 *
 * @param replicas how many replicas must have it
 * @param fsync whether the master, and so many replicas, must have written it to disk
 * @param timeout how long to wait for that
 */
public record Durability(int replicas, boolean fsync, Duration timeout) {

	/**
	 * In the memory of the master.
	 */
	public static final Durability NONE = new Durability(0, false, Duration.ofSeconds(1));

	/**
	 * Whether there is anything to wait for.
	 * @return whether a replica or a disk must have it
	 */
	public boolean isWanted() {
		return this.replicas > 0 || this.fsync;
	}

}
