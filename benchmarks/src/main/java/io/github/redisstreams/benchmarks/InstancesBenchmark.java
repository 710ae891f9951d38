package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.benchmarks.contestant.Contestant;
import io.github.redisstreams.benchmarks.contestant.ContestantProcess;
import io.github.redisstreams.benchmarks.contestant.Job;
import io.github.redisstreams.benchmarks.contestant.Measurement;
import io.github.redisstreams.benchmarks.contestant.Trial;
import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.github.redisstreams.benchmarks.harness.Report;
import io.github.redisstreams.benchmarks.harness.Statistics;

/**
 * How instances of an application share one backlog, and what more of them cost: with
 * handlers that do nothing beside a loop by hand, and with handlers that take their time.
 */
public final class InstancesBenchmark {

	private static final int ENTRIES = Integer.getInteger("benchmark.entries", 200_000);

	private static final int SECONDS = Integer.getInteger("benchmark.seconds", 5);

	private static final int ROUNDS = Integer.getInteger("benchmark.rounds", 5);

	private static final int WARM_UP_ROUNDS = Integer.getInteger("benchmark.warm-up", 2);

	private static final int CONCURRENCY = 4;

	private static final int SLOW_MILLIS = 20;

	private static final double GOAL = 0.1;

	private InstancesBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		Map<Setting, List<Measurement>> measurements = new LinkedHashMap<>();
		try (RedisProcess redis = RedisProcess.start();
				ContestantProcess ours = new ContestantProcess(Contestant.OURS_MAP);
				ContestantProcess byHand = new ContestantProcess(Contestant.LETTUCE_BLOCKING)) {
			Trial trial = new Trial(redis);
			for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
				for (Setting setting : all()) {
					Measurement measurement = trial.drain((setting.contestant() == ours.contestant()) ? ours : byHand,
							setting.job(redis.port()));
					if (round >= 0) {
						measurements.computeIfAbsent(setting, (key) -> new ArrayList<>()).add(measurement);
					}
				}
			}
			report(redis, measurements).publish();
		}
	}

	private static List<Setting> all() {
		List<Setting> all = new ArrayList<>();
		for (int instances : List.of(1, 4, 16)) {
			all.add(new Setting(Contestant.OURS_MAP, instances, false));
			all.add(new Setting(Contestant.LETTUCE_BLOCKING, instances, false));
			// A loop has one handler, so there is nothing to set beside this
			all.add(new Setting(Contestant.OURS_MAP, instances, true));
		}
		return all;
	}

	private static Report report(RedisProcess redis, Map<Setting, List<Measurement>> measurements) {
		Report report = new Report("Instances", redis.version());
		measurements.forEach((setting, rounds) -> {
			double rate = Statistics.median(rounds, Measurement::rate);
			double single = Statistics.median(measurements.getOrDefault(setting.alone(), List.of()), Measurement::rate);
			double deviation = Statistics.median(rounds, InstancesBenchmark::deviation);
			Report.Row row = report.row(setting.title() + ", medians of " + ROUNDS + " rounds")
				.label("consumer", setting.contestant().title())
				.label("instances", String.valueOf(setting.instances()))
				.figure("entries/s", "%,.0f", rate)
				.figure("to one instance", "%.2f", rate / single)
				.figure("farthest share from mean", "%.3f", deviation)
				.costs(rounds.stream().map(Measurement::cost).toList());
			if (setting.slow() && setting.instances() == 4) {
				row.goal("share at most " + GOAL + " from mean", deviation <= GOAL);
			}
		});
		return report;
	}

	private static double deviation(Measurement measurement) {
		long[] shares = measurement.result().shares();
		double mean = Arrays.stream(shares).average().orElse(Double.NaN);
		return Arrays.stream(shares).mapToDouble((share) -> Math.abs(share - mean) / mean).max().orElse(Double.NaN);
	}

	/**
	 * Who shares what.
	 *
	 * @param contestant the contestant
	 * @param instances how many instances of it
	 * @param slow whether handlers take their time
	 */
	private record Setting(Contestant contestant, int instances, boolean slow) {

		Setting alone() {
			return new Setting(this.contestant, 1, this.slow);
		}

		String title() {
			return this.slow
					? CONCURRENCY + " handlers of " + SLOW_MILLIS + " ms in each instance, for about " + SECONDS + " s"
					: "A handler that does nothing in each instance, " + ENTRIES + " entries";
		}

		Job job(int port) {
			int entries = this.slow ? this.instances * SECONDS * CONCURRENCY * 1000 / SLOW_MILLIS : ENTRIES;
			Job job = Job.draining(port, entries).withInstances(this.instances);
			return this.slow ? job.withHandlers(CONCURRENCY, SLOW_MILLIS) : job;
		}

	}

}
