package io.github.redisstreams.benchmarks.sender;

import java.io.IOException;

import io.github.redisstreams.benchmarks.harness.JobLoop;
import io.github.redisstreams.benchmarks.harness.JvmUsage;

/**
 * The process of one sender.
 */
final class SenderMain {

	private SenderMain() {
	}

	/**
	 * Run until the input ends.
	 * @param arguments the sender's name
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		Sender sender = Sender.valueOf(arguments[0]);
		JobLoop.run(SendJob.class, (job) -> new MeasuredSending(job, sender.prepare(job)));
	}

	/**
	 * One job.
	 */
	private record MeasuredSending(SendJob job, Sending sending) implements JobLoop.Prepared {

		@Override
		public SendResult run() {
			JvmUsage before = JvmUsage.now();
			long start = System.nanoTime();
			for (int left = this.job.entries(); left > 0; left -= this.job.together()) {
				this.sending.send(Math.min(left, this.job.together()));
			}
			double seconds = (System.nanoTime() - start) / 1e9;
			return new SendResult(seconds, JvmUsage.now().since(before));
		}

		@Override
		public void close() {
			this.sending.close();
		}

	}

}
