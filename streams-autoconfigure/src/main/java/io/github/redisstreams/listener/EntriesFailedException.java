package io.github.redisstreams.listener;

import java.io.Serial;
import java.util.Map;

import io.github.redisstreams.redis.EntryId;

/**
 * Thrown by a batch {@link EntryHandler} to say which entries failed; all others of the
 * batch count as handled.
 */
public class EntriesFailedException extends Exception {

	@Serial
	private static final long serialVersionUID = 1L;

	private final transient Map<EntryId, Throwable> failures;

	/**
	 * Create a new exception.
	 * @param failures the failed entries and why. Where one of them is not among those
	 * that the handler was called with, all that it was called with count as failed
	 * @throws IllegalArgumentException if there are none
	 */
	public EntriesFailedException(Map<EntryId, Throwable> failures) {
		super(failures.size() + " entries of the batch failed: " + failures.keySet(),
				failures.values().stream().findFirst().orElseThrow(() -> new IllegalArgumentException("No failures")));
		this.failures = Map.copyOf(failures);
	}

	/**
	 * The failed entries and why.
	 * @return failures by entry id
	 */
	public Map<EntryId, Throwable> getFailures() {
		return this.failures;
	}

}
