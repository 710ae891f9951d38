package io.github.redisstreams.publish;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redisstreams.redis.NewTask;
import io.github.redisstreams.redis.TrimMode;
import io.github.redisstreams.redis.Trimming;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * A stream that is written to. It is trimmed with one entry out of so many: trimming is
 * by whole nodes of some dozens of entries in any case, and takes a script.
 */
final class PublishedStream {

	private static final Log logger = LogFactory.getLog(PublishedStream.class);

	private static final long MOST_BETWEEN = 100;

	/** The server's time is what limits how fast many are sent together. */
	private static final long MOST_BETWEEN_TOGETHER = 500;

	/** So that many slow writers do not exceed the bounds by much together. */
	private static final long LONGEST_BETWEEN = Duration.ofSeconds(1).toNanos();

	private static final long WARNING_INTERVAL = Duration.ofSeconds(10).toNanos();

	private final String key;

	private final PublisherOptions options;

	private final PublishEvents events;

	private final long between;

	private final long betweenTogether;

	private final AtomicLong written = new AtomicLong();

	private volatile long lastTrim;

	private final AtomicLong lost = new AtomicLong();

	private final LongSupplier nanoTime;

	private final AtomicLong nextWarning;

	private volatile boolean warnedOfRefusal;

	PublishedStream(String key, PublisherOptions options, PublishEvents events) {
		this(key, options, events, System::nanoTime);
	}

	PublishedStream(String key, PublisherOptions options, PublishEvents events, LongSupplier nanoTime) {
		this.key = key;
		this.options = options;
		this.events = events;
		this.nanoTime = nanoTime;
		this.nextWarning = new AtomicLong(nanoTime.getAsLong());
		this.between = between(MOST_BETWEEN, options.trimming().maxLength());
		this.betweenTogether = between(MOST_BETWEEN_TOGETHER, options.trimming().maxLength());
	}

	private static long between(long most, long maxLength) {
		return (maxLength > 0) ? Math.max(1, Math.min(most, maxLength / 10)) : most;
	}

	String key() {
		return this.key;
	}

	PublisherOptions options() {
		return this.options;
	}

	/**
	 * How to trim with the next entry: not at all, most of the time.
	 */
	Trimming trimming() {
		return trimming(this.between);
	}

	/**
	 * The same for an entry that is sent together with others.
	 */
	Trimming trimmingTogether() {
		return trimming(this.betweenTogether);
	}

	private Trimming trimming(long between) {
		Trimming trimming = this.options.trimming();
		if (trimming.mode() == TrimMode.NONE || (trimming.maxLength() == 0 && trimming.retention().isZero())) {
			return Trimming.NONE;
		}
		long now = this.nanoTime.getAsLong();
		if (this.written.getAndIncrement() % between == 0 || now - this.lastTrim > LONGEST_BETWEEN) {
			this.lastTrim = now;
			return trimming;
		}
		return Trimming.NONE;
	}

	/**
	 * Have the next entry trim, since the one that was to do it was not added.
	 */
	void trimWithNext() {
		this.written.set(0);
	}

	/**
	 * The task that an entry with a certain key is, if it is one.
	 */
	@Nullable NewTask task(@Nullable String key) {
		if (this.options.tracking()) {
			return new NewTask(key, this.options.taskRetention());
		}
		return (key != null) ? new NewTask(key, Duration.ZERO) : null;
	}

	/**
	 * Say what trimming has cost.
	 * @param undelivered how many entries are gone that some group had still to be given,
	 * or -1 if the user may not trim
	 */
	void trimmed(long undelivered) {
		if (undelivered > 0) {
			this.events.trimmedUndelivered(this.key, undelivered);
			this.lost.addAndGet(undelivered);
			warnOfLoss();
		}
		else if (undelivered < 0 && !this.warnedOfRefusal) {
			this.warnedOfRefusal = true;
			logger.warn("Stream '" + this.key + "' is not trimmed and grows: this user of Redis may not send one of "
					+ "EVALSHA, EVAL, XINFO GROUPS, XPENDING, XRANGE, XLEN, XTRIM and TIME");
		}
	}

	// A line for every hundred entries would be the next thing to run out of bounds
	private void warnOfLoss() {
		long now = this.nanoTime.getAsLong();
		long next = this.nextWarning.get();
		if (now - next >= 0 && this.nextWarning.compareAndSet(next, now + WARNING_INTERVAL)) {
			long count = this.lost.getAndSet(0);
			Trimming trimming = this.options.trimming();
			logger.warn(count + " entries of stream '" + this.key + "' were trimmed that a group had still to be "
					+ "given, and are lost to it: it does not keep up, and with trim 'strict' the stream keeps to its "
					+ Stream
						.of((trimming.maxLength() > 0) ? "max-length of " + trimming.maxLength() : "",
								trimming.retention().isZero() ? "" : "retention of " + trimming.retention())
						.filter(StringUtils::hasLength)
						.collect(Collectors.joining(" and its ")));
		}
	}

}
