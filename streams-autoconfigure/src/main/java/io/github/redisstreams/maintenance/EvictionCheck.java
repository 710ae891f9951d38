package io.github.redisstreams.maintenance;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Warns once, after the start, where the server may evict streams when its memory is
 * full: with one of the {@code allkeys} policies. The others evict only keys with a time
 * to live, which streams do not have. Keeps trying while Redis does not answer, in the
 * background; says nothing where the user may not ask.
 */
public class EvictionCheck implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(EvictionCheck.class);

	private static final String POLICY = "maxmemory-policy";

	private static final Duration RETRY_INTERVAL = Duration.ofSeconds(5);

	private final StreamCommands commands;

	private final StreamListenerRegistry registry;

	private final Duration retryInterval;

	private @Nullable ScheduledExecutorService executor;

	private boolean running;

	/**
	 * Create a check.
	 * @param commands the port to Redis
	 * @param registry knows whether there are listeners at all
	 */
	public EvictionCheck(StreamCommands commands, StreamListenerRegistry registry) {
		this(commands, registry, RETRY_INTERVAL);
	}

	/**
	 * Create a check.
	 * @param commands the port to Redis
	 * @param registry knows whether there are listeners at all
	 * @param retryInterval when to try again while Redis does not answer
	 */
	public EvictionCheck(StreamCommands commands, StreamListenerRegistry registry, Duration retryInterval) {
		this.commands = commands;
		this.registry = registry;
		this.retryInterval = retryInterval;
	}

	@Override
	public synchronized void start() {
		if (!this.running) {
			this.running = true;
			if (!this.registry.getContainers().isEmpty()) {
				CustomizableThreadFactory threads = new CustomizableThreadFactory("streams-eviction-check-");
				threads.setDaemon(true);
				this.executor = Executors.newSingleThreadScheduledExecutor(threads);
				this.executor.scheduleWithFixedDelay(this::check, 0, this.retryInterval.toNanos(),
						TimeUnit.NANOSECONDS);
			}
		}
	}

	@Override
	public synchronized void stop() {
		this.running = false;
		shutDown();
	}

	private synchronized void shutDown() {
		if (this.executor != null) {
			this.executor.shutdownNow();
			this.executor = null;
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.running;
	}

	/**
	 * That of the listeners. Since this depends on their registry, Spring starts it after
	 * them and stops it before them.
	 */
	@Override
	public int getPhase() {
		return StreamListenerRegistry.PHASE;
	}

	private void check() {
		try {
			String policy = this.commands.setting(POLICY);
			if (policy != null && policy.startsWith("allkeys")) {
				logger.warn("The Redis server evicts any key when its memory is full, streams and what is in them "
						+ "included: its " + POLICY + " is '" + policy + "'. Use a server for streams that has '"
						+ POLICY + " noeviction', or one of the volatile policies, which spare keys without a time "
						+ "to live");
			}
			shutDown();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("The eviction policy of the Redis server is unknown for now: " + RedisFault.explain(ex));
		}
	}

}
