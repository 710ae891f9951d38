package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.github.redisstreams.benchmarks.contestant.Order;
import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.github.redisstreams.benchmarks.harness.RedisUsage;
import io.github.redisstreams.benchmarks.harness.Report;
import io.github.redisstreams.benchmarks.harness.Statistics;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.TrimMode;
import io.github.redisstreams.redis.Trimming;
import io.lettuce.core.XGroupCreateArgs;
import io.lettuce.core.XReadArgs.StreamOffset;

/**
 * What publishing costs the server: its time for a send in each trim mode beside a plain
 * {@code XADD}.
 */
public final class PublishBenchmark {

	private static final int ENTRIES = Integer.getInteger("benchmark.entries", 100_000);

	private static final int ROUNDS = Integer.getInteger("benchmark.rounds", 5);

	private static final int PIPELINE = 1000;

	private PublishBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		List<Contestant> contestants = List.of(new Contestant("plain XADD (trim: none)", Trimming.NONE),
				new Contestant("finished, under the limit",
						new Trimming(TrimMode.FINISHED, 1_000_000_000, Duration.ZERO)),
				new Contestant("finished, at the limit", new Trimming(TrimMode.FINISHED, 10_000, Duration.ZERO)),
				new Contestant("strict, at the limit", new Trimming(TrimMode.STRICT, 10_000, Duration.ZERO)));
		try (Publisher publisher = new Publisher()) {
			// The first round warms up
			for (int round = -1; round < ROUNDS; round++) {
				for (Contestant contestant : contestants) {
					Measurement measurement = send(contestant, publisher);
					if (round >= 0) {
						contestant.rounds().add(measurement);
					}
				}
			}
			report(publisher.redis(), contestants).publish();
		}
	}

	private static Measurement send(Contestant contestant, Publisher publisher) {
		RedisProcess redis = publisher.redis();
		redis.commands().flushall();
		redis.commands().xgroupCreate(StreamOffset.from("s", "$"), "g", XGroupCreateArgs.Builder.mkstream());
		StreamTemplate template = publisher.template(contestant.trimming());
		RedisUsage before = RedisUsage.of(redis);
		long start = System.nanoTime();
		for (int sent = 0; sent < ENTRIES; sent += PIPELINE) {
			template.sendAll("s", Collections.nCopies(PIPELINE, Order.JSON));
			// As if the group had finished all
			redis.commands().xgroupSetid(StreamOffset.from("s", "$"), "g");
		}
		double seconds = (System.nanoTime() - start) / 1e9;
		return new Measurement(ENTRIES / seconds, RedisUsage.of(redis).since(before).cpuSeconds() * 1e6 / ENTRIES);
	}

	private static Report report(RedisProcess redis, List<Contestant> contestants) {
		Report report = new Report("Publish", redis.version());
		double plain = Statistics.median(contestants.get(0).rounds(), Measurement::serverMicros);
		contestants.forEach((contestant) -> {
			double server = Statistics.median(contestant.rounds(), Measurement::serverMicros);
			report.row("Sending " + ENTRIES + " entries with sendAll, medians of " + ROUNDS + " rounds")
				.label("trim", contestant.name())
				.figure("entries/s", "%,.0f", Statistics.median(contestant.rounds(), Measurement::rate))
				.figure("Redis CPU us/entry", "%.2f", server)
				.figure("to plain XADD", "%.2f", server / plain);
		});
		return report;
	}

	/**
	 * A way to send.
	 *
	 * @param name what to call it
	 * @param trimming how to trim
	 * @param rounds how each round went
	 */
	private record Contestant(String name, Trimming trimming, List<Measurement> rounds) {

		Contestant(String name, Trimming trimming) {
			this(name, trimming, new ArrayList<>());
		}

	}

	/**
	 * One round.
	 *
	 * @param rate entries per second
	 * @param serverMicros microseconds of the server's processor time for an entry
	 */
	private record Measurement(double rate, double serverMicros) {
	}

}
