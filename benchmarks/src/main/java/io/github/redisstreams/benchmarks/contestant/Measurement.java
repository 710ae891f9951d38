package io.github.redisstreams.benchmarks.contestant;

/**
 * One contestant at one job.
 *
 * @param entries how many entries it handled
 * @param result how it went
 * @param redisCpuSeconds processor time of the server meanwhile
 * @param commands how many commands the server processed
 * @param connections how many connections the contestant had
 */
public record Measurement(int entries, Result result, double redisCpuSeconds, long commands, double connections) {

	/**
	 * How many entries were handled in a second.
	 * @return the rate
	 */
	public double rate() {
		return this.entries / this.result.seconds();
	}

	/**
	 * Processor time of the contestant for an entry.
	 * @return the microseconds
	 */
	public double jvmCpuMicros() {
		return this.result.usage().cpuSeconds() * 1e6 / this.entries;
	}

	/**
	 * Memory that was allocated for an entry.
	 * @return the bytes
	 */
	public double allocatedBytes() {
		return this.result.usage().allocatedBytes() / this.entries;
	}

	/**
	 * For how long the garbage collector held it up.
	 * @return the milliseconds
	 */
	public double gcMillis() {
		return this.result.usage().gcMillis();
	}

	/**
	 * How many threads it has added.
	 * @return the number of threads
	 */
	public double threads() {
		return this.result.usage().threads();
	}

	/**
	 * Processor time of the server for an entry.
	 * @return the microseconds
	 */
	public double redisCpuMicros() {
		return this.redisCpuSeconds * 1e6 / this.entries;
	}

	/**
	 * How many commands a hundred entries took.
	 * @return the number of commands
	 */
	public double commandsPerHundred() {
		return this.commands * 100.0 / this.entries;
	}

}
