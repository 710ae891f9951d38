package io.github.redisstreams.benchmarks.harness;

/**
 * What a server has used since it was started, or between two moments.
 *
 * @param cpuSeconds processor time
 * @param commands how many commands it has processed, those that scripts call included
 */
public record RedisUsage(double cpuSeconds, long commands) {

	/**
	 * Up to now.
	 * @param redis the server
	 * @return the usage since the server was started
	 */
	public static RedisUsage of(RedisProcess redis) {
		return new RedisUsage(redis.cpuSeconds(), redis.commandCount());
	}

	/**
	 * Between an earlier moment and this one.
	 * @param earlier the usage up to that moment
	 * @return the difference
	 */
	public RedisUsage since(RedisUsage earlier) {
		return new RedisUsage(this.cpuSeconds - earlier.cpuSeconds, this.commands - earlier.commands);
	}

}
