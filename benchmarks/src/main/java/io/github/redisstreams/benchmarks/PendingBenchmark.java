package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.github.redisstreams.benchmarks.contestant.Contestant;
import io.github.redisstreams.benchmarks.contestant.ContestantProcess;
import io.github.redisstreams.benchmarks.contestant.Job;
import io.github.redisstreams.benchmarks.contestant.Measurement;
import io.github.redisstreams.benchmarks.contestant.Trial;
import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.github.redisstreams.benchmarks.harness.Report;
import io.github.redisstreams.benchmarks.harness.SlowLog;
import io.github.redisstreams.benchmarks.harness.Statistics;

/**
 * What very many entries that live consumers hold cost one that drains a backlog, which
 * has to look through them for abandoned ones: how long the commands that claim hold up
 * the server, and the throughput beside that without such entries.
 */
public final class PendingBenchmark {

	private static final int PENDING = Integer.getInteger("benchmark.pending", 100_000);

	private static final int ENTRIES = Integer.getInteger("benchmark.entries", 300_000);

	private static final int ROUNDS = Integer.getInteger("benchmark.rounds", 5);

	private static final int WARM_UP_ROUNDS = Integer.getInteger("benchmark.warm-up", 2);

	/**
	 * More often than by default, where a round would be over before the second claim.
	 */
	private static final String CLAIM_INTERVAL = System.getProperty("benchmark.claim-interval", "1s");

	private static final int PEERS = 10;

	private static final String READ_AND_CLAIM = "XREADGROUP ... CLAIM";

	private static final Set<String> CLAIMS = Set.of("XAUTOCLAIM", READ_AND_CLAIM);

	/** Which tell by how much the machine makes commands look longer than they are. */
	private static final Set<String> OTHERS = Set.of("XREADGROUP", "XACK", "XPENDING", "EVALSHA");

	private static final double GOAL = 1;

	private PendingBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		try (RedisProcess redis = RedisProcess.start()) {
			Report report = new Report("Pending", redis.version());
			for (Contestant contestant : Contestant.chosen(Contestant.OURS_MAP, Contestant.OURS_BATCH)) {
				Map<Integer, List<Round>> rounds = measure(redis, contestant);
				double none = rate(rounds.getOrDefault(0, List.of()));
				rounds.forEach((pending, all) -> reportDraining(report, contestant, pending, all, none));
				rounds.forEach((pending, all) -> reportCommands(report, contestant, pending, all));
			}
			report.publish();
		}
	}

	private static Map<Integer, List<Round>> measure(RedisProcess redis, Contestant contestant)
			throws IOException, InterruptedException {
		Map<Integer, List<Round>> rounds = new TreeMap<>();
		Trial trial = new Trial(redis);
		Job job = Job.draining(redis.port(), ENTRIES)
			.withProperties("redis.streams.listener.claim-interval=" + CLAIM_INTERVAL);
		try (ContestantProcess process = new ContestantProcess(contestant)) {
			SlowLog log = new SlowLog(redis, 0);
			for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
				for (int pending : List.of(0, PENDING)) {
					Measurement measurement = trial.drainBeside(process, job, pending, PEERS, log);
					if (round >= 0) {
						rounds.computeIfAbsent(pending, (key) -> new ArrayList<>())
							.add(new Round(measurement, log.calls()));
					}
				}
			}
		}
		return rounds;
	}

	private static void reportDraining(Report report, Contestant contestant, int pending, List<Round> rounds,
			double none) {
		report.row("Draining " + ENTRIES + " entries, medians of " + ROUNDS + " rounds")
			.label("consumer", contestant.title())
			.label("pending for others", String.valueOf(pending))
			.figure("entries/s", "%,.0f", rate(rounds))
			.figure("to none", "%.2f", rate(rounds) / none)
			.costs(rounds.stream().map((round) -> round.measurement().cost()).toList());
	}

	private static double rate(List<Round> rounds) {
		return Statistics.median(rounds, (round) -> round.measurement().rate());
	}

	private static void reportCommands(Report report, Contestant contestant, int pending, List<Round> rounds) {
		Map<String, List<SlowLog.Call>> commands = rounds.stream()
			.flatMap((round) -> round.calls().stream())
			// Without the XPENDING that asks whether all is done
			.filter((call) -> call.words().size() > 3)
			.collect(Collectors.groupingBy(PendingBenchmark::name, TreeMap::new, Collectors.toList()));
		commands.keySet().removeIf((name) -> !CLAIMS.contains(name) && !OTHERS.contains(name));
		commands.forEach((name, calls) -> {
			double[] millis = calls.stream().mapToDouble(SlowLog.Call::millis).toArray();
			double nearlyAll = Statistics.quantile(millis, 0.999);
			Report.Row row = report.row("How long commands held up the server, claim-interval " + CLAIM_INTERVAL)
				.label("consumer", contestant.title())
				.label("pending for others", String.valueOf(pending))
				.label("command", name)
				.figure("calls a round", "%,.0f", (double) calls.size() / rounds.size())
				.figure("median ms", "%.3f", Statistics.median(millis))
				.figure("p99 ms", "%.3f", Statistics.quantile(millis, 0.99))
				.figure("p99.9 ms", "%.3f", nearlyAll)
				.figure("longest ms", "%.3f", Statistics.quantile(millis, 1))
				.figure("1 ms or more", "%.0f", Arrays.stream(millis).filter((call) -> call >= GOAL).count());
			if (CLAIMS.contains(name)) {
				// The longest may be one during which the system ran something else
				row.goal("p99.9 below 1 ms", nearlyAll < GOAL);
			}
		});
	}

	private static String name(SlowLog.Call call) {
		boolean readAndClaim = call.name().equals("XREADGROUP") && call.words().contains("CLAIM");
		return readAndClaim ? READ_AND_CLAIM : call.name();
	}

	/**
	 * One round.
	 *
	 * @param measurement how it went
	 * @param calls what the server did
	 */
	private record Round(Measurement measurement, List<SlowLog.Call> calls) {
	}

}
