package io.github.redisstreams.metrics;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.GroupInfo;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamBacklog;
import io.github.redisstreams.redis.StreamBacklog.Ends;
import io.github.redisstreams.redis.StreamCommands;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * Asks Redis about streams and their groups, and keeps the answers for a while. Four
 * commands for each stream: {@code XINFO GROUPS}, a script, {@code ZCARD} of the
 * scheduled entries and {@code XLEN} of the dead letters; one more for a group whose lag
 * the server cannot tell.
 */
final class StreamSampler {

	/**
	 * Where counting ends if the server cannot tell the lag.
	 */
	static final int COUNT_BOUND = 1000;

	private static final Log logger = LogFactory.getLog(StreamSampler.class);

	private final StreamCommands commands;

	private final Readings<GroupKey, GroupSample> groups;

	private final Readings<String, Long> lengths;

	private final Readings<String, Long> delayed;

	private final Readings<String, Long> deadLetters;

	private final Set<String> failing = ConcurrentHashMap.newKeySet();

	StreamSampler(StreamCommands commands, Duration interval) {
		this.commands = commands;
		Duration life = interval.multipliedBy(3);
		this.groups = new Readings<>(life);
		this.lengths = new Readings<>(life);
		this.delayed = new Readings<>(life);
		this.deadLetters = new Readings<>(life);
	}

	double group(GroupKey group, ToDoubleFunction<GroupSample> value) {
		return this.groups.get(group, value);
	}

	double length(String stream) {
		return this.lengths.get(stream, Long::doubleValue);
	}

	double delayed(String stream) {
		return this.delayed.get(stream, Long::doubleValue);
	}

	double deadLetters(String stream) {
		return this.deadLetters.get(stream, Long::doubleValue);
	}

	/**
	 * Ask about a stream.
	 * @param stream its key
	 * @param listeners who reads it
	 */
	void sample(String stream, List<ListenerOptions> listeners) {
		attempt("The backlog of stream '" + stream + "'", () -> sampleBacklog(stream, listeners), () -> {
			listeners.forEach((listener) -> this.groups.forget(GroupKey.of(listener)));
			this.lengths.forget(stream);
		});
		attempt("The number of entries scheduled for stream '" + stream + "'",
				() -> this.delayed.put(stream, this.commands.publishing().scheduled(stream)),
				() -> this.delayed.forget(stream));
		attempt("The number of dead letters of stream '" + stream + "'", () -> sampleDeadLetters(stream, listeners),
				() -> this.deadLetters.forget(stream));
	}

	private void sampleBacklog(String stream, List<ListenerOptions> listeners) {
		Set<String> names = listeners.stream().map(ListenerOptions::group).collect(Collectors.toSet());
		List<GroupInfo> infos = this.commands.groups(stream)
			.stream()
			.filter((info) -> names.contains(info.name()))
			.toList();
		StreamBacklog backlog = backlog(stream, infos);
		infos.forEach((info) -> this.groups.put(new GroupKey(stream, info.name()), sample(stream, info, backlog)));
		infos.forEach((info) -> names.remove(info.name()));
		names.forEach((missing) -> this.groups.forget(new GroupKey(stream, missing)));
		if (backlog != null) {
			this.lengths.put(stream, backlog.length());
		}
		else {
			this.lengths.forget(stream);
		}
	}

	private @Nullable StreamBacklog backlog(String stream, List<GroupInfo> groups) {
		try {
			return this.commands.backlog(stream, groups);
		}
		// A user who may not run scripts still sees what is pending
		catch (DataAccessException ex) {
			logger.debug("Looking for the oldest entries of stream '" + stream + "' failed", ex);
			return null;
		}
	}

	private GroupSample sample(String stream, GroupInfo group, @Nullable StreamBacklog backlog) {
		double oldestPending = Double.NaN;
		double oldestUndelivered = Double.NaN;
		Ends ends = (backlog != null) ? backlog.groups().get(group.name()) : null;
		if (backlog != null && ends != null) {
			oldestPending = age(backlog, ends.pending());
			oldestUndelivered = age(backlog, ends.undelivered());
		}
		return new GroupSample(lag(stream, group), group.pending(), group.consumers(), oldestPending,
				oldestUndelivered);
	}

	private static double age(StreamBacklog backlog, @Nullable EntryId oldest) {
		return (oldest != null) ? backlog.age(oldest).toMillis() / 1000.0 : 0;
	}

	private double lag(String stream, GroupInfo group) {
		Long lag = group.lag();
		try {
			return Math.max(0,
					(lag != null) ? lag : this.commands.countAfter(stream, group.lastDeliveredId(), COUNT_BOUND));
		}
		// As above
		catch (DataAccessException ex) {
			logger.debug("Counting the lag of group '" + group.name() + "' on stream '" + stream + "' failed", ex);
			return Double.NaN;
		}
	}

	private void sampleDeadLetters(String stream, List<ListenerOptions> listeners) {
		long sum = listeners.stream()
			.map(ListenerOptions::deadLetterStream)
			.distinct()
			.mapToLong(this.commands::length)
			.sum();
		this.deadLetters.put(stream, sum);
	}

	private void attempt(String what, Runnable sampling, Runnable forget) {
		try {
			sampling.run();
			if (this.failing.remove(what)) {
				logger.info(what + " is known again");
			}
		}
		// Whatever it is: the other streams are sampled, and this one again next time
		catch (RuntimeException ex) {
			forget.run();
			boolean stopping = Thread.currentThread().isInterrupted();
			if (!stopping && this.failing.add(what)) {
				logger.info(what + " is unknown for now: " + RedisFault.explain(ex));
			}
		}
	}

}
