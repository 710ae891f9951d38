package io.github.redisstreams.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

import static io.github.redisstreams.redis.LettuceStreamCommands.args;
import static io.github.redisstreams.redis.LettuceStreamCommands.bytes;
import static io.github.redisstreams.redis.LettuceStreamCommands.groupsArgs;
import static io.github.redisstreams.redis.LettuceStreamCommands.text;

/**
 * {@link SampleCommands} over Lettuce.
 */
final class LettuceSampleCommands implements SampleCommands {

	private static final LuaScript SAMPLE = LuaScript.of("sample.lua");

	private static final LuaScript COUNT_LAG = LuaScript.of("count-lag.lua");

	/** How many entries one script looks at: about half a millisecond. */
	private static final int STEP = 500;

	private final Supplier<CommandChannel> channel;

	private final Supplier<ServerInfo> serverInfo;

	LettuceSampleCommands(Supplier<CommandChannel> channel, Supplier<ServerInfo> serverInfo) {
		this.channel = channel;
		this.serverInfo = serverInfo;
	}

	@Override
	public CompletionStage<StreamSample> sample(SampledStream stream) {
		ScriptCall call = new ScriptCall(SAMPLE,
				Stream.concat(Stream.of(stream.key(), StreamKeys.delayed(stream.key())), stream.deadLetters().stream())
					.toArray(String[]::new));
		stream.groups().forEach(call::add);
		return onChannel((channel) -> {
			boolean lagDoubtful = this.serverInfo.get().mayOverstateLag();
			return run(channel, call).thenApply((reply) -> SampleReply.ofScript(reply, lagDoubtful))
				.handle((sample, failure) -> (failure == null) ? CompletableFuture.completedStage(sample)
						: insteadOfScript(channel, stream, failure))
				.thenCompose(Function.identity());
		});
	}

	// A user who may not run scripts, or not all of their commands or keys, still sees
	// what is pending
	private static CompletionStage<StreamSample> insteadOfScript(CommandChannel channel, SampledStream stream,
			Throwable failure) {
		return switch (RedisFault.of(failure)) {
			case NO_PERMISSION, OTHER -> sampleByCommands(channel, stream, RedisFault.explain(failure));
			default -> CompletableFuture.failedStage(failure);
		};
	}

	private static CompletionStage<StreamSample> sampleByCommands(CommandChannel channel, SampledStream stream,
			String refusal) {
		List<PipelinedCommand<?>> commands = new ArrayList<>();
		commands.add(size(CommandType.XLEN, stream.key(), stream.key()));
		commands.add(size(CommandType.ZCARD, stream.key(), StreamKeys.delayed(stream.key())));
		stream.deadLetters().forEach((key) -> commands.add(size(CommandType.XLEN, stream.key(), key)));
		List<CompletableFuture<Object>> sizes = commands.stream().map(LettuceSampleCommands::replyOrFailure).toList();
		CompletableFuture<Object> groups = CompletableFuture.completedFuture(List.of());
		if (!stream.groups().isEmpty()) {
			PipelinedCommand<List<Object>> infos = new PipelinedCommand<>(CommandType.XINFO, stream.key(),
					Replies.LIST.get(), groupsArgs(stream.key()));
			commands.add(infos);
			groups = infos.reply()
				.<Object>thenApply((reply) -> Replies.groupInfos(reply)
					.stream()
					.filter((group) -> stream.groups().contains(group.name()))
					.toList())
				.exceptionally(RedisFault::explain);
		}
		channel.send(commands, null);
		return groups.thenCombine(CompletableFuture.allOf(sizes.toArray(CompletableFuture[]::new)),
				(infos, replied) -> SampleReply.ofCommands(refusal,
						sizes.stream().map(CompletableFuture::join).toList(), infos));
	}

	private static PipelinedCommand<Long> size(CommandType command, String stream, String key) {
		return new PipelinedCommand<>(command, stream, new IntegerOutput<>(ByteArrayCodec.INSTANCE),
				args().addKey(bytes(key)));
	}

	private static CompletableFuture<Object> replyOrFailure(PipelinedCommand<?> command) {
		return command.reply().<Object>thenApply(Function.identity()).exceptionally(RedisFault::explain);
	}

	@Override
	public CompletionStage<CountedLag> countLag(String stream, EntryId after, int bound) {
		return onChannel((channel) -> new LagCount(channel, stream, after, bound).goOn());
	}

	private <T> CompletionStage<T> onChannel(Function<CommandChannel, CompletionStage<T>> work) {
		try {
			return work.apply(this.channel.get());
		}
		// Whatever it is (a closed connection factory, say): callers look in one place
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static CompletionStage<List<Object>> run(CommandChannel channel, ScriptCall call) {
		return ScriptRunner.orByText(channel.send(call.evalsha(), call.stream(), Replies.LIST.get(), call.byDigest()),
				channel, call, Replies.LIST);
	}

	/**
	 * A count that is under way. Goes on over the channel that it has begun with, since
	 * it does so on that one's thread.
	 */
	private static final class LagCount {

		private final CommandChannel channel;

		private final String stream;

		private int left;

		private String forwards;

		private String backwards;

		private long found;

		private long passed;

		LagCount(CommandChannel channel, String stream, EntryId after, int bound) {
			this.channel = channel;
			this.stream = stream;
			this.left = bound;
			this.forwards = "(" + after;
			this.backwards = after.toString();
		}

		CompletionStage<CountedLag> goOn() {
			int step = Math.min(this.left, STEP);
			this.left -= step;
			return run(this.channel,
					new ScriptCall(COUNT_LAG, this.stream).add(this.forwards).add(this.backwards).add(step))
				.thenCompose((reply) -> {
					CountedLag lag = take(reply);
					return (lag != null) ? CompletableFuture.completedStage(lag) : goOn();
				});
		}

		private @Nullable CountedLag take(List<Object> reply) {
			this.found += (Long) reply.get(0);
			this.forwards = text(reply.get(1));
			this.passed += (Long) reply.get(2);
			this.backwards = text(reply.get(3));
			if (this.forwards.isEmpty()) {
				return new CountedLag(this.found, false);
			}
			if (this.backwards.isEmpty()) {
				// More may have been trimmed between two steps than was counted
				return new CountedLag(Math.max(this.found, (Long) reply.get(4) - this.passed), false);
			}
			return (this.left > 0) ? null : new CountedLag(this.found, true);
		}

	}

}
