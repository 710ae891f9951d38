package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

import io.github.redisstreams.benchmarks.contestant.Contestant;
import io.github.redisstreams.benchmarks.contestant.ContestantProcess;
import io.github.redisstreams.benchmarks.contestant.Job;
import io.github.redisstreams.benchmarks.contestant.Measurement;
import io.github.redisstreams.benchmarks.contestant.Trial;
import io.github.redisstreams.benchmarks.harness.Cost;
import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.github.redisstreams.benchmarks.harness.Report;
import org.jspecify.annotations.Nullable;

/**
 * What many listeners in one application cost while nothing happens, each on a stream of
 * its own: {@code @StreamListener} with all that the starter does by default, and as many
 * subscriptions of one container of Spring Data Redis.
 */
public final class IdleBenchmark {

	private static final int SECONDS = Integer.getInteger("benchmark.seconds", 20);

	private static final String LISTENERS = System.getProperty("benchmark.listeners", "1,10,50");

	/**
	 * Without the second compiler, which at this pace takes an hour to end and would be
	 * most of what is measured. What it leaves out makes the rest dearer, not cheaper.
	 */
	private static final String FIRST_COMPILER_ONLY = "-XX:TieredStopAtLevel=1";

	/** Longer than a thread lives that has nothing to handle. */
	private static final Duration TO_SETTLE = Duration.ofSeconds(15);

	private static final double GOAL = 0.02;

	private IdleBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		int[] listeners = Arrays.stream(LISTENERS.split(",")).mapToInt(Integer::parseInt).toArray();
		try (RedisProcess redis = RedisProcess.start()) {
			Report report = new Report("Idle", redis.version());
			for (Contestant contestant : Contestant.chosen(Contestant.OURS_MAP, Contestant.SPRING_DATA)) {
				TreeMap<Integer, Measurement> measurements = new TreeMap<>();
				for (int count : listeners) {
					measurements.put(count, measure(redis, contestant, count));
				}
				measurements.forEach((count, measurement) -> report(report, contestant, count, measurement,
						measurements.lowerEntry(count)));
			}
			report.publish();
		}
	}

	private static Measurement measure(RedisProcess redis, Contestant contestant, int listeners)
			throws IOException, InterruptedException {
		try (ContestantProcess process = new ContestantProcess(contestant, FIRST_COMPILER_ONLY)) {
			Job job = Job.draining(redis.port(), listeners).withStreams(listeners);
			return new Trial(redis).idle(process, job, TO_SETTLE, Duration.ofSeconds(SECONDS));
		}
	}

	private static void report(Report report, Contestant contestant, int listeners, Measurement measurement,
			Map.@Nullable Entry<Integer, Measurement> fewer) {
		Cost cost = measurement.cost();
		double part = cost.jvm().cpuSeconds() / cost.seconds();
		Report.Row row = report.row("Idle for " + SECONDS + " s")
			.label("consumer", contestant.title())
			.label("listeners", String.valueOf(listeners))
			.figure("JVM % of a core", "%.2f", part * 100)
			.figure("Redis % of a core", "%.2f", cost.redis().cpuSeconds() / cost.seconds() * 100)
			.figure("commands/s", "%.1f", cost.redis().commands() / cost.seconds())
			.figure("allocated KB/s", "%.0f", cost.jvm().allocatedBytes() / 1024 / cost.seconds())
			.figure("threads", "%.0f", cost.jvm().threads())
			.figure("connections", "%.0f", measurement.connections());
		if (contestant == Contestant.OURS_MAP) {
			row.goal("JVM below 2 %", part < GOAL);
			if (fewer != null) {
				row.goal("one thread and connection more each",
						growsNoFaster(measurement, fewer.getValue(), listeners - fewer.getKey()));
			}
		}
	}

	private static boolean growsNoFaster(Measurement measurement, Measurement fewer, int listeners) {
		return measurement.cost().jvm().threads() - fewer.cost().jvm().threads() <= listeners
				&& measurement.connections() - fewer.connections() <= listeners;
	}

}
