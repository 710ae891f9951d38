package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.redisstreams.redis.ServerInfo.Capability;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import org.springframework.dao.InvalidDataAccessResourceUsageException;

import static io.github.redisstreams.redis.LettuceStreamCommands.args;
import static io.github.redisstreams.redis.LettuceStreamCommands.bytes;

/**
 * {@link PublishCommands} over Lettuce. An entry that asks for nothing more is a plain
 * {@code XADD}: as a script it would cost the server more than three times as much.
 */
final class LettucePublishCommands implements PublishCommands {

	/** So that the first commands are on their way before the last are encoded. */
	private static final int PIPELINE = 500;

	private final LettuceConnections connections;

	private final ScriptRunner runner;

	private final PublishScripts scripts;

	private final Supplier<ServerInfo> serverInfo;

	private final DurableChannels durableChannels;

	LettucePublishCommands(LettuceConnections connections, ScriptRunner runner, Supplier<ServerInfo> serverInfo) {
		this.connections = connections;
		this.runner = runner;
		this.scripts = new PublishScripts(serverInfo);
		this.serverInfo = serverInfo;
		this.durableChannels = new DurableChannels(connections);
	}

	@Override
	public CompletionStage<Added> add(NewEntry entry) {
		try {
			CommandChannel channel = this.connections.shared();
			if (!PublishScripts.isNeededFor(entry)) {
				return addPlain(entry, channel).thenApply(Replies::added);
			}
			ScriptCall call = this.scripts.add(entry);
			CompletionStage<List<Object>> byDigest = channel.send(call.evalsha(), entry.stream(), Replies.LIST.get(),
					call.byDigest());
			return orPlain(ScriptRunner.orByText(byDigest, channel, call, Replies.LIST).thenApply(Replies::added),
					entry, channel);
		}
		// Whatever it is (a closed connection factory, say): callers look in one place
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletionStage<String> addPlain(NewEntry entry, CommandChannel channel) {
		return channel.send(CommandType.XADD, entry.stream(), new StatusOutput<>(ByteArrayCodec.INSTANCE),
				addArgs(entry));
	}

	// A user who may add and nothing else does so all the same, and the stream grows
	private CompletionStage<Added> orPlain(CompletionStage<Added> byScript, NewEntry entry, CommandChannel channel) {
		if (entry.task() != null) {
			return byScript;
		}
		return byScript.handle((added, failure) -> {
			if (failure == null) {
				return CompletableFuture.completedStage(added);
			}
			return (RedisFault.of(failure) == RedisFault.NO_PERMISSION)
					? addPlain(entry, channel).thenApply(Replies::addedUntrimmed)
					: CompletableFuture.<Added>failedStage(failure);
		}).thenCompose(Function.identity());
	}

	@Override
	public List<CompletionStage<Added>> addAll(List<NewEntry> entries, Durability durability) {
		if (entries.isEmpty()) {
			return List.of();
		}
		String stream = entries.get(0).stream();
		try {
			boolean durable = durability.isWanted();
			requireSupport(durability, stream);
			// It may have to be asked for, which can fail: better before some are sent
			this.serverInfo.get();
			CommandChannel channel = durable ? this.durableChannels.next(stream) : this.connections.shared();
			Duration patience = durable ? patience(durability) : null;
			List<CompletionStage<Added>> replies = new ArrayList<>(entries.size());
			List<PipelinedCommand<?>> pipeline = new ArrayList<>(PIPELINE);
			boolean scriptIsKnown = false;
			for (NewEntry entry : entries) {
				// A script that the server does not know yet would be sent again after
				// the entries that come after it
				CompletionStage<Added> reply = prepare(entry, channel, scriptIsKnown, pipeline);
				replies.add(reply);
				scriptIsKnown |= PublishScripts.isNeededFor(entry) && !isRefused(reply);
				if (pipeline.size() == PIPELINE) {
					channel.send(pipeline, patience);
					pipeline.clear();
				}
			}
			if (!durable) {
				channel.send(pipeline, patience);
				return IntStream.range(0, replies.size())
					.mapToObj((i) -> orPlain(replies.get(i), entries.get(i), channel))
					.toList();
			}
			DurableWait wait = DurableWait.prepare(durability, stream, pipeline);
			channel.send(pipeline, patience);
			return replies.stream().map(wait::confirm).toList();
		}
		// Whatever it is (a closed connection factory, say): callers look in one place
		catch (RuntimeException ex) {
			return entries.stream().map((entry) -> CompletableFuture.<Added>failedStage(ex)).toList();
		}
	}

	// Before anything is added
	private void requireSupport(Durability durability, String stream) {
		if (durability.fsync() && !this.serverInfo.get().has(Capability.WAIT_FOR_FSYNC)) {
			throw new InvalidDataAccessResourceUsageException("What is sent to stream '" + stream
					+ "' is wanted on disk before it counts as sent, but this server, " + this.serverInfo.get()
					+ ", does not know WAITAOF, which came with Redis 7.2, or this user may not ask for it with "
					+ "COMMAND INFO. Nothing was sent. Set the publisher's durability.fsync to false.");
		}
	}

	// An entry that cannot be sent fails alone: others may be on their way
	private CompletionStage<Added> prepare(NewEntry entry, CommandChannel channel, boolean scriptIsKnown,
			List<PipelinedCommand<?>> pipeline) {
		try {
			return prepareSound(entry, channel, scriptIsKnown, pipeline);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static boolean isRefused(CompletionStage<?> reply) {
		return reply.toCompletableFuture().isCompletedExceptionally();
	}

	private CompletionStage<Added> prepareSound(NewEntry entry, CommandChannel channel, boolean scriptIsKnown,
			List<PipelinedCommand<?>> pipeline) {
		if (!PublishScripts.isNeededFor(entry)) {
			PipelinedCommand<String> add = new PipelinedCommand<>(CommandType.XADD, entry.stream(),
					new StatusOutput<>(ByteArrayCodec.INSTANCE), addArgs(entry));
			pipeline.add(add);
			return add.reply().thenApply(Replies::added);
		}
		ScriptCall call = this.scripts.add(entry);
		PipelinedCommand<List<Object>> script = scriptIsKnown
				? new PipelinedCommand<>(call.evalsha(), entry.stream(), Replies.LIST.get(), call.byDigest())
				: new PipelinedCommand<>(call.eval(), entry.stream(), Replies.LIST.get(), call.byText());
		pipeline.add(script);
		return ScriptRunner.orByText(script.reply(), channel, call, Replies.LIST).thenApply(Replies::added);
	}

	@Override
	public CompletionStage<Added> schedule(NewEntry entry, String id, DueTime due, Durability durability) {
		try {
			ScriptCall call = this.scripts.schedule(entry, id, due);
			requireSupport(durability, entry.stream());
			if (!durability.isWanted()) {
				return this.runner.send(call, Replies.LIST).thenApply(Replies::added);
			}
			List<PipelinedCommand<?>> pipeline = new ArrayList<>();
			PipelinedCommand<List<Object>> script = new PipelinedCommand<>(call.eval(), entry.stream(),
					Replies.LIST.get(), call.byText());
			pipeline.add(script);
			DurableWait wait = DurableWait.prepare(durability, entry.stream(), pipeline);
			this.durableChannels.next(entry.stream()).send(pipeline, patience(durability));
			return wait.confirm(script.reply().thenApply(Replies::added));
		}
		// Whatever it is (a closed connection factory, say): callers look in one place
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public CompletionStage<Boolean> cancel(String stream, String id) {
		return isDone(PublishScripts.cancel(stream, id));
	}

	@Override
	public CompletionStage<Boolean> reschedule(String stream, String id, DueTime due) {
		return isDone(PublishScripts.reschedule(stream, id, due));
	}

	private CompletionStage<Boolean> isDone(ScriptCall call) {
		return this.runner.send(call, () -> new IntegerOutput<>(ByteArrayCodec.INSTANCE))
			.thenApply((done) -> done == 1);
	}

	@Override
	public CompletionStage<Promotion> promote(String stream, Trimming trimming) {
		try {
			return this.runner.send(this.scripts.promote(stream, trimming), Replies.LIST).thenApply(Replies::promotion);
		}
		// Whatever it is (a closed connection factory, say): callers look in one place
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public long scheduled(String stream) {
		return this.connections.shared()
			.call(CommandType.ZCARD, stream, new IntegerOutput<>(ByteArrayCodec.INSTANCE),
					args().addKey(bytes(StreamKeys.delayed(stream))));
	}

	private Duration patience(Durability durability) {
		return durability.timeout().plus(this.connections.commandTimeout());
	}

	private CommandArgs<byte[], byte[]> addArgs(NewEntry entry) {
		CommandArgs<byte[], byte[]> args = args().addKey(bytes(entry.stream()));
		this.scripts.options(entry).forEach(args::add);
		args.add("*");
		entry.namesAndValues().forEach(args::add);
		return args;
	}

	void close() {
		this.durableChannels.close();
	}

}
