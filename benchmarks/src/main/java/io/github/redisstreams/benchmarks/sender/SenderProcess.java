package io.github.redisstreams.benchmarks.sender;

import java.io.IOException;

import io.github.redisstreams.benchmarks.harness.JobProcess;

/**
 * A sender in a JVM of its own.
 */
public final class SenderProcess extends JobProcess<SendJob, SendResult> {

	private final Sender sender;

	/**
	 * Start the JVM.
	 * @param sender the sender
	 */
	public SenderProcess(Sender sender) throws IOException {
		super(SenderMain.class, sender.name(), SendResult.class);
		this.sender = sender;
	}

	/**
	 * Who it is.
	 * @return the sender
	 */
	public Sender sender() {
		return this.sender;
	}

}
