package io.github.redisstreams.listener.failure;

import java.time.Duration;

import org.springframework.util.Assert;

/**
 * What is to become of an entry after its handler is done. Decided in one place, carried
 * out in Redis in another.
 */
public sealed interface Outcome {

	/**
	 * Acknowledge it: {@code XACK}.
	 */
	record Ack() implements Outcome {

	}

	/**
	 * Deliver it again, here, after a delay. It stays pending and leased to this consumer
	 * meanwhile, and holds no handler.
	 *
	 * @param delay how long to wait, zero or more
	 */
	record Retry(Duration delay) implements Outcome {

		public Retry {
			Assert.isTrue(!delay.isNegative(), "A retry cannot be delayed by less than nothing");
		}

	}

	/**
	 * Move it to the dead-letter stream. Where dead letters are disabled it is delivered
	 * again instead, at the longest retry interval, since it must not be lost.
	 *
	 * @param reason why, in words
	 */
	record DeadLetter(String reason) implements Outcome {

	}

	/**
	 * Leave it pending and give up the lease: some consumer claims it once it has been
	 * idle for {@code min-idle}.
	 */
	record Leave() implements Outcome {

	}

}
