package io.github.redisstreams.sample;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Counts what this instance has done, and says so in the log from time to time.
 */
@Component
class OrderStats {

	private static final Logger logger = LoggerFactory.getLogger(OrderStats.class);

	private static final int LOG_INTERVAL = 10;

	private final AtomicLong handled = new AtomicLong();

	private final AtomicLong handledAgain = new AtomicLong();

	private final AtomicLong failed = new AtomicLong();

	private final AtomicLong reminded = new AtomicLong();

	private Counts logged = new Counts(0, 0, 0, 0);

	void handled(long attempt) {
		this.handled.incrementAndGet();
		if (attempt > 1) {
			this.handledAgain.incrementAndGet();
		}
	}

	void failed() {
		this.failed.incrementAndGet();
	}

	void reminded() {
		this.reminded.incrementAndGet();
	}

	Counts counts() {
		return new Counts(this.handled.get(), this.handledAgain.get(), this.failed.get(), this.reminded.get());
	}

	@Scheduled(initialDelay = LOG_INTERVAL, fixedRate = LOG_INTERVAL, timeUnit = TimeUnit.SECONDS)
	void log() {
		Counts now = counts();
		if (!now.equals(this.logged)) {
			logger.info(
					"Last {} s: {} orders handled, {} of them at a later attempt; {} attempts failed; {} reminders sent",
					LOG_INTERVAL, now.handled() - this.logged.handled(),
					now.handledAtLaterAttempt() - this.logged.handledAtLaterAttempt(),
					now.failedAttempts() - this.logged.failedAttempts(), now.reminders() - this.logged.reminders());
			this.logged = now;
		}
	}

	/**
	 * What this instance has done since it started.
	 *
	 * @param handled the orders that were handled
	 * @param handledAtLaterAttempt those of them whose first attempt had failed
	 * @param failedAttempts how often handling has failed
	 * @param reminders the reminders that were sent
	 */
	record Counts(long handled, long handledAtLaterAttempt, long failedAttempts, long reminders) {

	}

}
