package io.github.redisstreams.metrics;

import io.github.redisstreams.config.StreamListenerRegistry;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Meters of the listeners of this application: counters of what they have done, gauges of
 * how they are, and gauges of their streams and groups from what a {@link StreamSampler}
 * has read last. A scrape never asks Redis; what is not known, or not any more, is
 * {@code NaN}.
 */
public class StreamMetrics {

	/**
	 * How many entries the group has still to be given.
	 */
	public static final String LAG = "redis.streams.group.lag";

	/**
	 * Whether counting the lag stopped at a bound, so that it is not exact: 1 if so,
	 * otherwise 0.
	 */
	public static final String LAG_BOUNDED = "redis.streams.group.lag.bounded";

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

	/**
	 * How many entries a listener of this application holds: waiting for a handler, being
	 * handled, waiting for a retry, or handled and not yet acknowledged.
	 */
	public static final String IN_FLIGHT = "redis.streams.in.flight";

	/**
	 * How many seconds ago a listener of this application last polled, or since Redis has
	 * failed it if it never could; not a number while it is stopped or paused.
	 */
	public static final String LAST_POLL_AGE = "redis.streams.last.poll.age";

	/**
	 * Create the metrics, whose meters are registered when the sampler starts, and those
	 * of listeners that come later within an interval.
	 * @param sampler has the figures of streams and groups
	 * @param registry knows the listeners
	 * @param meterRegistry takes the meters
	 */
	public StreamMetrics(StreamSampler sampler, StreamListenerRegistry registry, MeterRegistry meterRegistry) {
		StreamMeters meters = new StreamMeters(meterRegistry, sampler);
		sampler.addListener(() -> meters.register(registry.getContainers(), sampler.getStreams()));
	}

}
