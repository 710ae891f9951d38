package io.github.redisstreams.redis;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;

import static io.github.redisstreams.redis.LettuceStreamCommands.args;
import static io.github.redisstreams.redis.LettuceStreamCommands.bytes;

/**
 * What scripts cannot do: move an entry with more fields than Lua can pass to a command,
 * about 4,000, or between slots of a cluster. Here it takes several commands, the
 * {@code XADD} first. So whatever comes in between loses nothing, but may leave the entry
 * in both places.
 * <p>
 * All commands of one move go over one channel: they are sent on its thread, where none
 * must connect.
 */
final class HugeEntries {

	// Lua has room for 8,000 values on its stack, ours among them
	static final int MOST_NAMES_AND_VALUES = 7_800;

	private HugeEntries() {
	}

	/**
	 * Whether these are too many fields for a script.
	 */
	static boolean isHuge(List<byte[]> namesAndValues) {
		return namesAndValues.size() > MOST_NAMES_AND_VALUES;
	}

	/**
	 * As {@link StreamCommands#deadLetter}: {@code XPENDING}, {@code XLEN}, {@code XADD},
	 * {@code XLEN}, {@code XACK}.
	 * @param acknowledgeAndDelete the script that takes the place of the last if the
	 * entry is to be deleted too
	 */
	static CompletionStage<DeadLetterMove> deadLetter(CommandChannel channel, DeadLetter letter,
			ScriptCall acknowledgeAndDelete) {
		return isToBeMoved(channel, letter)
			.thenCompose((toBeMoved) -> toBeMoved ? move(channel, letter, acknowledgeAndDelete)
					: CompletableFuture.completedFuture(DeadLetterMove.NOT_MOVED));
	}

	private static CompletionStage<Boolean> isToBeMoved(CommandChannel channel, DeadLetter letter) {
		if (!letter.onlyIfHeld()) {
			return CompletableFuture.completedFuture(true);
		}
		String id = letter.id().toString();
		return channel
			.send(CommandType.XPENDING, letter.holder().stream(), new ArrayOutput<>(ByteArrayCodec.INSTANCE),
					PendingEntries.args(letter.holder(), id, id, 1))
			.thenApply((pending) -> !pending.isEmpty());
	}

	private static CompletionStage<DeadLetterMove> move(CommandChannel channel, DeadLetter letter,
			ScriptCall acknowledgeAndDelete) {
		return length(channel, letter.stream())
			.thenCompose((before) -> add(channel, letter.stream(), letter.maxLength(), letter.namesAndValues())
				.thenCompose((added) -> length(channel, letter.stream())
					.thenApply((after) -> new DeadLetterMove(EntryId.parse(added), Math.max(0, before + 1 - after)))))
			.thenCompose(
					(move) -> acknowledge(channel, letter, acknowledgeAndDelete).thenApply((acknowledged) -> move));
	}

	private static CompletionStage<Long> acknowledge(CommandChannel channel, DeadLetter letter,
			ScriptCall acknowledgeAndDelete) {
		String stream = letter.holder().stream();
		IntegerOutput<byte[], byte[]> output = new IntegerOutput<>(ByteArrayCodec.INSTANCE);
		return letter.delete()
				? channel.send(acknowledgeAndDelete.eval(), stream, output, acknowledgeAndDelete.byText())
				: channel.send(CommandType.XACK, stream, output,
						args().addKey(bytes(stream)).add(bytes(letter.holder().group())).add(letter.id().toString()));
	}

	/**
	 * As {@link StreamCommands#redrive}: {@code XRANGE}, {@code XADD}, {@code XDEL}.
	 */
	static CompletionStage<Optional<EntryId>> redrive(CommandChannel channel, String deadLetters, EntryId id,
			String stream, List<byte[]> namesAndValues) {
		return channel
			.send(CommandType.XRANGE, deadLetters, new ArrayOutput<>(ByteArrayCodec.INSTANCE),
					args().addKey(bytes(deadLetters)).add(id.toString()).add(id.toString()))
			.thenCompose((found) -> found.isEmpty() ? CompletableFuture.completedFuture(Optional.empty())
					: add(channel, stream, 0, namesAndValues).thenCompose((added) -> channel
						.send(CommandType.XDEL, deadLetters, new IntegerOutput<>(ByteArrayCodec.INSTANCE),
								args().addKey(bytes(deadLetters)).add(id.toString()))
						.thenApply((deleted) -> Optional.of(EntryId.parse(added)))));
	}

	private static CompletionStage<Long> length(CommandChannel channel, String stream) {
		return channel.send(CommandType.XLEN, stream, new IntegerOutput<>(ByteArrayCodec.INSTANCE),
				args().addKey(bytes(stream)));
	}

	private static CompletionStage<String> add(CommandChannel channel, String stream, long maxLength,
			List<byte[]> namesAndValues) {
		var args = args().addKey(bytes(stream));
		if (maxLength > 0) {
			args.add("MAXLEN").add("~").add(maxLength);
		}
		args.add("*");
		namesAndValues.forEach(args::add);
		return channel.send(CommandType.XADD, stream, new StatusOutput<>(ByteArrayCodec.INSTANCE), args);
	}

}
