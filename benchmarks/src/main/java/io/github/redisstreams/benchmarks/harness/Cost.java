package io.github.redisstreams.benchmarks.harness;

/**
 * What it took to send or to handle entries.
 *
 * @param entries how many
 * @param seconds how long it took
 * @param jvm what the JVM used meanwhile
 * @param redis what the server used meanwhile
 */
public record Cost(int entries, double seconds, JvmUsage jvm, RedisUsage redis) {

	/**
	 * How fast it was.
	 * @return entries per second
	 */
	public double rate() {
		return this.entries / this.seconds;
	}

	double jvmCpuMicros() {
		return this.jvm.cpuSeconds() * 1e6 / this.entries;
	}

	double allocatedBytes() {
		return this.jvm.allocatedBytes() / this.entries;
	}

	double gcMillis() {
		return this.jvm.gcMillis();
	}

	double redisCpuMicros() {
		return this.redis.cpuSeconds() * 1e6 / this.entries;
	}

	double commandsPerHundred() {
		return this.redis.commands() * 100.0 / this.entries;
	}

}
