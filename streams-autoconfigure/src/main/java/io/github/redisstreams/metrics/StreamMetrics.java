package io.github.redisstreams.metrics;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.GroupInfo;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Gauges of the groups that this application listens for, sampled in the background with
 * one {@code XINFO GROUPS} per stream and interval. A scrape never asks Redis; what is
 * not known, or not any more, is {@code NaN}.
 */
public class StreamMetrics implements SmartLifecycle {

	/**
	 * How many entries the group has still to be given.
	 */
	public static final String LAG = "redis.streams.group.lag";

	/**
	 * How many entries were delivered to the group and are not yet acknowledged.
	 */
	public static final String PENDING = "redis.streams.group.pending";

	/**
	 * Where counting ends if the server cannot tell the lag.
	 */
	static final int COUNT_BOUND = 1000;

	private static final Log logger = LogFactory.getLog(StreamMetrics.class);

	private final StreamCommands commands;

	private final StreamListenerRegistry registry;

	private final MeterRegistry meterRegistry;

	private final Duration interval;

	private final Map<GroupKey, Sample> samples = new ConcurrentHashMap<>();

	private final Set<GroupKey> registered = ConcurrentHashMap.newKeySet();

	private @Nullable ScheduledExecutorService sampler;

	private final Set<String> failing = ConcurrentHashMap.newKeySet();

	/**
	 * Create the metrics.
	 * @param commands the port to Redis
	 * @param registry knows the listeners
	 * @param meterRegistry takes the gauges
	 * @param interval how often to ask Redis
	 * @throws StreamsConfigurationException if the interval is shorter than a millisecond
	 */
	public StreamMetrics(StreamCommands commands, StreamListenerRegistry registry, MeterRegistry meterRegistry,
			Duration interval) {
		if (interval.toMillis() < 1) {
			throw new StreamsConfigurationException(
					"Lag and pending cannot be sampled every " + interval.toMillis() + "ms",
					"Set redis.streams.metrics.interval to 1ms or more, such as 5s.");
		}
		this.commands = commands;
		this.registry = registry;
		this.meterRegistry = meterRegistry;
		this.interval = interval;
	}

	@Override
	public synchronized void start() {
		if (this.sampler == null) {
			CustomizableThreadFactory threads = new CustomizableThreadFactory("streams-metrics-");
			threads.setDaemon(true);
			this.sampler = Executors.newSingleThreadScheduledExecutor(threads);
			registerGauges(groupsByStream());
			this.sampler.scheduleWithFixedDelay(this::sample, 0, this.interval.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	@Override
	public synchronized void stop() {
		if (this.sampler != null) {
			this.sampler.shutdownNow();
			this.sampler = null;
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.sampler != null;
	}

	/**
	 * That of the listeners. Since this depends on their registry, Spring starts it after
	 * them and stops it before them.
	 */
	@Override
	public int getPhase() {
		return StreamListenerRegistry.PHASE;
	}

	private Map<String, List<GroupKey>> groupsByStream() {
		return this.registry.getContainers()
			.stream()
			.map(StreamListenerContainer::getOptions)
			.map(GroupKey::of)
			.collect(Collectors.groupingBy(GroupKey::stream));
	}

	private void registerGauges(Map<String, List<GroupKey>> groupsByStream) {
		groupsByStream.values().forEach((groups) -> groups.forEach((group) -> {
			if (!this.registered.contains(group)) {
				register(LAG, "Entries that the group has still to be given", group, Sample::lag);
				register(PENDING, "Entries delivered to the group and not yet acknowledged", group, Sample::pending);
				// Not before: what was refused is to be tried again
				this.registered.add(group);
			}
		}));
	}

	private void register(String name, String description, GroupKey group, ToDoubleFunction<Sample> value) {
		Gauge.builder(name, () -> {
			Sample sample = this.samples.get(group);
			return (sample != null && sample.isFresh(this.interval)) ? value.applyAsDouble(sample) : Double.NaN;
		})
			.description(description)
			.tag("stream", group.stream())
			.tag("group", group.group())
			.register(this.meterRegistry);
	}

	private void sample() {
		// The scheduler would drop a task that throws
		try {
			Map<String, List<GroupKey>> groupsByStream = groupsByStream();
			registerGauges(groupsByStream);
			groupsByStream.forEach(this::sample);
			this.failing.remove("Lag and pending");
		}
		catch (Throwable ex) {
			failed("Lag and pending", Set.of(), ex);
		}
	}

	private void sample(String stream, List<GroupKey> groups) {
		String what = "Lag and pending of stream '" + stream + "'";
		try {
			List<GroupInfo> infos = this.commands.groups(stream);
			for (GroupKey group : groups) {
				GroupInfo info = infos.stream()
					.filter((candidate) -> candidate.name().equals(group.group()))
					.findFirst()
					.orElse(null);
				if (info != null) {
					this.samples.put(group, new Sample(lag(stream, info), info.pending(), System.nanoTime()));
				}
				else {
					this.samples.remove(group);
				}
			}
			if (this.failing.remove(what)) {
				logger.info(what + " are known again");
			}
		}
		// Whatever it is: the other streams are sampled, and this one again next time
		catch (RuntimeException ex) {
			failed(what, groups, ex);
		}
	}

	private void failed(String what, Collection<GroupKey> groups, Throwable failure) {
		groups.forEach(this.samples::remove);
		boolean stopping = Thread.currentThread().isInterrupted();
		if (!stopping && this.failing.add(what)) {
			logger.info(what + " are unknown for now: " + RedisFault.explain(failure));
		}
	}

	private double lag(String stream, GroupInfo group) {
		Long lag = group.lag();
		try {
			return Math.max(0,
					(lag != null) ? lag : this.commands.countAfter(stream, group.lastDeliveredId(), COUNT_BOUND));
		}
		// A user who may not run scripts still sees what is pending
		catch (DataAccessException ex) {
			logger.debug("Counting the lag of group '" + group.name() + "' on stream '" + stream + "' failed", ex);
			return Double.NaN;
		}
	}

	/**
	 * A group of a stream.
	 */
	private record GroupKey(String stream, String group) {

		static GroupKey of(ListenerOptions options) {
			return new GroupKey(options.stream(), options.group());
		}

	}

	/**
	 * What was found at some time.
	 */
	private record Sample(double lag, double pending, long takenAt) {

		boolean isFresh(Duration interval) {
			return System.nanoTime() - this.takenAt < 3 * interval.toNanos();
		}

	}

}
