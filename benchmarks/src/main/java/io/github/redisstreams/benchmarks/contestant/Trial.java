package io.github.redisstreams.benchmarks.contestant;

import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.github.redisstreams.benchmarks.harness.Cost;
import io.github.redisstreams.benchmarks.harness.JvmUsage;
import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.github.redisstreams.benchmarks.harness.RedisUsage;
import io.github.redisstreams.benchmarks.harness.SlowLog;

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
		return drain(process, job, new Backlog(this.redis, job), () -> {
		});
	}

	private Measurement drain(ContestantProcess process, Job job, Backlog backlog, Runnable whenReady)
			throws IOException, InterruptedException {
		backlog.fill(job.entries(), process.contestant().field());
		process.prepare(job);
		whenReady.run();
		RedisUsage before = RedisUsage.of(this.redis);
		process.begin();
		return end(process, job, backlog, before);
	}

	/**
	 * Have a backlog drained while others hold entries. They have just been given them,
	 * and so are alive for as long as {@code min-idle}.
	 * @param process by whom
	 * @param job what to do
	 * @param held how many entries the others hold
	 * @param others how many they are
	 * @param log which is cleared when it begins
	 * @return how it went
	 */
	public Measurement drainBeside(ContestantProcess process, Job job, int held, int others, SlowLog log)
			throws IOException, InterruptedException {
		Backlog backlog = new Backlog(this.redis, job);
		backlog.fill(held, process.contestant().field());
		backlog.give(held, others);
		return drain(process, job, backlog, log::clear);
	}

	/**
	 * Have a process killed while it holds entries, and another one handle them. That one
	 * has handled all others before.
	 * @param dying the one that holds them, whose handlers do not end
	 * @param holding its job, for as many entries as it has handlers
	 * @param survivor the other one
	 * @param taking its job, for these entries and more
	 * @param pause how long it holds them at least
	 * @return the seconds from the kill until the last entry has been handled
	 */
	public double takeOver(ContestantProcess dying, Job holding, ContestantProcess survivor, Job taking, Duration pause)
			throws IOException, InterruptedException {
		Backlog backlog = new Backlog(this.redis, holding);
		String field = survivor.contestant().field();
		dying.prepare(holding);
		survivor.prepare(taking);
		dying.begin();
		backlog.fill(holding.entries(), field);
		await(() -> backlog.isLeft(holding.entries()), "the entries are not held");
		survivor.begin();
		backlog.fill(taking.entries() - holding.entries(), field);
		await(() -> backlog.isLeft(holding.entries()), "the other entries have not been handled");
		Thread.sleep(pause.toMillis());
		long killed = System.nanoTime();
		dying.process().destroyForcibly();
		survivor.awaitResult();
		double seconds = (System.nanoTime() - killed) / 1e9;
		survivor.end();
		return seconds;
	}

	/**
	 * Have a contestant wait for entries that do not come, after it has handled some of
	 * each stream. Its JVM does not live on.
	 * @param process who waits
	 * @param job what it does before
	 * @param settle how long after that
	 * @param duration for how long to measure
	 * @return what it has used meanwhile, and how many threads its JVM has had
	 */
	public Measurement idle(ContestantProcess process, Job job, Duration settle, Duration duration)
			throws IOException, InterruptedException {
		Backlog backlog = new Backlog(this.redis, job);
		backlog.fill(job.entries(), process.contestant().field());
		process.prepare(job);
		process.begin();
		Result result = process.awaitResult();
		// Once before it counts
		process.usage();
		Thread.sleep(settle.toMillis());
		JvmUsage jvmBefore = process.usage();
		RedisUsage redisBefore = RedisUsage.of(this.redis);
		long start = System.nanoTime();
		Thread.sleep(duration.toMillis());
		double seconds = (System.nanoTime() - start) / 1e9;
		RedisUsage redisUsage = RedisUsage.of(this.redis).since(redisBefore);
		JvmUsage jvmUsage = process.usage().since(jvmBefore);
		Cost cost = new Cost(job.entries(), seconds, jvmUsage, redisUsage);
		Measurement measurement = new Measurement(cost, result, this.redis.connectionCount());
		// At an end by itself the container of Spring Data Redis warns of each connection
		process.process().destroyForcibly();
		return measurement;
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
		int firstSecond = rate;
		Job job = Job.draining(this.redis.port(), firstSecond + rate * seconds);
		Backlog backlog = new Backlog(this.redis, job);
		process.prepare(job);
		RedisUsage before = RedisUsage.of(this.redis);
		process.begin();
		await(() -> this.redis.blockedCount() > 0, "nobody reads");
		try (SteadyWriter writer = new SteadyWriter(job, process.contestant().field())) {
			writer.write(job.entries(), rate, firstSecond);
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
