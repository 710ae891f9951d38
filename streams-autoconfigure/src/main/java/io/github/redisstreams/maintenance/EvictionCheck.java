package io.github.redisstreams.maintenance;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.BackgroundWorker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns once, after the start, where the server may evict streams when its memory is
 * full: with one of the {@code allkeys} policies. The others evict only keys with a time
 * to live, which streams do not have. Keeps trying while Redis does not answer, in the
 * background; says nothing where the user may not ask.
 */
public class EvictionCheck extends BackgroundWorker {

	private static final Log logger = LogFactory.getLog(EvictionCheck.class);

	private static final String POLICY = "maxmemory-policy";

	private static final Duration RETRY_INTERVAL = Duration.ofSeconds(5);

	private final StreamCommands commands;

	private final StreamListenerRegistry registry;

	private final Duration retryInterval;

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
		super("streams-eviction-check-", StreamListenerRegistry.PHASE);
		this.commands = commands;
		this.registry = registry;
		this.retryInterval = retryInterval;
	}

	@Override
	protected void schedule(ScheduledExecutorService executor) {
		if (!this.registry.getContainers().isEmpty()) {
			executor.scheduleWithFixedDelay(() -> check(executor), 0, this.retryInterval.toNanos(),
					TimeUnit.NANOSECONDS);
		}
	}

	private void check(ScheduledExecutorService executor) {
		try {
			String policy = this.commands.setting(POLICY);
			if (policy != null && policy.startsWith("allkeys")) {
				logger.warn("The Redis server evicts any key when its memory is full, streams and what is in them "
						+ "included: its " + POLICY + " is '" + policy + "'. Use a server for streams that has '"
						+ POLICY + " noeviction', or one of the volatile policies, which spare keys without a time "
						+ "to live");
			}
			executor.shutdown();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("The eviction policy of the Redis server is unknown for now: " + RedisFault.explain(ex));
		}
	}

}
