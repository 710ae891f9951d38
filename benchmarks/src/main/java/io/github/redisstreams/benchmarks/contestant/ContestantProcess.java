package io.github.redisstreams.benchmarks.contestant;

import java.io.IOException;

import io.github.redisstreams.benchmarks.harness.JobProcess;

/**
 * A contestant in a JVM of its own.
 */
public final class ContestantProcess extends JobProcess<Job, Result> {

	private final Contestant contestant;

	/**
	 * Start the JVM.
	 * @param contestant the contestant
	 * @param options for the JVM, beside those that all have
	 */
	public ContestantProcess(Contestant contestant, String... options) throws IOException {
		super(ContestantMain.class, contestant.name(), Result.class, options);
		this.contestant = contestant;
	}

	/**
	 * Who it is.
	 * @return the contestant
	 */
	public Contestant contestant() {
		return this.contestant;
	}

}
