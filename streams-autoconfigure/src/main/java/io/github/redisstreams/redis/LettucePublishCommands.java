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
import io.lettuce.core.protocol.CommandType;

import org.springframework.dao.InvalidDataAccessResourceUsageException;

import static io.github.redisstreams.redis.LettuceStreamCommands.args;
import static io.github.redisstreams.redis.LettuceStreamCommands.bytes;

/**
 * {@link PublishCommands} over Lettuce. An entry that asks for nothing more is a plain
 * {@code XADD}: as a script it would cost the server more than three times as much.
 */
final class LettucePublishCommands implements PublishCommands {

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
		return attempt(() -> {
			CommandChannel channel = this.connections.shared();
			if (!PublishScripts.isNeededFor(entry)) {
				return addPlain(entry, channel).thenApply(Replies::added);
			}
			ScriptCall call = this.scripts.add(entry);
			CompletionStage<List<Object>> byDigest = channel.send(call.evalsha(), entry.stream(), Replies.LIST.get(),
					call.byDigest());
			return orPlain(ScriptRunner.orByText(byDigest, channel, call, Replies.LIST).thenApply(Replies::added),
					entry, () -> addPlain(entry, channel).thenApply(Replies::addedUntrimmed));
		});
	}

	private CompletionStage<String> addPlain(NewEntry entry, CommandChannel channel) {
		return channel.send(CommandType.XADD, entry.stream(), new StatusOutput<>(ByteArrayCodec.INSTANCE),
				this.scripts.plainArgs(entry));
	}

	// A user who may add and nothing else does so all the same, and the stream grows
	private static CompletionStage<Added> orPlain(CompletionStage<Added> byScript, NewEntry entry,
			Supplier<CompletionStage<Added>> plain) {
		if (entry.task() != null || !PublishScripts.isNeededFor(entry)) {
			return byScript;
		}
		return byScript.handle((added, failure) -> {
			if (failure == null) {
				return CompletableFuture.completedStage(added);
			}
			return (RedisFault.of(failure) == RedisFault.NO_PERMISSION) ? plain.get()
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
			requireSupport(durability, stream);
			// It may have to be asked for, which can fail: better before some are sent
			this.serverInfo.get();
			return durability.isWanted() ? addAllDurably(stream, entries, durability) : addAllShared(entries);
		}
		// Whatever it is (a closed connection factory, say): callers look in one place
		catch (RuntimeException ex) {
			return entries.stream().map((entry) -> CompletableFuture.<Added>failedStage(ex)).toList();
		}
	}

	private List<CompletionStage<Added>> addAllShared(List<NewEntry> entries) {
		CommandChannel channel = this.connections.shared();
		EntryPipeline pipeline = new EntryPipeline(channel, this.scripts, null);
		entries.forEach(pipeline::add);
		pipeline.flush();
		return replies(entries, pipeline.replies(),
				(entry) -> addPlain(entry, channel).thenApply(Replies::addedUntrimmed));
	}

	private List<CompletionStage<Added>> addAllDurably(String stream, List<NewEntry> entries, Durability durability) {
		CommandChannel channel = this.durableChannels.next(stream);
		EntryPipeline pipeline = new EntryPipeline(channel, this.scripts, patience(durability));
		entries.forEach(pipeline::add);
		DurableWait wait = pipeline.flush(durability, stream);
		List<CompletionStage<Added>> confirmed = pipeline.replies().stream().map(wait::confirm).toList();
		return replies(entries, confirmed, (entry) -> {
			EntryPipeline again = new EntryPipeline(channel, this.scripts, patience(durability));
			again.add(entry.untrimmed());
			return again.flush(durability, stream)
				.confirm(again.replies().get(0))
				.thenApply((added) -> new Added(added.id(), null, null, -1));
		});
	}

	private static List<CompletionStage<Added>> replies(List<NewEntry> entries, List<CompletionStage<Added>> byScript,
			Function<NewEntry, CompletionStage<Added>> plain) {
		return IntStream.range(0, entries.size())
			.mapToObj((i) -> orPlain(byScript.get(i), entries.get(i), () -> plain.apply(entries.get(i))))
			.toList();
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

	@Override
	public CompletionStage<Added> schedule(NewEntry entry, String id, DueTime due, Durability durability) {
		return attempt(() -> {
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
		});
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
		return attempt(() -> this.runner.send(this.scripts.promote(stream, trimming), Replies.LIST)
			.thenApply(Replies::promotion));
	}

	@Override
	public long scheduled(String stream) {
		return this.connections.shared()
			.call(CommandType.ZCARD, stream, new IntegerOutput<>(ByteArrayCodec.INSTANCE),
					args().addKey(bytes(StreamKeys.delayed(stream))));
	}

	private static <T> CompletionStage<T> attempt(Supplier<CompletionStage<T>> command) {
		try {
			return command.get();
		}
		// Whatever it is (a closed connection factory, say): callers look in one place
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private Duration patience(Durability durability) {
		return durability.timeout().plus(this.connections.commandTimeout());
	}

	void close() {
		this.durableChannels.close();
	}

}
