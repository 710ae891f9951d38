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
	 */
	public ContestantProcess(Contestant contestant) throws IOException {
		super(ContestantMain.class, contestant.name(), Result.class);
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
