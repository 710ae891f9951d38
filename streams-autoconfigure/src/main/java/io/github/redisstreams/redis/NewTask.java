package io.github.redisstreams.redis;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The task that an entry is, of which the server keeps a record.
 *
 * @param id its id: while there is a task with it that is still to be done, another is
 * refused. {@code null} for the id that the entry will have
 * @param retention for how long to keep the record once it is done, at least a
 * millisecond; zero to keep none
 */
public record NewTask(@Nullable String id, Duration retention) {

	/**
	 * The last field of an entry that is a task. Its value is the task's id, or
	 * {@value #OWN_ID} for that of the entry.
	 */
	public static final String FIELD = "redis_task";

	/**
	 * Stands for the id of the entry.
	 */
	public static final String OWN_ID = "*";

}
