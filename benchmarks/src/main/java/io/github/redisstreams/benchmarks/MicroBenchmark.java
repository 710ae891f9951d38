package io.github.redisstreams.benchmarks;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.redisstreams.benchmarks.harness.ChildJvm;
import io.github.redisstreams.benchmarks.harness.Report;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * What an entry costs this JVM between the socket and the handler, method by method:
 * decoding it, and making of it what the handler takes, beside Lettuce and Spring Data
 * Redis.
 */
public final class MicroBenchmark {

	private static final String INCLUDE = System.getProperty("benchmark.include", "Decoding|Conversion");

	private static final int FORKS = Integer.getInteger("benchmark.forks", 2);

	private static final int ROUNDS = Integer.getInteger("benchmark.rounds", 5);

	/** A method's name says what it does, and then who does it. */
	private static final Pattern METHOD = Pattern.compile(".*\\.([a-z]+)([A-Z]\\w+)");

	private static final String OURS = "Ours";

	private MicroBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws RunnerException {
		// Of which JMH makes that of the JVMs in which it measures
		System.setProperty("java.class.path", ChildJvm.classPath());
		List<Score> scores = new Runner(new OptionsBuilder().include("(" + INCLUDE + ")Benchmark")
			.mode(Mode.Throughput)
			.timeUnit(TimeUnit.SECONDS)
			.forks(FORKS)
			.warmupIterations(3)
			.warmupTime(TimeValue.seconds(1))
			.measurementIterations(ROUNDS)
			.measurementTime(TimeValue.seconds(1))
			.addProfiler(GCProfiler.class)
			.build()).run().stream().map(Score::of).toList();
		report(scores).publish();
	}

	private static Report report(List<Score> scores) {
		Report report = new Report("Micro", "none");
		for (Score score : scores) {
			double ours = scores.stream()
				.filter((other) -> other.what().equals(score.what()) && other.who().equals(OURS))
				.mapToDouble(Score::rate)
				.findAny()
				.orElse(Double.NaN);
			report.row("One thread, means of " + ROUNDS + " s in each of " + FORKS + " JVMs")
				.label("what", score.what())
				.label("by", score.who())
				.figure("1000 entries/s", "%,.0f", score.rate() / 1000)
				.figure("+- %", "%.0f", 100 * score.error() / score.rate())
				.figure("bytes/entry", "%,.0f", score.bytes())
				.figure("ours to it", "%.2f", ours / score.rate());
		}
		return report;
	}

	/**
	 * What came of a method.
	 *
	 * @param what what it does
	 * @param who who does it
	 * @param rate how often a second
	 * @param error how far off the rate may be, with 99.9 % confidence
	 * @param bytes how many bytes it allocates
	 */
	private record Score(String what, String who, double rate, double error, double bytes) {

		static Score of(RunResult result) {
			Matcher method = METHOD.matcher(result.getParams().getBenchmark());
			if (!method.matches()) {
				throw new IllegalStateException(result.getParams().getBenchmark() + " does not say who does it");
			}
			Result<?> rate = result.getPrimaryResult();
			Result<?> bytes = Objects.requireNonNull(result.getSecondaryResults().get("gc.alloc.rate.norm"));
			String who = method.group(2).replaceAll("(?<=[a-z])(?=[A-Z])", " ");
			return new Score(method.group(1), who, rate.getScore(), rate.getScoreError(), bytes.getScore());
		}

	}

}
