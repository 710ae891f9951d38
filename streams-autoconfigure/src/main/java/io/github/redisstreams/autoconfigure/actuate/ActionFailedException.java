package io.github.redisstreams.autoconfigure.actuate;

import java.io.Serial;

/**
 * Redis did not do what an action is about, or it could not be begun.
 */
class ActionFailedException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	private final boolean unavailable;

	/**
	 * Create a new exception.
	 * @param message what is wrong, in words
	 * @param unavailable whether it may work later, with nothing else changed
	 * @param cause what was thrown
	 */
	ActionFailedException(String message, boolean unavailable, Throwable cause) {
		super(message, cause);
		this.unavailable = unavailable;
	}

	boolean isUnavailable() {
		return this.unavailable;
	}

}
