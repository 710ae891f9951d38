package io.github.redisstreams.publish;

import java.time.Duration;
import java.util.Collection;

/**
 * Is told what happens as streams are written to, on the thread on which it happened,
 * which may be one of a Redis connection: must not block.
 */
public interface PublishEvents {

	/**
	 * Entries were trimmed that some group of the stream had still to be given.
	 * @param stream the stream's key
	 * @param count how many
	 */
	default void trimmedUndelivered(String stream, long count) {
	}

	/**
	 * An entry was scheduled, or given another time.
	 * @param stream the stream's key
	 * @param dueIn in how long it is due
	 */
	default void scheduled(String stream, Duration dueIn) {
	}

	/**
	 * Scheduled entries were moved into their stream.
	 * @param stream the stream's key
	 * @param lateness how long after its due time each was
	 */
	default void promoted(String stream, Collection<Duration> lateness) {
	}

}
