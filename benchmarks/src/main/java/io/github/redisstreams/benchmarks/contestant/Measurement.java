package io.github.redisstreams.benchmarks.contestant;

import io.github.redisstreams.benchmarks.harness.Cost;

/**
 * One contestant at one job.
 *
 * @param cost what it took
 * @param result how it went
 * @param connections how many connections the contestant had
 */
public record Measurement(Cost cost, Result result, double connections) {

	/**
	 * How fast it was.
	 * @return entries per second
	 */
	public double rate() {
		return this.cost.rate();
	}

	/**
	 * How many threads the contestant has added.
	 * @return the number of threads
	 */
	public double threads() {
		return this.result.usage().threads();
	}

}
