package io.github.redisstreams.deadletter;

import java.util.Collection;
import java.util.List;

import org.springframework.data.redis.connection.stream.RecordId;

/**
 * What can be done with dead letters: look at them, put them back into their stream,
 * delete them.
 * <p>
 * The dead letters are named after the stream that they come from, as listeners and
 * {@code StreamTemplate} name it: by its key, or by an entry under
 * {@code redis.streams.listeners}, whose {@code dead-letter.stream} counts too. An id is
 * always that of the dead letter, not the one that the entry had in its stream.
 * <p>
 * All methods wait for Redis, and are safe for use from many threads and processes at
 * once. What they throw if Redis does not do as asked is a
 * {@link org.springframework.dao.DataAccessException} that names the command and the
 * stream. Where there is no dead-letter stream there are no dead letters; that is no
 * error.
 */
public interface DeadLetters {

	/**
	 * How many dead letters there are: {@code XLEN}.
	 * @param name the stream's name
	 * @return their number
	 */
	long count(String name);

	/**
	 * Look at dead letters, oldest first: {@code XRANGE}, a hundred at a time. Changes
	 * nothing.
	 * @param name the stream's name
	 * @param range which of them
	 * @param limit the most to return, at least 1; all of them are held in memory
	 * @return the dead letters; fewer than {@code limit} if there are no more
	 */
	List<DeadLetterEntry> list(String name, DeadLetterRange range, int limit);

	/**
	 * Look at dead letters, newest first: {@code XREVRANGE}, a hundred at a time. Changes
	 * nothing.
	 * @param name the stream's name
	 * @param range which of them
	 * @param limit the most to return, at least 1; all of them are held in memory
	 * @return the dead letters; fewer than {@code limit} if there are no more
	 */
	List<DeadLetterEntry> listNewestFirst(String name, DeadLetterRange range, int limit);

	/**
	 * Put dead letters back into the stream that they come from, at its end: their
	 * original fields byte for byte, and {@link DeadLetterHeaders#REDRIVES}. Every group
	 * of that stream gets them, not only the one that failed.
	 * <p>
	 * Each is moved on its own by one script: {@code XADD}, which never trims, then
	 * {@code XDEL}. So an entry is in one place or the other, whenever the process dies
	 * and however many redrives there are at once; and what Redis refuses stays a dead
	 * letter. Only an entry with more than about 3,900 fields takes two commands, and is
	 * added twice if something comes in between. What becomes a dead letter while this
	 * runs is left.
	 * <p>
	 * The stream is the one that {@link DeadLetterHeaders#STREAM} names. Without that
	 * field, or on a cluster where it is in another slot than the dead letters, it is the
	 * stream that was asked for. A stream that is gone is created.
	 * <p>
	 * An interrupt ends it between two entries: it returns what it has done by then, and
	 * the thread stays interrupted.
	 * @param name the stream's name
	 * @param request which of them, and how
	 * @return what was done
	 * @throws org.springframework.dao.DataAccessException if Redis refuses an entry or is
	 * lost, which ends the redrive; entries put back before that stay so, and it can be
	 * asked for again
	 */
	RedriveResult redrive(String name, Redrive request);

	/**
	 * Delete dead letters for good, oldest first, a hundred at a time.
	 * @param name the stream's name
	 * @param range which of them; what becomes a dead letter while this runs is left
	 * @param maximum the most to delete, at least 1
	 * @return how many were deleted
	 */
	long purge(String name, DeadLetterRange range, long maximum);

	/**
	 * Delete dead letters for good: {@code XDEL}.
	 * @param name the stream's name
	 * @param ids their ids in the dead-letter stream
	 * @return how many were deleted, which is fewer if some were not there
	 * @throws IllegalArgumentException if one is no complete id; nothing is deleted then
	 */
	long purge(String name, Collection<RecordId> ids);

}
