package io.github.redisstreams.listener;

import io.github.redisstreams.listener.failure.Outcome;

/**
 * Carries out in Redis what was decided about an entry.
 */
@FunctionalInterface
public interface Settlement {

	/**
	 * Carry out an outcome. Does not block.
	 * @param delivery the entry
	 * @param outcome what is to become of it
	 */
	void settle(Delivery delivery, Outcome outcome);

}
