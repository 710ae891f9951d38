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
 * How long it takes from {@code XADD} to the start of the handler while entries come at a
 * steady rate, low and at half of what can be handled: {@code @StreamListener} beside a
 * loop by hand and the container of Spring Data Redis, in turn, each in a JVM of its own.
 */
public final class LatencyBenchmark {

	private static final int ENTRIES = Integer.getInteger("benchmark.entries", 100_000);

	private static final int SECONDS = Integer.getInteger("benchmark.seconds", 10);

	private static final int ROUNDS = Integer.getInteger("benchmark.rounds", 5);

	private static final int WARM_UP_ROUNDS = Integer.getInteger("benchmark.warm-up", 2);

	private static final int LOW_RATE = 1000;

	/** At the low rate alone the compiler would be at it for half a minute. */
	private static final int WARM_UP_RATE = 5000;

	/** How often each drains a backlog, the first two times to warm up. */
	private static final int DRAINS = 5;

	private static final double GOAL = 1.2;

	private final Trial trial;

	private final RedisProcess redis;

	private final List<ContestantProcess> processes;

	private LatencyBenchmark(RedisProcess redis, List<ContestantProcess> processes) {
		this.trial = new Trial(redis);
		this.redis = redis;
		this.processes = processes;
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		List<ContestantProcess> processes = new ArrayList<>();
		try (RedisProcess redis = RedisProcess.start()) {
			for (Contestant contestant : Contestant.chosen(Contestant.LETTUCE_BLOCKING, Contestant.OURS_MAP,
					Contestant.SPRING_DATA)) {
				processes.add(new ContestantProcess(contestant));
			}
			new LatencyBenchmark(redis, processes).run();
		}
		finally {
			processes.forEach(ContestantProcess::close);
		}
	}

	private void run() throws IOException, InterruptedException {
		Map<Contestant, Double> capacities = capacities();
		// The container of Spring Data Redis would spare the others what they can do
		double slowest = capacities.entrySet()
			.stream()
			.filter((capacity) -> capacity.getKey() != Contestant.SPRING_DATA)
			.mapToDouble(Map.Entry::getValue)
			.min()
			.orElse(0);
		measure(this.processes, WARM_UP_RATE, WARM_UP_ROUNDS);
		Report report = new Report("Latency", this.redis.version());
		for (int rate : List.of(LOW_RATE, (int) (slowest / 2))) {
			List<ContestantProcess> able = this.processes.stream()
				.filter((process) -> capacities.getOrDefault(process.contestant(), 0.0) > rate)
				.toList();
			report(report, rate, measure(able, rate, ROUNDS));
		}
		report.publish();
	}

	private Map<Contestant, Double> capacities() throws IOException, InterruptedException {
		Map<Contestant, List<Measurement>> measurements = new LinkedHashMap<>();
		for (int drain = 0; drain < DRAINS; drain++) {
			for (ContestantProcess process : this.processes) {
				Contestant contestant = process.contestant();
				Measurement measurement = this.trial.drain(process,
						Job.draining(this.redis.port(), contestant.backlog(ENTRIES)));
				if (drain > 1) {
					measurements.computeIfAbsent(contestant, (key) -> new ArrayList<>()).add(measurement);
				}
			}
		}
		Map<Contestant, Double> capacities = new LinkedHashMap<>();
		measurements
			.forEach((contestant, all) -> capacities.put(contestant, Statistics.median(all, Measurement::rate)));
		return capacities;
	}

	private Map<Contestant, List<Measurement>> measure(List<ContestantProcess> able, int rate, int rounds)
			throws IOException, InterruptedException {
		Map<Contestant, List<Measurement>> measurements = new LinkedHashMap<>();
		for (int round = 0; round < rounds; round++) {
			for (ContestantProcess process : able) {
				measurements.computeIfAbsent(process.contestant(), (key) -> new ArrayList<>())
					.add(this.trial.keepUp(process, rate, SECONDS));
			}
		}
		return measurements;
	}

	private static void report(Report report, int rate, Map<Contestant, List<Measurement>> measurements) {
		double byHand = p99(measurements.getOrDefault(Contestant.LETTUCE_BLOCKING, List.of()));
		measurements.forEach((contestant, rounds) -> {
			double ratio = p99(rounds) / byHand;
			Report.Row row = report
				.row(Statistics.format("%,d", rate) + " entries/s, from XADD to the handler, medians of " + ROUNDS
						+ " rounds of " + SECONDS + " s")
				.label("consumer", contestant.title())
				.figure("p50 us", "%,.0f", latency(rounds, 0))
				.figure("p99 us", "%,.0f", p99(rounds))
				.figure("p99.9 us", "%,.0f", latency(rounds, 2))
				.figure("max us", "%,.0f", latency(rounds, 3))
				.figure("p99 to by hand", "%.2f", ratio)
				.costs(rounds.stream().map(Measurement::cost).toList());
			if (contestant == Contestant.OURS_MAP) {
				row.goal("p99 at most " + GOAL + " times", ratio <= GOAL);
			}
		});
	}

	private static double p99(List<Measurement> rounds) {
		return latency(rounds, 1);
	}

	private static double latency(List<Measurement> rounds, int quantile) {
		return Statistics.median(rounds, (round) -> round.result().latencyMicros()[quantile]);
	}

}
