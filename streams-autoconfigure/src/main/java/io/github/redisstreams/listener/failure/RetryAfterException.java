package io.github.redisstreams.listener.failure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Thrown by a handler that knows when trying again may succeed, such as after the time
 * that a remote service asked for. Counts wherever it stands among the causes. The last
 * allowed delivery goes to the dead letters all the same.
 */
@SuppressWarnings("serial")
public class RetryAfterException extends RuntimeException {

	private final Duration delay;

	/**
	 * Create a new exception.
	 * @param delay how long to wait, zero or more
	 * @param message why, in words
	 */
	public RetryAfterException(Duration delay, String message) {
		this(delay, message, null);
	}

	/**
	 * Create a new exception.
	 * @param delay how long to wait, zero or more
	 * @param message why, in words
	 * @param cause what led to it
	 */
	public RetryAfterException(Duration delay, String message, @Nullable Throwable cause) {
		super(message, cause);
		Assert.isTrue(!delay.isNegative(), "A retry cannot be delayed by less than nothing");
		this.delay = delay;
	}

	/**
	 * How long to wait.
	 * @return the delay, zero or more
	 */
	public Duration getDelay() {
		return this.delay;
	}

}
