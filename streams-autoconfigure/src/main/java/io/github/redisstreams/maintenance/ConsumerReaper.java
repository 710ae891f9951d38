package io.github.redisstreams.maintenance;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.BackgroundWorker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Removes consumers from the groups of the listeners that have nothing pending and have
 * been inactive for {@code consumer-expiry}, such as those of instances that will not
 * come back. One that is alive after all, on a stream that nothing is added to, comes
 * back with its next read.
 */
public class ConsumerReaper extends BackgroundWorker {

	private static final Log logger = LogFactory.getLog(ConsumerReaper.class);

	private static final Duration SHORTEST_INTERVAL = Duration.ofMinutes(1);

	private static final Duration LONGEST_INTERVAL = Duration.ofHours(1);

	private final StreamCommands commands;

	private final StreamListenerRegistry registry;

	private final Duration shortestInterval;

	/** When to look at the group of a listener next, by the listener's id. */
	private final Map<String, Long> due = new HashMap<>();

	/**
	 * Create a reaper that looks at a group for the first time a minute after its start,
	 * and then every tenth of the listener's {@code consumer-expiry}, between a minute
	 * and an hour.
	 * @param commands the port to Redis
	 * @param registry knows the listeners
	 */
	public ConsumerReaper(StreamCommands commands, StreamListenerRegistry registry) {
		this(commands, registry, SHORTEST_INTERVAL);
	}

	/**
	 * Create a reaper that looks at a group more or less often.
	 * @param commands the port to Redis
	 * @param registry knows the listeners
	 * @param shortestInterval when to look for the first time, and how long to wait at
	 * least until the next
	 */
	public ConsumerReaper(StreamCommands commands, StreamListenerRegistry registry, Duration shortestInterval) {
		super("streams-reaper-", StreamListenerRegistry.PHASE);
		this.commands = commands;
		this.registry = registry;
		this.shortestInterval = shortestInterval;
	}

	@Override
	protected void schedule(ScheduledExecutorService executor) {
		long nanos = this.shortestInterval.toNanos();
		executor.scheduleWithFixedDelay(this::reap, nanos, nanos, TimeUnit.NANOSECONDS);
	}

	private void reap() {
		// The executor would drop a task that throws
		try {
			for (StreamListenerContainer container : this.registry.getContainers()) {
				ListenerOptions options = container.getOptions();
				if (!options.consumerExpiry().isZero() && isDue(container)) {
					reap(options);
				}
			}
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Looking for inactive consumers failed", ex);
		}
	}

	private boolean isDue(StreamListenerContainer container) {
		long now = System.nanoTime();
		Long due = this.due.get(container.getId());
		if (due != null && due - now > 0) {
			return false;
		}
		this.due.put(container.getId(), now + interval(container.getOptions().consumerExpiry()).toNanos());
		return true;
	}

	// With jitter, so that the instances of an application do not all look at once
	private Duration interval(Duration expiry) {
		Duration interval = expiry.dividedBy(10);
		if (interval.compareTo(LONGEST_INTERVAL) > 0) {
			interval = LONGEST_INTERVAL;
		}
		interval = Duration
			.ofNanos((long) (interval.toNanos() * (0.8 + 0.2 * ThreadLocalRandom.current().nextDouble())));
		return (interval.compareTo(this.shortestInterval) < 0) ? this.shortestInterval : interval;
	}

	private void reap(ListenerOptions options) {
		this.commands.removeInactiveConsumers(options.stream(), options.group(), options.consumerExpiry())
			.whenComplete((removed, failure) -> {
				if (failure == null) {
					removed(options, removed);
				}
				else {
					// The listeners themselves say what is wrong with Redis
					logger.debug("Inactive consumers of group '" + options.group() + "' on stream '" + options.stream()
							+ "' could not be removed: " + RedisFault.explain(failure));
				}
			});
	}

	private static void removed(ListenerOptions options, List<String> consumers) {
		if (!consumers.isEmpty()) {
			logger.info("Removed from group '" + options.group() + "' on stream '" + options.stream()
					+ "' consumers that have been inactive for " + options.consumerExpiry()
					+ " and have nothing pending: " + consumers);
		}
	}

}
