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
	 * @param failures the failed entries and why, not empty
	 */
	public EntriesFailedException(Map<EntryId, Throwable> failures) {
		super(failures.size() + " entries of the batch failed: " + failures.keySet(),
				failures.values().iterator().next());
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
