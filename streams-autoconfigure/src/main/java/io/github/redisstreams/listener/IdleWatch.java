package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Notices when a container that reads has had nothing to do for a while. For the poller's
 * thread.
 */
final class IdleWatch {

	private final long interval;

	private final InFlightLimiter limiter;

	private final Consumer<Duration> listener;

	private long readingSince = System.nanoTime();

	private long toldAt = this.readingSince;

	/**
	 * Create a new watch.
	 * @param interval after how long to tell, and how often; zero for never
	 * @param limiter knows what the container holds
	 * @param listener is told for how long there has been nothing to do
	 */
	IdleWatch(Duration interval, InFlightLimiter limiter, Consumer<Duration> listener) {
		this.interval = interval.toNanos();
		this.limiter = limiter;
		this.listener = listener;
	}

	/**
	 * The container begins to read, or to read again: until now it could not know whether
	 * there was anything to do.
	 */
	void begin() {
		this.readingSince = System.nanoTime();
		this.toldAt = this.readingSince;
	}

	/**
	 * The container has looked for entries.
	 */
	void look() {
		if (this.interval == 0) {
			return;
		}
		long now = System.nanoTime();
		long idle = Math.min(now - this.readingSince, this.limiter.idleNanos());
		if (idle >= this.interval && now - this.toldAt >= this.interval) {
			this.toldAt = now;
			this.listener.accept(Duration.ofNanos(idle));
		}
	}

}
