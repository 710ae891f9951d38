package io.github.redisstreams.listener.failure;

import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import io.github.redisstreams.redis.StreamEntry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What one listener does with failed entries: exceptions that carry a decision first,
 * then fatal kinds and the last allowed delivery to the dead letters, everything else
 * again after a growing delay. A {@link FailureHandler} may decide otherwise.
 */
public final class FailurePolicy {

	private static final Log logger = LogFactory.getLog(FailurePolicy.class);

	private final String listenerId;

	private final int maxDeliveries;

	private final RetryOptions retry;

	private final @Nullable FailureHandler handler;

	/**
	 * Create a new policy.
	 * @param listenerId the listener's id
	 * @param maxDeliveries how often an entry is delivered at most
	 * @param retry when to retry, and what
	 * @param handler decides instead of this, if there is one
	 */
	public FailurePolicy(String listenerId, int maxDeliveries, RetryOptions retry, @Nullable FailureHandler handler) {
		this.listenerId = listenerId;
		this.maxDeliveries = maxDeliveries;
		this.retry = retry;
		this.handler = handler;
	}

	/**
	 * Decide what becomes of an entry.
	 * @param entry the entry
	 * @param cause what its handler threw
	 * @return the outcome
	 */
	public Outcome decide(StreamEntry entry, Throwable cause) {
		Outcome outcome = byDefault(entry, cause);
		if (this.handler == null) {
			return outcome;
		}
		// A mistake in the handler must cost neither the entry nor the worker
		try {
			Outcome decided = this.handler.handle(new Failure(this.listenerId, entry, cause, outcome));
			Objects.requireNonNull(decided, "It returned null");
			return (decided instanceof Outcome.Retry && isExhausted(entry)) ? lastDelivery(entry) : decided;
		}
		// In Kotlin it may throw checked exceptions, too
		catch (Throwable ex) {
			logger.error("The FailureHandler of listener '" + this.listenerId + "' failed; entry " + entry.id()
					+ " is treated as without it", ex);
			return outcome;
		}
	}

	private Outcome byDefault(StreamEntry entry, Throwable cause) {
		DeadLetterException deadLetter = FailureClassifier.find(cause, DeadLetterException.class);
		if (deadLetter != null) {
			return new Outcome.DeadLetter(String.valueOf(deadLetter.getMessage()));
		}
		if (isExhausted(entry)) {
			return lastDelivery(entry);
		}
		RetryAfterException retryAfter = FailureClassifier.find(cause, RetryAfterException.class);
		if (retryAfter != null) {
			return new Outcome.Retry(retryAfter.getDelay());
		}
		if (isFatal(cause)) {
			return new Outcome.DeadLetter("cannot succeed: " + cause.getClass().getName());
		}
		return new Outcome.Retry(this.retry.delay(entry.deliveryCount(), ThreadLocalRandom.current().nextDouble()));
	}

	private Outcome lastDelivery(StreamEntry entry) {
		return new Outcome.DeadLetter("failed at delivery " + entry.deliveryCount() + " of " + this.maxDeliveries);
	}

	private boolean isExhausted(StreamEntry entry) {
		return entry.deliveryCount() >= this.maxDeliveries;
	}

	/**
	 * Whether trying again is of no use, whatever the state of the world.
	 * @param cause what a handler threw
	 * @return whether it is fatal
	 */
	public boolean isFatal(Throwable cause) {
		if (FailureClassifier.find(cause, DeadLetterException.class) != null) {
			return true;
		}
		return FailureClassifier.find(cause, RetryAfterException.class) == null
				&& !FailureClassifier.isRetryable(cause, this.retry);
	}

}
