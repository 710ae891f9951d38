package io.github.redisstreams.metrics;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.BackgroundWorker;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Meters of the listeners of this application: counters of what they have done, and
 * gauges of their streams and groups, sampled in the background with a few commands per
 * stream and interval. A scrape never asks Redis; what is not known, or not any more, is
 * {@code NaN}.
 */
public class StreamMetrics extends BackgroundWorker {

	/**
	 * How many entries the group has still to be given.
	 */
	public static final String LAG = "redis.streams.group.lag";

	/**
	 * How many entries were delivered to the group and are not yet acknowledged.
	 */
	public static final String PENDING = "redis.streams.group.pending";

	/**
	 * How many consumers the group has.
	 */
	public static final String CONSUMERS = "redis.streams.group.consumers";

	/**
	 * How many seconds ago the oldest of the pending entries was added, 0 if there is
	 * none.
	 */
	public static final String OLDEST_PENDING = "redis.streams.group.oldest.pending";

	/**
	 * How many seconds ago the oldest entry was added that the group has still to be
	 * given, 0 if there is none.
	 */
	public static final String OLDEST_UNDELIVERED = "redis.streams.group.oldest.undelivered";

	/**
	 * How many entries the stream has.
	 */
	public static final String LENGTH = "redis.streams.length";

	/**
	 * How many entries are scheduled for the stream.
	 */
	public static final String DELAYED = "redis.streams.delayed";

	/**
	 * How many entries the dead-letter stream of a stream has.
	 */
	public static final String DEAD_LETTERS = "redis.streams.dead.letters";

	private static final Log logger = LogFactory.getLog(StreamMetrics.class);

	private final StreamListenerRegistry registry;

	private final StreamSampler sampler;

	private final StreamMeters meters;

	private final Duration interval;

	private boolean failing;

	/**
	 * Create the metrics.
	 * @param commands the port to Redis
	 * @param registry knows the listeners
	 * @param meterRegistry takes the meters
	 * @param interval how often to ask Redis
	 * @throws StreamsConfigurationException if the interval is shorter than a millisecond
	 */
	public StreamMetrics(StreamCommands commands, StreamListenerRegistry registry, MeterRegistry meterRegistry,
			Duration interval) {
		super("streams-metrics-", StreamListenerRegistry.PHASE);
		if (interval.toMillis() < 1) {
			throw new StreamsConfigurationException(
					"Lag and pending cannot be sampled every " + interval.toMillis() + "ms",
					"Set redis.streams.metrics.interval to 1ms or more, such as 5s.");
		}
		this.registry = registry;
		this.sampler = new StreamSampler(commands, interval);
		this.meters = new StreamMeters(meterRegistry, this.sampler);
		this.interval = interval;
	}

	@Override
	protected void schedule(ScheduledExecutorService executor) {
		this.meters.register(this.registry.getContainers());
		executor.scheduleWithFixedDelay(this::sample, 0, this.interval.toMillis(), TimeUnit.MILLISECONDS);
	}

	// At the application's start the first sample would miss groups that are under way
	private void sample(String stream, List<ListenerOptions> listeners) {
		this.registry.awaitGroups(stream);
		this.sampler.sample(stream, listeners);
	}

	private void sample() {
		// The scheduler would drop a task that throws
		try {
			Collection<StreamListenerContainer> containers = this.registry.getContainers();
			this.meters.register(containers);
			containers.stream()
				.map(StreamListenerContainer::getOptions)
				.collect(Collectors.groupingBy(ListenerOptions::stream))
				.forEach(this::sample);
			this.failing = false;
		}
		catch (Throwable ex) {
			if (!this.failing) {
				this.failing = true;
				logger.warn("The meters of Redis Streams cannot be updated for now", ex);
			}
		}
	}

}
