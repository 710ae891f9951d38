package io.github.redisstreams.listener.failure;

import io.github.redisstreams.redis.StreamEntry;

/**
 * A handler's failure on one entry.
 *
 * @param listenerId the listener's id
 * @param entry the entry, which knows how often it was delivered
 * @param cause what the handler threw
 * @param defaultOutcome what becomes of the entry unless a {@link FailureHandler} says
 * otherwise
 */
public record Failure(String listenerId, StreamEntry entry, Throwable cause, Outcome defaultOutcome) {

	/**
	 * How often the group has delivered the entry, this time included, by the server's
	 * count.
	 * @return the delivery count, 1 for the first
	 */
	public long deliveryCount() {
		return this.entry.deliveryCount();
	}

}
