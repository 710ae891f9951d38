package io.github.redisstreams.publish;

import java.time.Duration;
import java.util.Collection;

/**
 * Is told what happens as streams are written to, by the thread that sends or moves
 * entries: what takes long holds that up, and what is thrown would look like a failure of
 * it. Of what is sent asynchronously it is told by the thread that completes the future.
 */
public interface PublishEvents {

	/**
	 * A stream is about to be written to for the first time, or for the first time in
	 * long where there are very many streams.
	 * @param stream the stream's key
	 */
	default void firstWrite(String stream) {
	}

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
