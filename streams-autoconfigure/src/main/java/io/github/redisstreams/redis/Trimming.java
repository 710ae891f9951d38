package io.github.redisstreams.redis;

import java.time.Duration;

/**
 * How to trim a stream as something is added to it, in whole nodes as the server keeps
 * them ({@code ~}), so that some entries more may stay.
 *
 * @param mode what may be dropped
 * @param maxLength about how many entries to keep, 0 for any number
 * @param retention for how long to keep them, zero for ever
 */
public record Trimming(TrimMode mode, long maxLength, Duration retention) {

	/**
	 * Trims nothing.
	 */
	public static final Trimming NONE = new Trimming(TrimMode.NONE, 0, Duration.ZERO);

}
