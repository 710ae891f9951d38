package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
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
 * How well handlers that wait for something are kept busy by one {@code @StreamListener}:
 * how fast a backlog is drained beside what so many handlers could do that begin with the
 * next entry at once.
 */
public final class SlowHandlerBenchmark {

	private static final int SECONDS = Integer.getInteger("benchmark.seconds", 5);

	private static final int ROUNDS = Integer.getInteger("benchmark.rounds", 3);

	private static final int WARM_UP_ROUNDS = Integer.getInteger("benchmark.warm-up", 1);

	/** For handlers that are faster together than entries can be read. */
	private static final int MOST_ENTRIES = 300_000;

	private static final double GOAL = 0.9;

	private SlowHandlerBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		Map<Handlers, List<Measurement>> measurements = new LinkedHashMap<>();
		try (RedisProcess redis = RedisProcess.start();
				ContestantProcess process = new ContestantProcess(Contestant.OURS_MAP)) {
			Trial trial = new Trial(redis);
			for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
				for (Handlers handlers : all()) {
					Measurement measurement = trial.drain(process, handlers.job(redis.port()));
					if (round >= 0) {
						measurements.computeIfAbsent(handlers, (key) -> new ArrayList<>()).add(measurement);
					}
				}
			}
			report(redis, measurements).publish();
		}
	}

	private static List<Handlers> all() {
		boolean virtualThreads = Runtime.version().feature() >= 21;
		List<Handlers> all = new ArrayList<>();
		for (int millis : List.of(1, 100)) {
			for (int concurrency : List.of(1, 16, 256)) {
				all.add(new Handlers(millis, concurrency, false));
				if (virtualThreads) {
					all.add(new Handlers(millis, concurrency, true));
				}
			}
		}
		return all;
	}

	private static Report report(RedisProcess redis, Map<Handlers, List<Measurement>> measurements) {
		Report report = new Report("SlowHandler", redis.version());
		measurements.forEach((handlers, rounds) -> {
			double rate = Statistics.median(rounds, Measurement::rate);
			double part = rate / handlers.ideal();
			Report.Row row = report
				.row("Handlers that take their time, medians of " + ROUNDS + " rounds of about " + SECONDS + " s")
				.label("handler", handlers.millis() + " ms")
				.label("concurrency", String.valueOf(handlers.concurrency()))
				.label("on threads", handlers.virtualThreads() ? "virtual" : "platform")
				.figure("entries/s", "%,.0f", rate)
				.figure("ideal", "%,.0f", handlers.ideal())
				.figure("part of ideal", "%.3f", part)
				.costs(rounds.stream().map(Measurement::cost).toList())
				.figure("threads", "%.0f", Statistics.median(rounds, Measurement::threads));
			if (handlers.millis() == 100 && handlers.concurrency() == 256) {
				row.goal("at least " + GOAL + " of ideal", part >= GOAL);
			}
		});
		return report;
	}

	/**
	 * Handlers of one kind.
	 *
	 * @param millis how long each takes
	 * @param concurrency how many run at once
	 * @param virtualThreads whether on virtual threads
	 */
	private record Handlers(int millis, int concurrency, boolean virtualThreads) {

		/**
		 * Entries per second if none of them ever waited.
		 */
		double ideal() {
			return this.concurrency * 1000.0 / this.millis;
		}

		Job job(int port) {
			int entries = (int) Math.min(MOST_ENTRIES, ideal() * SECONDS);
			Job job = Job.draining(port, entries).withHandlers(this.concurrency, this.millis);
			return this.virtualThreads ? job.onVirtualThreads() : job;
		}

	}

}
