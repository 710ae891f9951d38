package io.github.redisstreams.listener;

import java.io.Serial;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.redis.EntryId;

/**
 * Thrown by a batch listener to say which entries failed; all others of the batch count
 * as handled. Names them by id, or by their {@linkplain #atPositions position} in the
 * list. What becomes of each is decided from its own exception.
 */
public class EntriesFailedException extends Exception {

	@Serial
	private static final long serialVersionUID = 1L;

	private final transient Map<EntryId, Throwable> failures;

	private final transient Map<Integer, Throwable> positions;

	/**
	 * Create a new exception.
	 * @param failures the failed entries and why. Where one of them is not among those
	 * that the handler was called with, all that it was called with count as failed
	 * @throws IllegalArgumentException if there are none
	 */
	public EntriesFailedException(Map<EntryId, ? extends Throwable> failures) {
		this(failures, Map.of(), failures.values());
	}

	private EntriesFailedException(Map<EntryId, ? extends Throwable> failures,
			Map<Integer, ? extends Throwable> positions, Collection<? extends Throwable> causes) {
		super(causes.size() + " entries of the batch failed: "
				+ (failures.isEmpty() ? "at " + positions.keySet() : failures.keySet()),
				causes.stream().findFirst().orElseThrow(() -> new IllegalArgumentException("No failures")));
		this.failures = Map.copyOf(failures);
		this.positions = Map.copyOf(positions);
	}

	/**
	 * Name failed entries by where they are in the list that the handler was called with.
	 * @param failures positions from 0, and why. Where one of them is beyond the list,
	 * all of it counts as failed
	 * @return the exception to throw
	 * @throws IllegalArgumentException if there are none
	 */
	public static EntriesFailedException atPositions(Map<Integer, ? extends Throwable> failures) {
		return new EntriesFailedException(Map.of(), failures, failures.values());
	}

	/**
	 * Which entries of a batch failed, and why.
	 * @param batch the ids of all entries of the batch, in the order in which the handler
	 * was given them
	 * @return failures by entry id
	 */
	public Map<EntryId, Throwable> among(List<EntryId> batch) {
		Map<EntryId, Throwable> found = new LinkedHashMap<>(this.failures);
		boolean allKnown = batch.containsAll(this.failures.keySet());
		for (Map.Entry<Integer, Throwable> failure : this.positions.entrySet()) {
			int position = failure.getKey();
			if (position >= 0 && position < batch.size()) {
				found.put(batch.get(position), failure.getValue());
			}
			else {
				allKnown = false;
			}
		}
		if (!allKnown) {
			found.clear();
			batch.forEach((id) -> found.put(id, this));
		}
		return found;
	}

	/**
	 * The failed entries that were named by id.
	 * @return failures by entry id
	 */
	public Map<EntryId, Throwable> getFailures() {
		return this.failures;
	}

}
