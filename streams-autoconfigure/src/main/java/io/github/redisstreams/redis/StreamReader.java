package io.github.redisstreams.redis;

import java.time.Duration;

import org.springframework.dao.DataAccessException;

/**
 * One consumer's reads, over a connection of their own that lives as long as the reader.
 * The connection never reconnects by itself: Lettuce would send the read again, and the
 * entries of the lost reply would stay in the pending list unseen. After any
 * {@link DataAccessException} the reader is done: close it, open another, and
 * {@linkplain #readOwn replay} what is pending under the consumer.
 * <p>
 * For use by one thread, but for {@link #unblock()}. Not for applications to implement:
 * methods will be added.
 */
public interface StreamReader extends AutoCloseable {

	/**
	 * Take over entries that have been pending for at least {@code minIdle}, whoever had
	 * them: {@code XAUTOCLAIM}. Raises their delivery count.
	 * @param cursor where to go on; {@link EntryId#ZERO} for a new sweep
	 * @param minIdle how long an entry must have been idle
	 * @param count the most entries to return
	 * @return the entries, with the cursor for the next call
	 */
	EntryBatch claim(EntryId cursor, Duration minIdle, int count);

	/**
	 * Read entries that the group was never given: {@code XREADGROUP ... >}.
	 * @param count the most entries to return
	 * @param block how long to wait for the first one; less than a millisecond means not
	 * at all. The server rounds it up to its tick of about 100 ms
	 * @return the entries, none if the time ran out
	 */
	EntryBatch readNew(int count, Duration block);

	/**
	 * Read again what is pending under this consumer, oldest first:
	 * {@code XREADGROUP ... <id>}. Raises the delivery count of the entries returned.
	 * @param after the id to go on after; {@link EntryId#ZERO} for the first
	 * @param count the most entries to return
	 * @return the entries, and as deleted those whose bodies are gone but which are still
	 * pending
	 */
	EntryBatch readOwn(EntryId after, int count);

	/**
	 * End a blocked {@link #readNew} early and without loss: {@code CLIENT UNBLOCK}. Does
	 * nothing where that is not permitted or not possible (on a cluster); the read then
	 * ends when its time has run out. Does not wait for the reply and never throws.
	 */
	void unblock();

	/**
	 * Close the connection.
	 */
	@Override
	void close();

}
