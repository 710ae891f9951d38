package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Suspends a listener when nearly everything that it handles fails, which says more about
 * the world around than about the entries. While suspended one entry at a time is tried,
 * after pauses that grow, until one succeeds.
 */
final class FailureCircuit {

	private static final Log logger = LogFactory.getLog(FailureCircuit.class);

	private static final int BUCKETS = 10;

	private final String listenerId;

	private final CircuitOptions options;

	private final ContainerCounters counters;

	private final Runnable changed;

	private final ReentrantLock lock = new ReentrantLock();

	private final long bucketNanos;

	private final long[] handled = new long[BUCKETS];

	private final long[] failed = new long[BUCKETS];

	private long latestBucket;

	private volatile boolean closed = true;

	/** Whether an entry is being tried. */
	private boolean trying;

	private long openedAt;

	private long nextTry;

	private Duration pause;

	/**
	 * Create a new circuit, closed.
	 * @param changed is called whenever it opens or closes
	 */
	FailureCircuit(String listenerId, CircuitOptions options, ContainerCounters counters, Runnable changed) {
		this.listenerId = listenerId;
		this.options = options;
		this.counters = counters;
		this.changed = changed;
		this.bucketNanos = Math.max(1, options.window().toNanos() / BUCKETS);
		this.latestBucket = System.nanoTime() / this.bucketNanos;
		this.pause = options.initialPause();
	}

	/**
	 * Whether everything may be handled.
	 */
	boolean isClosed() {
		return this.closed;
	}

	/**
	 * How long to wait before it is worth asking {@link #tryStart()}: zero if it is now.
	 */
	Duration untilNextTry() {
		if (this.closed) {
			return Duration.ZERO;
		}
		this.lock.lock();
		try {
			if (this.closed) {
				return Duration.ZERO;
			}
			return this.trying ? this.options.initialPause()
					: Duration.ofNanos(Math.max(0, this.nextTry - System.nanoTime()));
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Ask to start a handler. Whoever may must {@linkplain #record record} the result.
	 */
	Permit tryStart() {
		if (this.closed) {
			return Permit.NORMAL;
		}
		this.lock.lock();
		try {
			if (this.closed) {
				return Permit.NORMAL;
			}
			if (this.trying || this.nextTry - System.nanoTime() > 0) {
				return Permit.NONE;
			}
			this.trying = true;
			return Permit.TRIAL;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * A handler is done.
	 * @param permit what it was started with
	 * @param succeeded how many entries it handled
	 * @param failures how many it failed on in a way that trying again may mend
	 */
	void record(Permit permit, int succeeded, int failures) {
		if (!this.options.enabled()) {
			return;
		}
		this.lock.lock();
		try {
			if (this.closed) {
				count(succeeded, failures);
				if (failures > 0 && isTimeToOpen()) {
					open();
				}
			}
			else if (succeeded > 0) {
				close();
			}
			// That what was still running when it opened fails too tells nothing new
			else if (permit == Permit.TRIAL) {
				this.trying = false;
				if (failures > 0) {
					lengthenPause();
				}
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void count(int succeeded, int failures) {
		long bucket = System.nanoTime() / this.bucketNanos;
		long behind = Math.min(BUCKETS, bucket - this.latestBucket);
		for (long i = 1; i <= behind; i++) {
			int stale = Math.floorMod(this.latestBucket + i, BUCKETS);
			this.handled[stale] = 0;
			this.failed[stale] = 0;
		}
		this.latestBucket = bucket;
		int index = Math.floorMod(bucket, BUCKETS);
		this.handled[index] += succeeded + failures;
		this.failed[index] += failures;
	}

	private boolean isTimeToOpen() {
		long failures = Arrays.stream(this.failed).sum();
		return failures >= this.options.minimumFailures()
				&& failures >= this.options.failureRate() * Arrays.stream(this.handled).sum();
	}

	private void open() {
		logger.warn("Listener '" + this.listenerId + "' is suspended, since it failed on "
				+ Arrays.stream(this.failed).sum() + " of the " + Arrays.stream(this.handled).sum()
				+ " entries that it handled within " + this.options.window().toMillis()
				+ " ms. It tries one entry now and then and goes on once that succeeds");
		this.counters.suspensions.increment();
		this.closed = false;
		this.trying = false;
		this.openedAt = System.nanoTime();
		this.pause = this.options.initialPause();
		this.nextTry = this.openedAt + this.pause.toNanos();
		this.changed.run();
	}

	private void lengthenPause() {
		Duration doubled = this.pause.multipliedBy(2);
		this.pause = (doubled.compareTo(this.options.maxPause()) < 0) ? doubled : this.options.maxPause();
		this.nextTry = System.nanoTime() + this.pause.toNanos();
	}

	private void close() {
		logger.info("Listener '" + this.listenerId + "' goes on, after it was suspended for "
				+ Duration.ofNanos(System.nanoTime() - this.openedAt).toSeconds() + " s");
		Arrays.fill(this.handled, 0);
		Arrays.fill(this.failed, 0);
		this.trying = false;
		this.closed = true;
		this.changed.run();
	}

	/**
	 * Whether a handler may start.
	 */
	enum Permit {

		/**
		 * As always.
		 */
		NORMAL,

		/**
		 * To find out whether handlers succeed again.
		 */
		TRIAL,

		/**
		 * Not now.
		 */
		NONE

	}

}
