package io.github.redisstreams.autoconfigure.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.metrics.GroupReading;
import io.github.redisstreams.redis.ConsumerInfo;
import io.github.redisstreams.redis.PendingDelivery;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A listener and what Redis tells of its stream, group and dead letters.
 *
 * @param id the listener's id
 * @param listener what this process knows of it
 * @param length how many entries the stream has
 * @param groups the groups of the stream, that of the listener first, at most
 * {@value ListenerReader#MOST_GROUPS}
 * @param consumers the consumers of the listener's group, who hold most first, at most
 * {@value ListenerReader#MOST_CONSUMERS}
 * @param mostDelivered the entries pending in the group that were delivered most often
 * @param deadLetters the dead letters
 * @param errors what could not be asked and why, by the name of the part that is missing
 * for it; {@code null} if nothing is
 */
public record ListenerDetailsDescriptor(String id, ListenerDescriptor listener, @Nullable Long length,
		@Nullable List<Group> groups, @Nullable List<Consumer> consumers, @Nullable MostDelivered mostDelivered,
		@Nullable DeadLettersDescriptor deadLetters,
		@Nullable Map<String, String> errors) implements OperationResponseBody {

	/**
	 * A consumer group.
	 *
	 * @param name its name
	 * @param consumers how many consumers it has
	 * @param pending how many entries were delivered and are not yet acknowledged
	 * @param lag how many entries it has still to be given; {@code null} where that can
	 * not be told
	 * @param lagBounded whether counting these stopped at a bound, so that they are not
	 * exact
	 * @param oldestPending how long ago the oldest pending entry was added; zero if there
	 * is none, {@code null} where that cannot be told
	 * @param oldestUndelivered how long ago the oldest entry was added that it has still
	 * to be given; zero if there is none, {@code null} where that cannot be told
	 * @param lastDeliveredId the last entry that it was given
	 */
	public record Group(String name, long consumers, long pending, @Nullable Long lag, boolean lagBounded,
			@Nullable Duration oldestPending, @Nullable Duration oldestUndelivered, String lastDeliveredId) {

		static Group of(String name, GroupReading reading) {
			return new Group(name, reading.consumers(), reading.pending(), reading.lag(), reading.lagBounded(),
					reading.oldestPending(), reading.oldestUndelivered(), reading.lastDeliveredId().toString());
		}

	}

	/**
	 * A consumer of the group.
	 *
	 * @param name its name
	 * @param pending how many entries it holds
	 * @param idle how long ago it last tried to do something; on Redis 7.0 and older how
	 * long ago it was last given something
	 * @param inactive how long ago it was last given something; {@code null} where the
	 * server cannot tell
	 */
	public record Consumer(String name, long pending, Duration idle, @Nullable Duration inactive) {

		static Consumer of(ConsumerInfo info) {
			return new Consumer(info.name(), info.pending(), info.idle(), info.inactive());
		}

	}

	/**
	 * Which pending entries were delivered most often, of the oldest.
	 *
	 * @param entries the entries, most often delivered first, at most
	 * {@value ListenerReader#MOST_DELIVERED}
	 * @param searched how many pending entries were looked at, the oldest first, at most
	 * {@value ListenerReader#MOST_SEARCHED}
	 * @param complete whether these are all that are pending
	 */
	public record MostDelivered(List<PendingEntry> entries, int searched, boolean complete) {

	}

	/**
	 * A pending entry.
	 *
	 * @param id its id
	 * @param added when it was added, if the server chose its id
	 * @param consumer who holds it
	 * @param idle how long ago it was delivered, or its lease last renewed
	 * @param deliveryCount how often it was delivered
	 */
	public record PendingEntry(String id, Instant added, String consumer, Duration idle, long deliveryCount) {

		static PendingEntry of(PendingDelivery delivery) {
			return new PendingEntry(delivery.id().toString(), delivery.id().timestamp(), delivery.consumer(),
					delivery.idle(), delivery.deliveryCount());
		}

	}

}
