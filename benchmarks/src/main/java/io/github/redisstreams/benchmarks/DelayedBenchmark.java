package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

import io.github.redisstreams.benchmarks.contestant.Order;
import io.github.redisstreams.benchmarks.harness.RedisUsage;
import io.github.redisstreams.benchmarks.harness.Report;
import io.github.redisstreams.benchmarks.harness.SlowLog;
import io.github.redisstreams.benchmarks.harness.Statistics;
import io.github.redisstreams.publish.DelayedPromoter;
import io.github.redisstreams.publish.PublishEvents;
import io.github.redisstreams.publish.PublisherOptions;
import io.github.redisstreams.publish.StreamTemplate;

/**
 * What scheduled entries cost the server: how long it is held up by very many that are
 * due at once, and how late those are that are due at a steady rate.
 */
public final class DelayedBenchmark {

	private static final int DUE_AT_ONCE = Integer.getInteger("benchmark.due", 200_000);

	private static final int SECONDS = Integer.getInteger("benchmark.seconds", 20);

	private static final int DUE_PER_SECOND = 1000;

	private DelayedBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		Report report;
		try (Publisher publisher = new Publisher()) {
			report = new Report("Delayed", publisher.redis().version());
			dueAtOnce(publisher, report);
		}
		try (Publisher publisher = new Publisher()) {
			steady(publisher, report);
		}
		report.publish();
	}

	private static void dueAtOnce(Publisher publisher, Report report) throws InterruptedException {
		StreamTemplate template = publisher.template(PublisherOptions.DEFAULTS.trimming());
		// Late enough for all to be scheduled by then
		Instant due = Instant.now().plusSeconds(5).plusMillis(DUE_AT_ONCE / 8);
		// Many at once, since each waits for its reply
		IntStream.range(0, DUE_AT_ONCE).parallel().forEach((i) -> template.sendAt("s", Order.JSON, due));
		if (!Instant.now().isBefore(due)) {
			throw new IllegalStateException("Some were due before all had been scheduled");
		}
		// Low enough for the scripts, and too high for the commands in them
		SlowLog log = new SlowLog(publisher.redis(), 150);
		while (Instant.now().isBefore(due)) {
			Thread.sleep(100);
		}
		log.clear();
		long start = System.nanoTime();
		Lateness lateness = move(publisher, DUE_AT_ONCE);
		double seconds = (System.nanoTime() - start) / 1e9;
		double[] scripts = scriptMillis(log);
		report.row(DUE_AT_ONCE + " entries due in the same millisecond")
			.figure("moved", "%,.0f", lateness.count())
			.figure("took s", "%.1f", seconds)
			.figure("scripts", "%,.0f", scripts.length)
			.figure("median script ms", "%.2f", Statistics.median(scripts))
			.figure("longest script ms", "%.2f", Statistics.quantile(scripts, 1));
	}

	private static double[] scriptMillis(SlowLog log) {
		return log.calls()
			.stream()
			.filter((call) -> call.name().startsWith("EVAL"))
			.mapToDouble(SlowLog.Call::millis)
			.toArray();
	}

	private static void steady(Publisher publisher, Report report) throws InterruptedException {
		StreamTemplate template = publisher.template(PublisherOptions.DEFAULTS.trimming());
		int count = DUE_PER_SECOND * SECONDS;
		Instant first = Instant.now().plusSeconds(15);
		IntStream.range(0, count)
			.parallel()
			.forEach((i) -> template.sendAt("s", Order.JSON, first.plusMillis(1000L * i / DUE_PER_SECOND)));
		RedisUsage before = RedisUsage.of(publisher.redis());
		Lateness lateness = move(publisher, count);
		double cpu = RedisUsage.of(publisher.redis()).since(before).cpuSeconds();
		double[] late = lateness.millis();
		report.row(DUE_PER_SECOND + " entries due a second, for " + SECONDS + " s")
			.figure("moved", "%,.0f", lateness.count())
			.figure("lateness p50 ms", "%.0f", Statistics.quantile(late, 0.5))
			.figure("lateness p99 ms", "%.0f", Statistics.quantile(late, 0.99))
			.figure("lateness max ms", "%.0f", Statistics.quantile(late, 1))
			.figure("Redis CPU us/entry", "%.1f", cpu * 1e6 / count);
	}

	private static Lateness move(Publisher publisher, int count) throws InterruptedException {
		Lateness lateness = new Lateness();
		DelayedPromoter promoter = publisher.promoter("s", lateness);
		while (lateness.count() < count) {
			Thread.sleep(10);
		}
		promoter.stop();
		return lateness;
	}

	/**
	 * How late entries were.
	 */
	private static final class Lateness implements PublishEvents {

		private final List<Duration> all = new ArrayList<>();

		@Override
		public synchronized void promoted(String stream, Collection<Duration> lateness) {
			this.all.addAll(lateness);
		}

		synchronized int count() {
			return this.all.size();
		}

		synchronized double[] millis() {
			return this.all.stream().mapToDouble(Duration::toMillis).toArray();
		}

	}

}
