package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.benchmarks.harness.Cost;
import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.github.redisstreams.benchmarks.harness.RedisUsage;
import io.github.redisstreams.benchmarks.harness.Report;
import io.github.redisstreams.benchmarks.harness.Statistics;
import io.github.redisstreams.benchmarks.sender.Content;
import io.github.redisstreams.benchmarks.sender.SendJob;
import io.github.redisstreams.benchmarks.sender.SendResult;
import io.github.redisstreams.benchmarks.sender.Sender;
import io.github.redisstreams.benchmarks.sender.SenderProcess;
import io.lettuce.core.XGroupCreateArgs;
import io.lettuce.core.XReadArgs.StreamOffset;

/**
 * How fast entries are sent, and what that costs: {@code StreamTemplate} beside the other
 * ways to write to a stream, in turn, each in a JVM of its own.
 */
public final class SendBenchmark {

	private static final int ENTRIES = Integer.getInteger("benchmark.entries", 200_000);

	private static final int TOGETHER = Integer.getInteger("benchmark.together", 10_000);

	private static final int ROUNDS = Integer.getInteger("benchmark.rounds", 5);

	private static final int WARM_UP_ROUNDS = Integer.getInteger("benchmark.warm-up", 4);

	private static final String SENDERS = System.getProperty("benchmark.senders", "");

	/** What takes twenty times as long is not to take all day. */
	private static final int SLOW_PART = 20;

	/** Of what the pipeline by hand manages. */
	private static final double GOAL = 0.9;

	private SendBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		Map<Sender, List<Cost>> costs = new EnumMap<>(Sender.class);
		List<SenderProcess> processes = new ArrayList<>();
		try (RedisProcess redis = RedisProcess.start()) {
			for (Sender sender : senders()) {
				processes.add(new SenderProcess(sender));
				costs.put(sender, new ArrayList<>());
			}
			for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
				for (SenderProcess process : processes) {
					Cost cost = send(redis, process);
					if (round >= 0) {
						costs.getOrDefault(process.sender(), new ArrayList<>()).add(cost);
					}
				}
			}
			report(redis, costs).publish();
		}
		finally {
			processes.forEach(SenderProcess::close);
		}
	}

	private static List<Sender> senders() {
		return SENDERS.isEmpty() ? List.of(Sender.values())
				: Arrays.stream(SENDERS.split(",")).map(Sender::valueOf).toList();
	}

	private static Cost send(RedisProcess redis, SenderProcess process) throws IOException {
		SendJob job = new SendJob(redis.port(), "work", process.sender().waitsForEach() ? ENTRIES / SLOW_PART : ENTRIES,
				TOGETHER);
		redis.commands().flushall();
		// A group that has finished whatever comes, so that a trimmed stream keeps its
		// length
		redis.commands()
			.xgroupCreate(StreamOffset.from(job.stream(), Long.MAX_VALUE + "-0"), "workers",
					XGroupCreateArgs.Builder.mkstream());
		process.prepare(job);
		RedisUsage before = RedisUsage.of(redis);
		process.begin();
		SendResult result = process.awaitResult();
		RedisUsage used = RedisUsage.of(redis).since(before);
		process.end();
		return new Cost(job.entries(), result.seconds(), result.usage(), used);
	}

	private static Report report(RedisProcess redis, Map<Sender, List<Cost>> costs) {
		Report report = new Report("Send", redis.version());
		double springData = rate(costs, Sender.SPRING_DATA);
		double lettuce = rate(costs, Sender.LETTUCE);
		costs.forEach((sender, rounds) -> {
			double rate = rate(costs, sender);
			double pipeline = rate(costs,
					(sender.content() == Content.TEXT) ? Sender.LETTUCE_PIPELINE : Sender.LETTUCE_PIPELINE_RECORDS);
			Report.Row row = report
				.row("Sending " + ENTRIES + " times " + sender.content().title()
						+ " (a twentieth of that where each reply " + "is waited for), " + TOGETHER
						+ " together, medians of " + ROUNDS + " rounds")
				.label("sender", sender.title())
				.figure("entries/s", "%,.0f", rate)
				.figure("to Spring Data", "%.2f", rate / springData)
				.figure("to Lettuce sync", "%.2f", rate / lettuce)
				.figure("to pipeline", "%.2f", rate / pipeline)
				.costs(rounds);
			if (sender.isSendAll()) {
				row.goal("sendAll " + GOAL + " of pipeline", rate >= GOAL * pipeline);
			}
		});
		return report;
	}

	private static double rate(Map<Sender, List<Cost>> costs, Sender sender) {
		return Statistics.median(costs.getOrDefault(sender, List.of()), Cost::rate);
	}

}
