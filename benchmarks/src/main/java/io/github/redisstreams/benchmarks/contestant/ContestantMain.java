package io.github.redisstreams.benchmarks.contestant;

import java.io.IOException;

import io.github.redisstreams.benchmarks.harness.JobLoop;
import io.github.redisstreams.benchmarks.harness.JvmUsage;

/**
 * The process of one contestant.
 */
final class ContestantMain {

	private ContestantMain() {
	}

	/**
	 * Run until the input ends.
	 * @param arguments the contestant's name
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		Contestant contestant = Contestant.valueOf(arguments[0]);
		JobLoop.run(Job.class, (job) -> new MeasuredConsumption(contestant, job));
	}

	/**
	 * One job.
	 */
	private static final class MeasuredConsumption implements JobLoop.Prepared {

		private final int threads = JvmUsage.now().threads();

		private final Probe probe;

		private final Consumption consumption;

		MeasuredConsumption(Contestant contestant, Job job) {
			this.probe = new Probe(job);
			this.consumption = contestant.prepare(job, this.probe);
		}

		@Override
		public Result run() throws InterruptedException {
			JvmUsage before = JvmUsage.now();
			long start = System.nanoTime();
			this.consumption.start();
			double seconds = (this.probe.awaitDone() - start) / 1e9;
			JvmUsage after = JvmUsage.now();
			JvmUsage used = after.since(before);
			JvmUsage usage = new JvmUsage(used.cpuSeconds(), used.allocatedBytes(), used.gcMillis(),
					after.threads() - this.threads);
			return new Result(seconds, usage, this.probe.latencyMicros(), this.probe.shares());
		}

		@Override
		public void close() {
			this.consumption.close();
		}

	}

}
