package io.github.redisstreams.sample;

import java.io.Serial;

/**
 * The failure that the sample makes up. Where it comes from is known, so it has no stack
 * trace to fill the log with.
 */
class BillingUnavailableException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	BillingUnavailableException(String message) {
		super(message, null, false, false);
	}

}
