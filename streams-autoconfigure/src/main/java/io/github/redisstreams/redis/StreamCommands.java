package io.github.redisstreams.redis;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

import org.springframework.dao.DataAccessException;

/**
 * The only port to Redis. All that the listeners and the publisher do in Redis goes
 * through here and through the {@link StreamReader}s that it opens, always to the master.
 * <p>
 * Every method is safe for use from many threads. Methods that return a
 * {@link CompletionStage} do not wait for the reply, but may have to connect first, so
 * they must not be called on a thread of a Redis connection. A failed stage, like a
 * thrown exception, carries a {@link DataAccessException} that names the command and the
 * stream, and {@link RedisFault#of} tells what it means.
 * <p>
 * Not for applications to implement: methods will be added.
 */
public interface StreamCommands {

	/**
	 * What the server is and can do. Asked once; later calls return what was found.
	 * @return the server
	 * @throws DataAccessException if Redis cannot be reached
	 * @throws io.github.redisstreams.StreamsConfigurationException if the server is older
	 * than Redis 6.2
	 */
	ServerInfo serverInfo();

	/**
	 * Create a consumer group, and the stream where it is missing:
	 * {@code XGROUP CREATE stream group start MKSTREAM}. A group that is there already
	 * stays as it is.
	 * @param stream the stream's key
	 * @param group the group's name
	 * @param start the id after which the group starts; {@code 0} for all, {@code $} for
	 * new entries only
	 * @return whether this call created the group
	 */
	boolean createGroup(String stream, String group, String start);

	/**
	 * Open a connection of its own for one consumer's reads.
	 * @param stream the stream's key
	 * @param group the group's name
	 * @param consumer the consumer's name
	 * @return the reader, to be closed after the first failure and when done
	 */
	StreamReader openReader(String stream, String group, String consumer);

	/**
	 * Acknowledge entries in one {@code XACK}.
	 * @param stream the stream's key
	 * @param group the group's name
	 * @param ids the entries
	 * @return how many were pending; 0 is no error
	 */
	CompletionStage<Long> acknowledge(String stream, String group, Collection<EntryId> ids);

	/**
	 * Add an entry: {@code XADD stream * name value ...}.
	 * @param stream the stream's key
	 * @param namesAndValues field names and values in turn, at least one pair
	 * @return the id that the server chose
	 */
	CompletionStage<EntryId> add(String stream, List<byte[]> namesAndValues);

	/**
	 * The groups of a stream: {@code XINFO GROUPS}.
	 * @param stream the stream's key
	 * @return its groups
	 * @throws DataAccessException if there is no such stream, too
	 */
	List<GroupInfo> groups(String stream);

	/**
	 * Count the entries after an id, on the server, without fetching them.
	 * @param stream the stream's key
	 * @param after the id to start after
	 * @param bound where to stop counting
	 * @return how many there are, at most {@code bound}
	 */
	long countAfter(String stream, EntryId after, int bound);

}
