package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
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
 * How fast a backlog is drained by one consumer whose handler does nothing, and what that
 * costs: {@code @StreamListener} beside the other ways to consume a stream, in turn, each
 * in a JVM of its own.
 */
public final class ConsumeBenchmark {

	private static final int ENTRIES = Integer.getInteger("benchmark.entries", 200_000);

	private static final int ROUNDS = Integer.getInteger("benchmark.rounds", 5);

	private static final int WARM_UP_ROUNDS = Integer.getInteger("benchmark.warm-up", 5);

	private ConsumeBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		Map<Contestant, List<Measurement>> measurements = new EnumMap<>(Contestant.class);
		List<ContestantProcess> processes = new ArrayList<>();
		try (RedisProcess redis = RedisProcess.start()) {
			for (Contestant contestant : Contestant.chosen(Contestant.values())) {
				processes.add(new ContestantProcess(contestant));
				measurements.put(contestant, new ArrayList<>());
			}
			Trial trial = new Trial(redis);
			for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
				for (ContestantProcess process : processes) {
					Contestant contestant = process.contestant();
					Measurement measurement = trial.drain(process,
							Job.draining(redis.port(), contestant.backlog(ENTRIES)));
					if (round >= 0) {
						measurements.getOrDefault(contestant, new ArrayList<>()).add(measurement);
					}
				}
			}
			report(redis, measurements).publish();
		}
		finally {
			processes.forEach(ContestantProcess::close);
		}
	}

	private static Report report(RedisProcess redis, Map<Contestant, List<Measurement>> measurements) {
		Report report = new Report("Consume", redis.version());
		double lettuce = rate(measurements, Contestant.LETTUCE);
		double springData = rate(measurements, Contestant.SPRING_DATA);
		double socket = rate(measurements, Contestant.SOCKET);
		measurements.forEach((contestant, rounds) -> {
			double rate = rate(measurements, contestant);
			report
				.row("Draining " + ENTRIES + " entries (a fifth where each is acknowledged), medians of " + ROUNDS
						+ " rounds")
				.label("consumer", contestant.title())
				.figure("entries/s", "%,.0f", rate)
				.figure("to Spring Data", "%.2f", rate / springData)
				.figure("to Lettuce", "%.2f", rate / lettuce)
				.figure("to socket", "%.2f", rate / socket)
				.costs(rounds.stream().map(Measurement::cost).toList())
				.figure("connections", "%.0f", Statistics.median(rounds, Measurement::connections))
				.figure("threads", "%.0f", Statistics.median(rounds, Measurement::threads));
		});
		return report;
	}

	private static double rate(Map<Contestant, List<Measurement>> measurements, Contestant contestant) {
		return Statistics.median(measurements.getOrDefault(contestant, List.of()), Measurement::rate);
	}

}
