package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.github.redisstreams.benchmarks.contestant.Backlog;
import io.github.redisstreams.benchmarks.contestant.Contestant;
import io.github.redisstreams.benchmarks.contestant.ContestantProcess;
import io.github.redisstreams.benchmarks.contestant.Job;
import io.github.redisstreams.benchmarks.contestant.Result;
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

	private static final String CONTESTANTS = System.getProperty("benchmark.contestants", "");

	/** What takes a hundred times as long is not to take all day. */
	private static final int SLOW_PART = 5;

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
			for (Contestant contestant : contestants()) {
				processes.add(new ContestantProcess(contestant, options()));
				measurements.put(contestant, new ArrayList<>());
			}
			for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
				for (ContestantProcess process : processes) {
					Measurement measurement = drain(redis, process);
					if (round >= 0) {
						measurements.getOrDefault(process.contestant(), new ArrayList<>()).add(measurement);
					}
				}
			}
			report(redis, measurements).publish();
		}
		finally {
			processes.forEach(ContestantProcess::close);
		}
	}

	private static List<Contestant> contestants() {
		return CONTESTANTS.isEmpty() ? List.of(Contestant.values())
				: Arrays.stream(CONTESTANTS.split(",")).map(Contestant::valueOf).toList();
	}

	// The same for all; enough memory for the collector to tell little
	private static String[] options() {
		String more = System.getProperty("benchmark.options", "");
		String[] options = (more.isEmpty() ? "-Xms256m -Xmx256m" : "-Xms256m -Xmx256m " + more).split(" ");
		return options;
	}

	private static Measurement drain(RedisProcess redis, ContestantProcess process)
			throws IOException, InterruptedException {
		Contestant contestant = process.contestant();
		boolean slow = contestant == Contestant.SPRING_DATA || contestant == Contestant.REDISSON;
		Job job = Job.draining(redis.port(), slow ? ENTRIES / SLOW_PART : ENTRIES);
		Backlog backlog = new Backlog(redis, job);
		backlog.fill(job.entries(), contestant.field());
		int connections = redis.connectionCount();
		process.prepare(job);
		double cpu = redis.cpuSeconds();
		long commands = redis.commandCount();
		process.begin();
		Result result = process.awaitResult();
		awaitSettled(backlog);
		Measurement measurement = new Measurement(job.entries(), result, redis.cpuSeconds() - cpu,
				redis.commandCount() - commands, redis.connectionCount() - connections);
		process.end();
		return measurement;
	}

	private static void awaitSettled(Backlog backlog) throws InterruptedException {
		long deadline = System.nanoTime() + 5_000_000_000L;
		while (backlog.pending() > 0 || backlog.undelivered() > 0) {
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException(backlog.pending() + " entries are pending and " + backlog.undelivered()
						+ " undelivered, though all have been handled");
			}
			Thread.sleep(5);
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
				.figure("JVM CPU us/entry", "%.2f", median(rounds, Measurement::jvmCpuMicros))
				.figure("bytes/entry", "%,.0f", median(rounds, Measurement::allocatedBytes))
				.figure("GC ms", "%.0f", median(rounds, (round) -> round.result().usage().gcMillis()))
				.figure("Redis CPU us/entry", "%.2f", median(rounds, Measurement::redisCpuMicros))
				.figure("commands/100", "%.2f", median(rounds, Measurement::commandsPerHundred))
				.figure("connections", "%.0f", median(rounds, Measurement::connections))
				.figure("threads", "%.0f", median(rounds, (round) -> round.result().usage().threads()));
		});
		return report;
	}

	private static double rate(Map<Contestant, List<Measurement>> measurements, Contestant contestant) {
		return median(measurements.getOrDefault(contestant, List.of()), Measurement::rate);
	}

	private static double median(List<Measurement> rounds, ToDoubleFunction<Measurement> figure) {
		return Statistics.median(rounds.stream().mapToDouble(figure).toArray());
	}

	/**
	 * One contestant in one round.
	 */
	private record Measurement(int entries, Result result, double redisCpuSeconds, long commands, double connections) {

		double rate() {
			return this.entries / this.result.seconds();
		}

		double jvmCpuMicros() {
			return this.result.usage().cpuSeconds() * 1e6 / this.entries;
		}

		double allocatedBytes() {
			return this.result.usage().allocatedBytes() / this.entries;
		}

		double redisCpuMicros() {
			return this.redisCpuSeconds * 1e6 / this.entries;
		}

		double commandsPerHundred() {
			return this.commands * 100.0 / this.entries;
		}

	}

}
