package io.github.redisstreams.redis;

import java.util.Locale;

/**
 * What has become of a task.
 */
public enum TaskState {

	/**
	 * It is to be added to its stream at a later time.
	 */
	SCHEDULED,

	/**
	 * It is in its stream and waits for a handler: for the first time, or after a failure
	 * for the next.
	 */
	QUEUED,

	/**
	 * A handler has begun with it.
	 */
	RUNNING,

	/**
	 * It was handled.
	 */
	COMPLETED,

	/**
	 * Its handler has failed, and it was acknowledged all the same.
	 */
	FAILED,

	/**
	 * It is a dead letter.
	 */
	DEAD;

	/**
	 * Whether it is still to be done.
	 * @return whether it is scheduled, queued or running
	 */
	public boolean isActive() {
		return ordinal() <= RUNNING.ordinal();
	}

	String text() {
		return name().toLowerCase(Locale.ROOT);
	}

	static TaskState of(String text) {
		return valueOf(text.toUpperCase(Locale.ROOT));
	}

}
