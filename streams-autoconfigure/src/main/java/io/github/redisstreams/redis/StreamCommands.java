package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;

/**
 * The only port to Redis. All that the listeners and the publisher do in Redis goes
 * through here and through the {@link StreamReader}s that it opens, always to the master.
 * <p>
 * Every method is safe for use from many threads. Methods that return a
 * {@link CompletionStage} do not wait for the reply, but may have to connect first, so
 * they must not be called on a thread of a Redis connection.
 * <p>
 * A failed stage, like a thrown exception, carries a {@link DataAccessException} with
 * what the server said, the command and the stream, and {@link RedisFault#of} tells what
 * it means:
 * <ul>
 * <li>{@link TransientDataAccessResourceException}: the server cannot serve now
 * ({@link RedisFault#UNAVAILABLE}),</li>
 * <li>{@link InvalidDataAccessResourceUsageException}: the key is not a stream,</li>
 * <li>{@link PermissionDeniedDataAccessException}: the user may not do this,</li>
 * <li>{@link RedisConnectionFailureException}: no connection, or it was lost,</li>
 * <li>{@link QueryTimeoutException}: no reply in time,</li>
 * <li>{@link RedisSystemException}: anything else.</li>
 * </ul>
 * After a lost connection or a reply that did not come, the command may have been
 * executed all the same.
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
	 * @param consumer the consumer
	 * @return the reader, to be closed after the first failure and when done
	 */
	StreamReader openReader(StreamConsumer consumer);

	/**
	 * Acknowledge entries in one {@code XACK}.
	 * @param stream the stream's key
	 * @param group the group's name
	 * @param ids the entries
	 * @return how many were pending; 0 is no error
	 */
	CompletionStage<Long> acknowledge(String stream, String group, Collection<EntryId> ids);

	/**
	 * Acknowledge entries and delete those that no other group has still to be given or
	 * has pending: {@code XACKDEL ... ACKED} where the server has it, elsewhere a script
	 * that does the same.
	 * @param stream the stream's key
	 * @param group the group's name
	 * @param ids the entries
	 * @return how many were pending; 0 is no error
	 */
	CompletionStage<Long> acknowledgeAndDelete(String stream, String group, Collection<EntryId> ids);

	/**
	 * What is pending under a consumer, oldest first: {@code XPENDING}. Changes nothing.
	 * @param consumer the consumer
	 * @param after the id to go on after; {@link EntryId#ZERO} for the first
	 * @param count the most entries to return
	 * @return the entries; fewer than {@code count} if there are no more
	 */
	List<PendingEntry> pending(StreamConsumer consumer, EntryId after, int count);

	/**
	 * What is pending in a group, whoever holds it, oldest first: {@code XPENDING}.
	 * Changes nothing.
	 * @param stream the stream's key
	 * @param group the group's name
	 * @param after the id to go on after; {@link EntryId#ZERO} for the first
	 * @param count the most entries to return
	 * @return the entries; fewer than {@code count} if there are no more
	 */
	List<PendingDelivery> pending(String stream, String group, EntryId after, int count);

	/**
	 * Deliver pending entries once more to the consumer that holds them, with their
	 * bodies as they are now, in one script: {@code XPENDING} to see who holds them, then
	 * {@code XCLAIM}. Entries whose bodies are gone are acknowledged.
	 * @param consumer the consumer
	 * @param counts the entries, of which those that it no longer holds are left alone,
	 * and how often each is then to count as delivered, at least once. Never lowers a
	 * count
	 * @return what came of it
	 */
	CompletionStage<Redelivery> redeliver(StreamConsumer consumer, Map<EntryId, Long> counts);

	/**
	 * Have pending entries count as just delivered, so that nobody claims them, without
	 * raising their delivery count, and only where the consumer still holds them. One
	 * script: {@code XPENDING} to see who holds them, then {@code XCLAIM ... JUSTID}.
	 * @param consumer the consumer
	 * @param ids the entries
	 * @return which leases could not be renewed
	 */
	CompletionStage<LeaseRenewal> renewLeases(StreamConsumer consumer, Collection<EntryId> ids);

	/**
	 * Give up pending entries for others to claim. They stay pending under the consumer
	 * until somebody does. One script: {@code XPENDING} to see who holds them, then
	 * {@code XCLAIM ... IDLE RETRYCOUNT JUSTID}.
	 * @param consumer the consumer
	 * @param entries the entries, of which those that it no longer holds are left alone
	 * @return how many it still held
	 */
	CompletionStage<Long> handBack(StreamConsumer consumer, Collection<HandBack> entries);

	/**
	 * Move a pending entry to a dead-letter stream in one script: {@code XADD}, then
	 * {@code XACK}. Where the first is refused nothing has changed.
	 * <p>
	 * An entry with more than about 3,900 fields is more than a script can pass on. There
	 * they are single commands, after an {@code XPENDING}: if the connection is lost in
	 * between, the entry stays pending and is moved again.
	 * @param letter the entry and where it goes
	 * @return what came of it
	 */
	CompletionStage<DeadLetterMove> deadLetter(DeadLetter letter);

	/**
	 * Whether two keys can be touched by one script: always, but on a cluster only if
	 * they are in the same slot.
	 * @param first a key
	 * @param second another key
	 * @return whether they can
	 */
	boolean areTogether(String first, String second);

	/**
	 * Remove a consumer from its group if nothing is pending under it, in one script:
	 * {@code XPENDING}, then {@code XGROUP DELCONSUMER}. It comes back with its next
	 * read.
	 * @param consumer the consumer
	 * @return whether nothing was pending
	 */
	CompletionStage<Boolean> removeConsumer(StreamConsumer consumer);

	/**
	 * Remove all consumers of a group that have nothing pending and have been inactive
	 * for long, in one script: {@code XINFO CONSUMERS}, then {@code XGROUP DELCONSUMER}.
	 * One that is alive after all comes back with its next read.
	 * @param stream the stream's key
	 * @param group the group's name
	 * @param inactive for how long at least
	 * @return the names of those removed
	 */
	CompletionStage<List<String>> removeInactiveConsumers(String stream, String group, Duration inactive);

	/**
	 * Say that a process is alive under a consumer's name, and learn who said so last:
	 * {@code SET key token PX life GET}.
	 * @param consumer the consumer
	 * @param token what tells this process from others
	 * @param life for how long this is to be remembered
	 * @return the token of the process that said so last, or {@code null}
	 */
	CompletionStage<@Nullable String> announce(StreamConsumer consumer, String token, Duration life);

	/**
	 * A setting of the server: {@code CONFIG GET}.
	 * @param name its name
	 * @return its value, or {@code null} if there is none or the user may not ask
	 */
	@Nullable String setting(String name);

	/**
	 * The part that writes to streams.
	 * @return the commands, for as long as these can be used
	 */
	PublishCommands publishing();

	/**
	 * The part that keeps records of tasks.
	 * @return the commands, for as long as these can be used
	 */
	TaskCommands tasks();

	/**
	 * The part that tells how streams and their groups are.
	 * @return the commands, for as long as these can be used
	 */
	SampleCommands sampling();

	/**
	 * The groups of a stream: {@code XINFO GROUPS}.
	 * @param stream the stream's key
	 * @return its groups
	 * @throws DataAccessException if there is no such stream, too
	 */
	List<GroupInfo> groups(String stream);

	/**
	 * The consumers of a group: {@code XINFO CONSUMERS}.
	 * @param stream the stream's key
	 * @param group the group's name
	 * @return its consumers
	 * @throws DataAccessException if there is no such stream or group, too
	 */
	List<ConsumerInfo> consumers(String stream, String group);

	/**
	 * How many entries a stream has: {@code XLEN}.
	 * @param stream the stream's key
	 * @return their number; 0 if there is no such stream
	 */
	long length(String stream);

	/**
	 * Read entries of a range of ids, {@code XRANGE} or {@code XREVRANGE}. Changes
	 * nothing.
	 * @param stream the stream's key
	 * @param first the first id of the range
	 * @param last the last id of the range
	 * @param newestFirst whether to begin with the newest
	 * @param count the most entries to return
	 * @return the entries, without a delivery count; none if there is no such stream
	 */
	List<StreamEntry> range(String stream, EntryId first, EntryId last, boolean newestFirst, int count);

	/**
	 * Put a dead letter back into a stream in one script: {@code XADD}, which never
	 * trims, then {@code XDEL}. Where the first is refused nothing has changed.
	 * <p>
	 * An entry with more than about 3,900 fields is more than a script can pass on, as
	 * one between two slots of a cluster is. There they are two commands, and if the
	 * connection is lost in between, or two do this at once, the entry is added again.
	 * @param deadLetters the key of the dead-letter stream
	 * @param id the dead letter
	 * @param stream the key of the stream that it goes to
	 * @param namesAndValues the fields to write, names and values in turn
	 * @param task the id of the task that the entry is, whose record, if there still is
	 * one, then says that it is queued again; {@code null} if it is none
	 * @return the entry's new id; empty if the dead letter was gone and nothing has
	 * changed
	 */
	CompletionStage<Optional<EntryId>> redrive(String deadLetters, EntryId id, String stream,
			List<byte[]> namesAndValues, @Nullable String task);

	/**
	 * Delete entries: {@code XDEL}.
	 * @param stream the stream's key
	 * @param ids the entries, at least one
	 * @return how many were there
	 */
	long delete(String stream, Collection<EntryId> ids);

	/**
	 * Delete the first entries of a range of ids in one script, without fetching them:
	 * {@code XRANGE}, then {@code XDEL}.
	 * @param stream the stream's key
	 * @param first the first id of the range
	 * @param last the last id of the range
	 * @param count the most entries to delete, up to 1,000
	 * @return how many were deleted; fewer than {@code count} if there are no more
	 */
	long deleteRange(String stream, EntryId first, EntryId last, int count);

}
