package io.github.redisstreams.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.CommandOutput;

import static io.github.redisstreams.redis.LettuceStreamCommands.text;

/**
 * Makes something of the nested lists that commands and scripts reply with.
 */
final class Replies {

	/** For what replies with a list. */
	static final Supplier<CommandOutput<byte[], byte[], List<Object>>> LIST = () -> new ArrayOutput<>(
			ByteArrayCodec.INSTANCE);

	private Replies() {
	}

	static Added added(String id) {
		return new Added(EntryId.parse(id), null, null, 0);
	}

	static Added addedUntrimmed(String id) {
		return new Added(EntryId.parse(id), null, null, -1);
	}

	static Added added(List<Object> reply) {
		return switch (text(reply.get(0))) {
			case "added" -> new Added(EntryId.parse(text(reply.get(1))), null, null, (Long) reply.get(2));
			case "scheduled" -> new Added(null, Duration.ofMillis((Long) reply.get(1)), null, 0);
			default -> new Added(null, null, TaskState.of(text(reply.get(1))), 0);
		};
	}

	static Promotion promotion(List<Object> reply) {
		List<Duration> lateness = ((List<?>) reply.get(0)).stream()
			.map((millis) -> Duration.ofMillis((Long) millis))
			.toList();
		List<String> missing = ((List<?>) reply.get(1)).stream().map(LettuceStreamCommands::text).toList();
		long next = (Long) reply.get(2);
		return new Promotion(lateness, missing, (next >= 0) ? Duration.ofMillis(next) : null, (Long) reply.get(3));
	}

	static DeadLetterMove deadLetterMove(List<Object> idAndDropped) {
		return idAndDropped.isEmpty() ? DeadLetterMove.NOT_MOVED
				: new DeadLetterMove(EntryId.parse(text(idAndDropped.get(0))), (Long) idAndDropped.get(1));
	}

	static Redelivery redelivery(List<Object> replies) {
		Redelivery redelivery = new Redelivery(new ArrayList<>(replies.size()), new ArrayList<>(), new ArrayList<>());
		for (Object reply : replies) {
			List<?> columns = (List<?>) reply;
			EntryId id = EntryId.parse(text(columns.get(0)));
			long count = (Long) columns.get(1);
			if (count > 0) {
				byte[][] fields = ((List<?>) columns.get(2)).toArray(byte[][]::new);
				redelivery.entries().add(new StreamEntry(id, count, fields));
			}
			else {
				((count == 0) ? redelivery.deleted() : redelivery.lost()).add(id);
			}
		}
		return redelivery;
	}

	static List<EntryId> ids(Object reply) {
		return ((List<?>) reply).stream().map((id) -> EntryId.parse(text(id))).toList();
	}

	static List<GroupInfo> groupInfos(List<Object> reply) {
		return reply.stream().map((group) -> groupInfo((List<?>) group)).toList();
	}

	private static GroupInfo groupInfo(List<?> namesAndValues) {
		String name = "";
		long consumers = 0;
		long pending = 0;
		EntryId lastDelivered = EntryId.ZERO;
		Long lag = null;
		for (int i = 0; i + 1 < namesAndValues.size(); i += 2) {
			Object value = namesAndValues.get(i + 1);
			switch (text(namesAndValues.get(i))) {
				case "name" -> name = text(value);
				case "consumers" -> consumers = (Long) value;
				case "pending" -> pending = (Long) value;
				case "last-delivered-id" -> lastDelivered = EntryId.parse(text(value));
				case "lag" -> lag = (Long) value;
				default -> {
				}
			}
		}
		return new GroupInfo(name, consumers, pending, lastDelivered, lag);
	}

	static ConsumerInfo consumerInfo(List<?> namesAndValues) {
		String name = "";
		long pending = 0;
		Duration idle = Duration.ZERO;
		Duration inactive = null;
		for (int i = 0; i + 1 < namesAndValues.size(); i += 2) {
			Object value = namesAndValues.get(i + 1);
			switch (text(namesAndValues.get(i))) {
				case "name" -> name = text(value);
				case "pending" -> pending = (Long) value;
				case "idle" -> idle = Duration.ofMillis((Long) value);
				// -1 for one that was never given anything
				case "inactive" -> inactive = ((Long) value >= 0) ? Duration.ofMillis((Long) value) : null;
				default -> {
				}
			}
		}
		return new ConsumerInfo(name, pending, idle, inactive);
	}

	static Instant instant(List<?> secondsAndMicros) {
		if (secondsAndMicros.isEmpty()) {
			return Instant.now();
		}
		long seconds = Long.parseLong(text(secondsAndMicros.get(0)));
		return Instant.ofEpochSecond(seconds,
				TimeUnit.MICROSECONDS.toNanos(Long.parseLong(text(secondsAndMicros.get(1)))));
	}

	static StreamEntry entry(Object reply) {
		List<?> columns = (List<?>) reply;
		byte[][] fields = ((List<?>) columns.get(1)).toArray(byte[][]::new);
		return new StreamEntry(EntryId.parse(text(columns.get(0))), 0, fields);
	}

}
