package io.github.redisstreams.support;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

import io.github.redisstreams.redis.RedisFault;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Keeps track of whether some recurring work in Redis goes well: logs each change once,
 * however often it fails, and says how long to wait before the next attempt: 200 ms at
 * first, doubled up to 6 seconds, which is about a dozen attempts in the first minute.
 * For use by one thread at a time; others may ask how it goes.
 */
public final class RedisWork {

	private static final Log logger = LogFactory.getLog(RedisWork.class);

	private final String success;

	private final String failure;

	private volatile boolean well;

	private volatile @Nullable RedisFault fault;

	private volatile @Nullable Problem problem;

	private BackOffExecution backOff = startBackOff();

	private RedisWork(String success, String failure, boolean well) {
		this.success = success;
		this.failure = failure;
		this.well = well;
	}

	/**
	 * Work whose first success is worth a line in the log.
	 * @param success what to say then, and when it succeeds again
	 * @param failure what to say when it fails
	 * @return the work
	 */
	public static RedisWork toBegin(String success, String failure) {
		return new RedisWork(success, failure, false);
	}

	/**
	 * Work that is taken to go well until it fails.
	 * @param success what to say when it succeeds again
	 * @param failure what to say when it fails
	 * @return the work
	 */
	public static RedisWork goingWell(String success, String failure) {
		return new RedisWork(success, failure, true);
	}

	private static BackOffExecution startBackOff() {
		ExponentialBackOff backOff = new ExponentialBackOff(200, 2);
		backOff.setMaxInterval(6000);
		// So that the instances of an application do not all come back at once
		backOff.setJitter(50);
		return backOff.start();
	}

	/**
	 * Whether the last attempt succeeded.
	 * @return {@code false} also before the first attempt of work {@linkplain #toBegin to
	 * begin}
	 */
	public boolean isWell() {
		return this.well;
	}

	/**
	 * What is in the way, if anything is.
	 * @return the fault of the last attempt, {@code null} if that succeeded
	 */
	public @Nullable RedisFault fault() {
		return this.fault;
	}

	/**
	 * The same in words.
	 * @return what fails and why, as in the log, {@code null} if the last attempt
	 * succeeded
	 */
	public @Nullable Problem problem() {
		return this.problem;
	}

	/**
	 * Note a success.
	 */
	public void succeeded() {
		if (this.well) {
			return;
		}
		Problem problem = this.problem;
		logger.info(this.success + ((problem != null) ? " again, after " + seconds(problem.since()) + " s" : ""));
		this.well = true;
		this.fault = null;
		this.problem = null;
		this.backOff = startBackOff();
	}

	/**
	 * Note a failure.
	 * @param cause what the attempt failed with
	 * @return how long to wait before the next attempt
	 */
	public Duration failed(Throwable cause) {
		RedisFault fault = RedisFault.of(cause);
		Problem before = this.problem;
		Problem problem = new Problem(this.failure + ": " + fault.description() + " - " + RedisFault.explain(cause),
				(before != null) ? before.since() : Instant.now());
		this.problem = problem;
		if (fault != this.fault) {
			this.fault = fault;
			String message = problem.text() + ". It goes on trying";
			switch (fault) {
				// Nothing is known of it, so the stack trace may help
				case OTHER -> logger.error(message, cause);
				// Waiting does not mend it
				case WRONG_TYPE -> logger.error(message);
				default -> logger.warn(message);
			}
		}
		this.well = false;
		return Duration.ofMillis(this.backOff.nextBackOff());
	}

	private static String seconds(Instant since) {
		return String.format(Locale.ROOT, "%.1f", Duration.between(since, Instant.now()).toMillis() / 1000.0);
	}

	/**
	 * Why some work does not go well.
	 *
	 * @param text what fails and why
	 * @param since when it failed for the first time since it last succeeded
	 */
	public record Problem(String text, Instant since) {

	}

}
