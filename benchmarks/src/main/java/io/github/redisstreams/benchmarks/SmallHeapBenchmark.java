package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

import io.github.redisstreams.benchmarks.contestant.Contestant;
import io.github.redisstreams.benchmarks.contestant.ContestantProcess;
import io.github.redisstreams.benchmarks.contestant.Job;
import io.github.redisstreams.benchmarks.contestant.Measurement;
import io.github.redisstreams.benchmarks.contestant.Trial;
import io.github.redisstreams.benchmarks.harness.GcLog;
import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.github.redisstreams.benchmarks.harness.Report;
import io.github.redisstreams.benchmarks.harness.Statistics;

/**
 * Whether a small heap is enough to drain a large backlog, and whether it fills
 * meanwhile.
 */
public final class SmallHeapBenchmark {

	private static final int ENTRIES = Integer.getInteger("benchmark.entries", 1_000_000);

	private static final String HEAP = System.getProperty("benchmark.heap", "128m");

	/**
	 * All garbage is collected between any two, to know what is not. Without that, much
	 * of it stays where there is room.
	 */
	private static final int PARTS = 8;

	/** By what part a heap may grow that is flat. */
	private static final double TOLERANCE = 0.1;

	private SmallHeapBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		try (RedisProcess redis = RedisProcess.start()) {
			Report report = new Report("SmallHeap", redis.version());
			for (Contestant contestant : Contestant.chosen(Contestant.OURS_MAP, Contestant.OURS_RECORD,
					Contestant.OURS_BATCH)) {
				drain(redis, contestant, report);
			}
			report.publish();
		}
	}

	private static void drain(RedisProcess redis, Contestant contestant, Report report)
			throws IOException, InterruptedException {
		Report.Row row = report.row("Draining " + ENTRIES + " entries with a heap of " + HEAP)
			.label("consumer", contestant.title());
		try (GcLog log = new GcLog();
				ContestantProcess process = new ContestantProcess(contestant, "-Xms" + HEAP, "-Xmx" + HEAP,
						"-XX:+ExitOnOutOfMemoryError", "-Dbenchmark.parts=" + PARTS, log.option())) {
			Measurement measurement = new Trial(redis).drain(process, Job.draining(redis.port(), ENTRIES));
			report(row, measurement, log.pauses());
		}
		// The JVM has said why it ended
		catch (IOException ex) {
			row.goal("completes", false);
		}
	}

	private static void report(Report.Row row, Measurement measurement, List<GcLog.Pause> pauses) {
		double[] held = pauses.stream().filter(GcLog.Pause::wanted).mapToDouble(GcLog.Pause::after).toArray();
		double first = Statistics.median(Arrays.copyOfRange(held, 0, PARTS / 4));
		double last = Statistics.median(Arrays.copyOfRange(held, held.length - PARTS / 4, held.length));
		List<GcLog.Pause> needed = pauses.stream().filter((pause) -> !pause.wanted()).toList();
		double[] millis = needed.stream().mapToDouble(GcLog.Pause::millis).toArray();
		row.figure("s", "%.1f", measurement.cost().seconds())
			.figure("entries/s", "%,.0f", measurement.rate())
			.figure("collections", "%.0f", millis.length)
			.figure("GC ms", "%.0f", Arrays.stream(millis).sum())
			.figure("longest ms", "%.0f", Statistics.quantile(millis, 1))
			.figure("peak MB", "%.0f", needed.stream().mapToDouble(GcLog.Pause::before).max().orElse(Double.NaN))
			.figure("held MB, first quarter", "%.0f", first)
			.figure("last quarter", "%.0f", last)
			.goal("completes", true)
			.goal("flat heap", last <= first * (1 + TOLERANCE));
	}

}
