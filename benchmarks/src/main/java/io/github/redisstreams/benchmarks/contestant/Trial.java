package io.github.redisstreams.benchmarks.contestant;

import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.github.redisstreams.benchmarks.harness.Cost;
import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.github.redisstreams.benchmarks.harness.RedisUsage;

/**
 * Has contestants do jobs, and measures what the server does meanwhile.
 */
public final class Trial {

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final RedisProcess redis;

	/**
	 * Create a new trial.
	 * @param redis where, with nobody else on it
	 */
	public Trial(RedisProcess redis) {
		this.redis = redis;
	}

	/**
	 * Have a backlog drained that is there from the start.
	 * @param process by whom
	 * @param job what to do
	 * @return how it went
	 */
	public Measurement drain(ContestantProcess process, Job job) throws IOException, InterruptedException {
		Backlog backlog = new Backlog(this.redis, job);
		backlog.fill(job.entries(), process.contestant().field());
		process.prepare(job);
		RedisUsage before = RedisUsage.of(this.redis);
		process.begin();
		return end(process, job, backlog, before);
	}

	/**
	 * Have entries handled as they come, at a steady rate. Those of the first second,
	 * when connections and threads are still to be made, do not count in the latency.
	 * @param process by whom
	 * @param rate how many entries are written in a second
	 * @param seconds for how long the latency counts
	 * @return how it went
	 */
	public Measurement keepUp(ContestantProcess process, int rate, int seconds)
			throws IOException, InterruptedException {
		Job job = Job.draining(this.redis.port(), rate * (1 + seconds));
		Backlog backlog = new Backlog(this.redis, job);
		process.prepare(job);
		RedisUsage before = RedisUsage.of(this.redis);
		process.begin();
		await(() -> this.redis.blockedCount() > 0, "nobody reads");
		try (SteadyWriter writer = new SteadyWriter(job, process.contestant().field())) {
			writer.write(job.entries(), rate, rate);
			await(() -> backlog.size() == job.entries(), "Redis has not taken all entries");
		}
		return end(process, job, backlog, before);
	}

	private Measurement end(ContestantProcess process, Job job, Backlog backlog, RedisUsage before)
			throws IOException, InterruptedException {
		Result result = process.awaitResult();
		await(backlog::isSettled, "not all that was handled has been acknowledged");
		RedisUsage used = RedisUsage.of(this.redis).since(before);
		Measurement measurement = new Measurement(new Cost(job.entries(), result.seconds(), result.usage(), used),
				result, this.redis.connectionCount());
		process.end();
		return measurement;
	}

	private static void await(BooleanSupplier condition, String problem) throws InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException("After " + PATIENCE.toSeconds() + " s " + problem);
			}
			Thread.sleep(5);
		}
	}

}
