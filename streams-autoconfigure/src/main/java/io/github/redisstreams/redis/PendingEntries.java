package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.List;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;

import static io.github.redisstreams.redis.LettuceStreamCommands.bytes;
import static io.github.redisstreams.redis.LettuceStreamCommands.text;

/**
 * The extended form of {@code XPENDING}.
 */
final class PendingEntries {

	private PendingEntries() {
	}

	/**
	 * Arguments that ask for what is pending under one consumer.
	 * @param consumer the consumer
	 * @param first the first id to return, {@code -}, or an id to start after with a
	 * bracket before it
	 * @param last the last id to return, or {@code +}
	 * @param count the most entries to return
	 */
	static CommandArgs<byte[], byte[]> args(StreamConsumer consumer, String first, String last, int count) {
		return args(consumer.stream(), consumer.group(), first, last, count).add(bytes(consumer.name()));
	}

	/**
	 * The same for what is pending in a group, whoever holds it.
	 */
	static CommandArgs<byte[], byte[]> args(String stream, String group, String first, String last, int count) {
		return new CommandArgs<>(ByteArrayCodec.INSTANCE).addKey(bytes(stream))
			.add(bytes(group))
			.add(first)
			.add(last)
			.add(count);
	}

	static String after(EntryId id) {
		return "(" + id;
	}

	static List<PendingEntry> of(List<Object> reply) {
		return reply.stream().map((row) -> {
			List<?> columns = (List<?>) row;
			return new PendingEntry(EntryId.parse(text(columns.get(0))), (Long) columns.get(3));
		}).toList();
	}

	static List<PendingDelivery> ofGroup(List<Object> reply) {
		return reply.stream().map((row) -> {
			List<?> columns = (List<?>) row;
			return new PendingDelivery(EntryId.parse(text(columns.get(0))), text(columns.get(1)),
					Duration.ofMillis((Long) columns.get(2)), (Long) columns.get(3));
		}).toList();
	}

}
