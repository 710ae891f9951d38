package io.github.redisstreams.redis;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The part of the port to Redis that writes to streams: entries that are added now, and
 * such that are scheduled, kept in a sorted set beside the stream and moved into it when
 * they are due. Times are by the server's clock.
 * <p>
 * As with {@link StreamCommands}, methods do not wait for the reply, but may have to
 * connect first, and a failed stage carries a
 * {@link org.springframework.dao.DataAccessException} that names the command and the
 * stream. Whatever fails has changed nothing, unless the reply was lost.
 * <p>
 * Not for applications to implement: methods will be added.
 */
public interface PublishCommands {

	/**
	 * Add an entry: {@code XADD stream * name value ...}, in a script together with what
	 * else the entry asks for (a task, trimming).
	 * @param entry the entry
	 * @return its id, or why it was refused
	 */
	CompletionStage<Added> add(NewEntry entry);

	/**
	 * Add entries in one pipeline and in their order, of which only some thousands are
	 * under way at a time: it waits for the replies to others. And have them be where
	 * they are wanted: {@code WAIT}, or {@code WAITAOF}, after them and over the same
	 * connection, which then is not the shared one.
	 * @param entries the entries, all of one stream
	 * @param durability where they are to be
	 * @return for each entry its id, or why it was refused, or what failed; with a
	 * {@link NotDurableException} it was added
	 */
	List<CompletionStage<Added>> addAll(List<NewEntry> entries, Durability durability);

	/**
	 * Schedule an entry, or add it if it is due, in one script: {@code ZADD} and
	 * {@code HSET}, or {@code XADD}.
	 * @param entry the entry
	 * @param id its id while it is scheduled, also that of its task if it is one
	 * @param due when it is due
	 * @param durability where it is to be
	 * @return in how long it is due; or its id in the stream if it was due; or why it was
	 * refused
	 */
	CompletionStage<Added> schedule(NewEntry entry, String id, DueTime due, Durability durability);

	/**
	 * Drop a scheduled entry in one script: {@code ZREM}, then {@code DEL}.
	 * @param stream the stream's key
	 * @param id its id
	 * @return whether it was still scheduled
	 */
	CompletionStage<Boolean> cancel(String stream, String id);

	/**
	 * Have a scheduled entry be due at another time, in one script: {@code ZADD ... XX}.
	 * @param stream the stream's key
	 * @param id its id
	 * @param due when it is due
	 * @return whether it was still scheduled
	 */
	CompletionStage<Boolean> reschedule(String stream, String id, DueTime due);

	/**
	 * Move entries that are due into their stream, the earliest first, in one script:
	 * {@code ZRANGEBYSCORE}, and for each {@code HGETALL}, {@code XADD}, {@code DEL} and
	 * {@code ZREM}. A few only, so that it takes the server a few milliseconds at most.
	 * @param stream the stream's key
	 * @param trimming how to trim the stream at the same time
	 * @return what came of it
	 */
	CompletionStage<Promotion> promote(String stream, Trimming trimming);

	/**
	 * How many entries are scheduled: {@code ZCARD}.
	 * @param stream the stream's key
	 * @return their number
	 */
	long scheduled(String stream);

}
