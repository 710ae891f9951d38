package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.function.Consumer;

import org.springframework.dao.DataAccessException;

/**
 * One consumer's reads, over a connection of their own that lives as long as the reader.
 * The connection never reconnects by itself: Lettuce would send the read again, and the
 * entries of the lost reply would stay in the pending list unseen. After any
 * {@link DataAccessException} the reader is done: close it, open another, and have what
 * is {@linkplain StreamCommands#pending pending under the consumer}
 * {@linkplain StreamCommands#redeliver delivered once more}.
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
	 * @param count the most entries to return. Fewer may come though there are more,
	 * since no command is to hold up the server for a millisecond
	 * @return the entries, with the cursor for the next call
	 */
	EntryBatch claim(EntryId cursor, Duration minIdle, int count);

	/**
	 * Read entries that the group was never given: {@code XREADGROUP ... >}.
	 * @param count the most entries to return
	 * @param block how long to wait for the first one; less than a millisecond means not
	 * at all. The server rounds it up to its tick of about 100 ms
	 * @param taker is given the entries as soon as the reply is there, before the caller
	 * is woken, and so as a rule on a thread of the connection: it must neither block nor
	 * start threads
	 * @return the entries, none if the time ran out
	 */
	EntryBatch readNew(int count, Duration block, Consumer<EntryBatch> taker);

	/**
	 * Read entries that the group was never given: {@code XREADGROUP ... >}.
	 * @param count the most entries to return
	 * @param block how long to wait for the first one
	 * @return the entries, none if the time ran out
	 */
	default EntryBatch readNew(int count, Duration block) {
		return readNew(count, block, (batch) -> {
		});
	}

	/**
	 * Take over idle entries as {@link #claim} does and read new ones, in one command
	 * that ends its wait when an entry has become idle: {@code XREADGROUP ... CLAIM}.
	 * Deleted entries are passed over and stay pending. Only for servers with
	 * {@link ServerInfo.Capability#READ_AND_CLAIM}.
	 * @param count the most entries to return
	 * @param block how long to wait for the first one, as for {@link #readNew}
	 * @param minIdle how long an entry must have been idle
	 * @param taker is given the entries, as by {@link #readNew}
	 * @return the entries, none if the time ran out
	 */
	EntryBatch claimAndReadNew(int count, Duration block, Duration minIdle, Consumer<EntryBatch> taker);

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
