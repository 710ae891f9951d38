package io.github.redisstreams.listener;

import java.util.List;

/**
 * What a container calls with the entries that it has read. Annotated methods are adapted
 * to this; a handler may also be registered directly, through an endpoint.
 */
@FunctionalInterface
public interface EntryHandler {

	/**
	 * Handle entries. Runs on a worker thread; as many run at once as the listener's
	 * {@code concurrency} says.
	 * @param deliveries one entry, or for a batch handler as many as one read returned
	 * @throws EntriesFailedException to name those that failed; all others count as
	 * handled
	 * @throws Exception any other: all entries of the call failed
	 */
	void handle(List<Delivery> deliveries) throws Exception;

	/**
	 * Whether the handler takes many entries at once.
	 * @return {@code false} unless overridden: each call then has one entry
	 */
	default boolean isBatch() {
		return false;
	}

}
