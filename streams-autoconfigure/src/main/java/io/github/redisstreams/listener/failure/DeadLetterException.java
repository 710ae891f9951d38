package io.github.redisstreams.listener.failure;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that knows that trying again is of no use: the entry goes to the
 * dead-letter stream at once. Counts wherever it stands among the causes.
 */
@SuppressWarnings("serial")
public class DeadLetterException extends RuntimeException {

	/**
	 * Create a new exception.
	 * @param reason why, in words
	 */
	public DeadLetterException(String reason) {
		this(reason, null);
	}

	/**
	 * Create a new exception.
	 * @param reason why, in words
	 * @param cause what led to it
	 */
	public DeadLetterException(String reason, @Nullable Throwable cause) {
		super(reason, cause);
	}

}
