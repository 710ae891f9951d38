package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Finds out whether another live process reads under the same consumer name. Each writes
 * a token of its own to one key now and then; who finds there, after its first time,
 * another's token is not alone.
 */
final class ConsumerPresence {

	private static final Log logger = LogFactory.getLog(ConsumerPresence.class);

	private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(500);

	private static final int MISSED_BEATS = 12;

	private final String listenerId;

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final ScheduledExecutorService timer;

	/** Made by the timer, since the first random number of a process takes a while. */
	private final SingletonSupplier<String> token = SingletonSupplier.of(() -> UUID.randomUUID().toString());

	private final Duration interval;

	private @Nullable ScheduledFuture<?> beats;

	private volatile boolean announced;

	private volatile boolean shared;

	/** Since the other one was last seen. */
	private int beatsAlone;

	ConsumerPresence(String listenerId, ListenerOptions options, StreamCommands commands,
			ScheduledExecutorService timer) {
		this.listenerId = listenerId;
		this.options = options;
		this.commands = commands;
		this.timer = timer;
		Duration interval = options.claimInterval();
		this.interval = (interval.compareTo(SHORTEST_INTERVAL) < 0) ? SHORTEST_INTERVAL : interval;
	}

	synchronized void start() {
		this.beats = this.timer.scheduleWithFixedDelay(this::announce, 0, this.interval.toNanos(),
				TimeUnit.NANOSECONDS);
	}

	synchronized void stop() {
		if (this.beats != null) {
			this.beats.cancel(false);
		}
	}

	boolean isShared() {
		return this.shared;
	}

	private void announce() {
		// The timer would drop a task that throws
		try {
			this.commands
				.announce(this.options.streamConsumer(), this.token.obtain(), this.interval.multipliedBy(MISSED_BEATS))
				.whenComplete((holder, failure) -> {
					if (failure != null) {
						failed(failure);
					}
					else {
						announced(holder);
					}
				});
		}
		catch (RuntimeException | Error ex) {
			failed(ex);
		}
	}

	// That others are not noticed for a while harms nobody; that Redis is away is
	// said elsewhere
	private void failed(Throwable failure) {
		logger.debug("Listener '" + this.listenerId + "' cannot tell whether consumer '" + this.options.consumer()
				+ "' is its own: " + RedisFault.explain(failure));
	}

	private void announced(@Nullable String holder) {
		boolean other = this.announced && holder != null && !holder.equals(this.token.obtain());
		this.announced = true;
		// The other one may announce itself less often
		this.beatsAlone = other ? 0 : this.beatsAlone + 1;
		boolean shared = other || (this.shared && this.beatsAlone < MISSED_BEATS);
		if (shared != this.shared) {
			this.shared = shared;
			if (shared) {
				logger.error("Listener '" + this.listenerId + "' reads as consumer '" + this.options.consumer()
						+ "' of group '" + this.options.group() + "', and so does another live process: each takes up "
						+ "what the other is working on. Give every instance a redis.streams.consumer of its own");
			}
			else {
				logger.info("Listener '" + this.listenerId + "' is alone again as consumer '" + this.options.consumer()
						+ "'");
			}
		}
	}

}
