package io.github.redisstreams.listener;

/**
 * What is to become of an entry after its handler is done. Decided in one place, carried
 * out in another.
 */
sealed interface Outcome {

	/**
	 * Acknowledge it.
	 */
	record Ack() implements Outcome {

	}

	/**
	 * Leave it pending: it is claimed and delivered again once it has been idle for
	 * {@code min-idle}.
	 */
	record Leave() implements Outcome {

	}

}
