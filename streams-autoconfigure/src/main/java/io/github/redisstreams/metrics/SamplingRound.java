package io.github.redisstreams.metrics;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

import io.github.redisstreams.redis.CountedLag;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.SampledStream;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamSample;
import org.jspecify.annotations.Nullable;

/**
 * Asks about all streams once. What fails for one stream or group is missing there, and
 * nowhere else.
 */
final class SamplingRound {

	/**
	 * How much is asked at a time without waiting for replies. It takes the server a
	 * millisecond or two, for which others may have to wait.
	 */
	private static final int TOGETHER = 20;

	private final StreamCommands commands;

	private final LagBudget budget;

	private final Map<String, SampledFigures> figures = new HashMap<>();

	private final Map<String, SamplingProblem> problems = new LinkedHashMap<>();

	SamplingRound(StreamCommands commands, LagBudget budget) {
		this.commands = commands;
		this.budget = budget;
	}

	/**
	 * What is known of each stream that something could be told of.
	 */
	Map<String, SampledFigures> figures() {
		return this.figures;
	}

	/**
	 * Why something could not be told of a stream, by its key.
	 */
	Map<String, SamplingProblem> problems() {
		return this.problems;
	}

	void ask(Collection<SampledStream> streams) throws InterruptedException {
		Map<SampledStream, StreamSample> samples = new LinkedHashMap<>();
		inParts(streams, (stream) -> this.commands.sampling().sample(stream), (stream, sample, failure) -> {
			if (sample == null) {
				this.problems.put(stream.key(), SamplingProblem.of(failure));
				return;
			}
			samples.put(stream, sample);
			if (!sample.problems().isEmpty()) {
				this.problems.put(stream.key(), SamplingProblem.of(sample.problems()));
			}
		});
		Map<Group, CountedLag> counted = count(uncounted(samples));
		samples.forEach((stream, sample) -> this.figures.put(stream.key(), figures(stream.key(), sample, counted)));
	}

	private static List<Group> uncounted(Map<SampledStream, StreamSample> samples) {
		List<Group> uncounted = new ArrayList<>();
		samples.forEach((stream, sample) -> sample.groups().forEach((name, group) -> {
			// Where not even the first could be told, it would fail
			if ((group.lag() == null || group.lagDoubtful()) && group.oldestUndelivered() != null) {
				uncounted.add(new Group(stream.key(), name, group));
			}
		}));
		return uncounted;
	}

	private Map<Group, CountedLag> count(List<Group> groups) throws InterruptedException {
		int bound = this.budget.share(groups.size());
		Map<Group, CountedLag> counted = new HashMap<>();
		inParts(groups,
				(group) -> this.commands.sampling().countLag(group.stream, group.sample.lastDeliveredId(), bound),
				(group, lag, failure) -> {
					if (lag != null) {
						counted.put(group, lag);
					}
					else {
						this.problems.putIfAbsent(group.stream, SamplingProblem.of(failure));
					}
				});
		return counted;
	}

	private static SampledFigures figures(String stream, StreamSample sample, Map<Group, CountedLag> counted) {
		Map<String, GroupReading> groups = new HashMap<>();
		sample.groups()
			.forEach((name, group) -> groups.put(name, reading(group, counted.get(new Group(stream, name, group)))));
		return new SampledFigures(new StreamReading(sample.length(), sample.delayed(), sample.deadLetters()), groups);
	}

	private static GroupReading reading(StreamSample.Group group, @Nullable CountedLag counted) {
		boolean bounded = counted != null && counted.bounded();
		Long lag = (counted != null && !(bounded && group.lag() != null)) ? Long.valueOf(counted.entries())
				: group.lag();
		return new GroupReading(lag, bounded, group.pending(), group.consumers(), group.oldestPending(),
				group.oldestUndelivered(), group.lastDeliveredId());
	}

	private static <S, R> void inParts(Collection<S> subjects, Function<S, CompletionStage<R>> question,
			Answer<S, R> answer) throws InterruptedException {
		Iterator<S> left = subjects.iterator();
		while (left.hasNext()) {
			// A stop does not wait, so nothing is to be sent after it
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			Map<S, CompletableFuture<R>> asked = new LinkedHashMap<>();
			while (left.hasNext() && asked.size() < TOGETHER) {
				S subject = left.next();
				asked.put(subject, ask(subject, question));
			}
			for (Map.Entry<S, CompletableFuture<R>> entry : asked.entrySet()) {
				try {
					answer.take(entry.getKey(), entry.getValue().get(), null);
				}
				catch (ExecutionException ex) {
					answer.take(entry.getKey(), null, ex.getCause());
				}
			}
		}
	}

	private static <S, R> CompletableFuture<R> ask(S subject, Function<S, CompletionStage<R>> question) {
		try {
			return question.apply(subject).toCompletableFuture();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Takes an answer, or why there is none.
	 */
	private interface Answer<S, R> {

		void take(S subject, @Nullable R reply, @Nullable Throwable failure);

	}

	private record Group(String stream, String name, StreamSample.Group sample) {

	}

}
