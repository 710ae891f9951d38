package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;

import io.github.redisstreams.benchmarks.contestant.Contestant;
import io.github.redisstreams.benchmarks.contestant.ContestantProcess;
import io.github.redisstreams.benchmarks.contestant.Job;
import io.github.redisstreams.benchmarks.contestant.Trial;
import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.github.redisstreams.benchmarks.harness.Report;
import io.github.redisstreams.benchmarks.harness.Statistics;

/**
 * How long it takes until a process has handled what another one held when it was killed.
 */
public final class TakeoverBenchmark {

	private static final int ROUNDS = Integer.getInteger("benchmark.rounds", 5);

	private static final String HELD = System.getProperty("benchmark.held", "100,1000");

	/** What the survivor has handled by itself before. */
	private static final int OTHERS = Integer.getInteger("benchmark.entries", 10_000);

	private static final Duration MIN_IDLE = Duration.ofSeconds(2);

	private static final Duration LEASE_RENEWAL = MIN_IDLE.dividedBy(3);

	/** By default. */
	private static final Duration CLAIM_INTERVAL = MIN_IDLE.dividedBy(10);

	private static final Duration GOAL = MIN_IDLE.plus(CLAIM_INTERVAL).plusSeconds(1);

	private static final int ENDLESS_MILLIS = 60_000;

	private TakeoverBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		try (RedisProcess redis = RedisProcess.start();
				ContestantProcess survivor = new ContestantProcess(Contestant.OURS_MAP)) {
			Report report = new Report("Takeover", redis.version());
			for (int held : Arrays.stream(HELD.split(",")).mapToInt(Integer::parseInt).toArray()) {
				double[] seconds = new double[ROUNDS];
				for (int round = 0; round < ROUNDS; round++) {
					seconds[round] = takeOver(redis, survivor, held, round);
				}
				report(report, held, seconds);
			}
			report.publish();
		}
	}

	private static double takeOver(RedisProcess redis, ContestantProcess survivor, int held, int round)
			throws IOException, InterruptedException {
		String minIdle = "redis.streams.listener.min-idle=" + MIN_IDLE;
		Job holding = Job.draining(redis.port(), held).withHandlers(held, ENDLESS_MILLIS).withProperties(minIdle);
		Job taking = Job.draining(redis.port(), held + OTHERS)
			.withProperties(minIdle, "redis.streams.consumer=survivor");
		// At any time between two renewals of the leases
		Duration pause = LEASE_RENEWAL.plus(LEASE_RENEWAL.multipliedBy(round).dividedBy(ROUNDS));
		try (ContestantProcess dying = new ContestantProcess(Contestant.OURS_MAP)) {
			return new Trial(redis).takeOver(dying, holding, survivor, taking, pause);
		}
	}

	private static void report(Report report, int held, double[] seconds) {
		double worst = Statistics.quantile(seconds, 1);
		report
			.row("From SIGKILL until the last entry of the dead process has been handled, min-idle "
					+ MIN_IDLE.toMillis() + " ms, claim-interval " + CLAIM_INTERVAL.toMillis() + " ms, " + ROUNDS
					+ " rounds")
			.label("entries held", String.valueOf(held))
			.figure("median s", "%.2f", Statistics.median(seconds))
			.figure("worst s", "%.2f", worst)
			.goal("always within " + GOAL.toMillis() + " ms", worst * 1000 <= GOAL.toMillis());
	}

}
