package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

import io.github.redisstreams.benchmarks.harness.ChildJvm;
import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.github.redisstreams.benchmarks.harness.Report;
import io.github.redisstreams.benchmarks.harness.Statistics;
import io.github.redisstreams.benchmarks.startup.Application;

/**
 * What the starter adds to the start of an application, from the start of its JVM until
 * it is ready, and how much later its listeners have their groups: applications with and
 * without it, in turn, each start in a new JVM.
 */
public final class StartupBenchmark {

	private static final int ROUNDS = Integer.getInteger("benchmark.rounds", 20);

	private static final Duration GROUPS_PATIENCE = Duration.ofSeconds(10);

	/** Milliseconds that one listener may add. */
	private static final int GOAL = 150;

	private StartupBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		try (RedisProcess redis = RedisProcess.start()) {
			Map<Application, List<Measurement>> measurements = new EnumMap<>(Application.class);
			// The first round has the files read
			for (int round = -1; round < ROUNDS; round++) {
				for (Application application : Application.values()) {
					Measurement measurement = start(redis, application);
					if (round >= 0) {
						measurements.computeIfAbsent(application, (key) -> new ArrayList<>()).add(measurement);
					}
				}
			}
			report(redis, measurements).publish();
		}
	}

	private static Measurement start(RedisProcess redis, Application application)
			throws IOException, InterruptedException {
		redis.commands().flushall();
		long start = System.nanoTime();
		try (ChildJvm jvm = application.start(redis.port())) {
			jvm.receive();
			double millis = (System.nanoTime() - start) / 1e6;
			Duration cpu = jvm.process().info().totalCpuDuration().orElseThrow();
			awaitGroups(redis, application);
			return new Measurement(millis, cpu.toMillis(), (System.nanoTime() - start) / 1e6);
		}
	}

	// A stream is made with its group
	private static void awaitGroups(RedisProcess redis, Application application) throws InterruptedException {
		long deadline = System.nanoTime() + GROUPS_PATIENCE.toNanos();
		int groups = redis.commands().keys("work-*").size();
		while (groups != application.listeners()) {
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException(
						"Of " + application.listeners() + " listeners " + groups + " have a group");
			}
			Thread.sleep(1);
			groups = redis.commands().keys("work-*").size();
		}
	}

	private static Report report(RedisProcess redis, Map<Application, List<Measurement>> measurements) {
		Report report = new Report("Startup", redis.version());
		measurements.forEach((application, rounds) -> {
			List<Measurement> bare = measurements.getOrDefault(Application.BARE, List.of());
			List<Measurement> connected = measurements.getOrDefault(Application.CONNECTED, List.of());
			double added = added(rounds, bare, Measurement::millis);
			double addedToPing = added(rounds, connected, Measurement::millis);
			Report.Row row = report
				.row("Start of an application until it is ready, medians of " + ROUNDS + " rounds, and of the "
						+ "differences within each")
				.label("application", application.title())
				.figure("ms", "%,.0f", Statistics.median(rounds, Measurement::millis))
				.figure("CPU ms", "%,.0f", Statistics.median(rounds, Measurement::cpuMillis))
				.figure("added ms", "%,.0f", added)
				.figure("added CPU ms", "%,.0f", added(rounds, bare, Measurement::cpuMillis))
				.figure("added to PING ms", "%,.0f", addedToPing)
				.figure("ms until the groups", "%,.0f", Statistics.median(rounds, Measurement::groupsMillis))
				.figure("added to PING CPU ms", "%,.0f", added(rounds, connected, Measurement::cpuMillis));
			if (application == Application.ONE_LISTENER) {
				row.goal("added < " + GOAL, added < GOAL).goal("added to PING < " + GOAL, addedToPing < GOAL);
			}
		});
		return report;
	}

	private static double added(List<Measurement> rounds, List<Measurement> others,
			ToDoubleFunction<Measurement> figure) {
		return Statistics.median(IntStream.range(0, rounds.size())
			.mapToDouble((round) -> figure.applyAsDouble(rounds.get(round)) - figure.applyAsDouble(others.get(round)))
			.toArray());
	}

	/**
	 * One start.
	 *
	 * @param millis how long it took until it was ready
	 * @param cpuMillis processor time of all threads until then
	 * @param groupsMillis how long it took until all listeners had their groups
	 */
	private record Measurement(double millis, double cpuMillis, double groupsMillis) {
	}

}
