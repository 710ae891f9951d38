package io.github.redisstreams.redis;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessResourceFailureException;

/**
 * An entry was added or scheduled, but was not confirmed to be where it was wanted (on
 * replicas, on disk) within the time. It will most likely be handled all the same, and is
 * lost only if the master is, so sending it again may double it.
 */
public class NotDurableException extends DataAccessResourceFailureException {

	private static final long serialVersionUID = 1L;

	private final transient @Nullable EntryId entry;

	/**
	 * Create a new exception.
	 * @param message what was wanted, and what came of it
	 * @param entry the id of the entry, {@code null} if it is scheduled
	 * @param cause what failed, if anything did
	 */
	public NotDurableException(String message, @Nullable EntryId entry, @Nullable Throwable cause) {
		super(message, cause);
		this.entry = entry;
	}

	/**
	 * The entry that was added.
	 * @return its id, {@code null} if it is scheduled
	 */
	public @Nullable EntryId getEntry() {
		return this.entry;
	}

}
