package io.github.redisstreams.publish;

import java.util.Optional;

import io.github.redisstreams.redis.StreamTask;

/**
 * Tells what has become of tasks: of entries that were sent with a key, and of all
 * entries of a stream where {@code redis.streams.publisher.tracking.enabled} is set.
 */
public interface StreamTasks {

	/**
	 * Look up a task ({@code HGETALL}).
	 * @param stream the stream's name
	 * @param id the task's id: the key that it was sent with, or what {@code sendAt} or
	 * {@code sendAfter} returned, or else the id of its entry
	 * @return the task; empty if there is none, or if it was done and its record is not
	 * kept any more
	 * @throws org.springframework.dao.DataAccessException if Redis does not tell
	 */
	Optional<StreamTask> find(String stream, String id);

}
