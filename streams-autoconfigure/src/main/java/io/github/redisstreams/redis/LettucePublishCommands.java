package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.redisstreams.redis.NewEntry.IdempotencyKey;
import io.github.redisstreams.redis.ServerInfo.Capability;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.InvalidDataAccessResourceUsageException;

import static io.github.redisstreams.redis.LettuceStreamCommands.args;
import static io.github.redisstreams.redis.LettuceStreamCommands.bytes;

/**
 * {@link PublishCommands} over Lettuce. An entry that asks for nothing more is a plain
 * {@code XADD}: as a script it would cost the server more than three times as much.
 */
final class LettucePublishCommands implements PublishCommands {

	private static final Log logger = LogFactory.getLog(LettucePublishCommands.class);

	private static final LuaScript ADD = LuaScript.load("groups.lua", "tasks.lua", "trim.lua", "add.lua");

	private static final LuaScript SCHEDULE = LuaScript.load("groups.lua", "tasks.lua", "trim.lua", "schedule.lua");

	private static final LuaScript PROMOTE = LuaScript.load("groups.lua", "tasks.lua", "trim.lua", "promote.lua");

	private static final LuaScript CANCEL = LuaScript.load("tasks.lua", "cancel.lua");

	private static final LuaScript RESCHEDULE = LuaScript.load("tasks.lua", "reschedule.lua");

	/** About half a millisecond of the server's time. */
	private static final int MOST_PROMOTED = 100;

	private static final int MOST_PROMOTED_BYTES = 256 * 1024;

	/** So that the first commands are on their way before the last are encoded. */
	private static final int PIPELINE = 500;

	/**
	 * Of one pipeline: the time that a command may take begins when it is handed over,
	 * and what waits behind very many others would exceed it.
	 */
	private static final int MOST_IN_FLIGHT = 4 * PIPELINE;

	private final LettuceConnections connections;

	private final ScriptRunner scripts;

	private final Supplier<ServerInfo> serverInfo;

	private final DurableChannels durableChannels;

	private volatile boolean warnedOfIdempotency;

	LettucePublishCommands(LettuceConnections connections, ScriptRunner scripts, Supplier<ServerInfo> serverInfo) {
		this.connections = connections;
		this.scripts = scripts;
		this.serverInfo = serverInfo;
		this.durableChannels = new DurableChannels(connections);
	}

	@Override
	public CompletionStage<Added> add(NewEntry entry) {
		try {
			CommandChannel channel = this.connections.shared();
			if (!needsScript(entry)) {
				return addPlain(entry, channel).thenApply(Replies::added);
			}
			ScriptCall call = addCall(entry);
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
			Throwable lost = null;
			for (NewEntry entry : entries) {
				if (lost != null) {
					replies.add(CompletableFuture.failedStage(lost));
					continue;
				}
				// A script that the server does not know yet would be sent again after
				// the entries that come after it
				CompletionStage<Added> reply = prepare(entry, channel, scriptIsKnown, pipeline);
				replies.add(reply);
				scriptIsKnown |= needsScript(entry) && !isRefused(reply);
				if (pipeline.size() == PIPELINE) {
					channel.send(pipeline, patience);
					pipeline.clear();
					lost = (replies.size() > MOST_IN_FLIGHT) ? awaitLoss(replies.get(replies.size() - MOST_IN_FLIGHT))
							: null;
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

	// Who waits for every reply would wait for as many to be overdue, one after another
	private static @Nullable Throwable awaitLoss(CompletionStage<Added> reply) {
		return reply.handle((added, failure) -> failure)
			.thenApply((failure) -> (failure != null && isLost(RedisFault.of(failure))) ? failure : null)
			.toCompletableFuture()
			.join();
	}

	private static boolean isLost(RedisFault fault) {
		return fault == RedisFault.DISCONNECTED || fault == RedisFault.TIMEOUT;
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
		if (!needsScript(entry)) {
			PipelinedCommand<String> add = new PipelinedCommand<>(CommandType.XADD, entry.stream(),
					new StatusOutput<>(ByteArrayCodec.INSTANCE), addArgs(entry));
			pipeline.add(add);
			return add.reply().thenApply(Replies::added);
		}
		ScriptCall call = addCall(entry);
		PipelinedCommand<List<Object>> script = scriptIsKnown
				? new PipelinedCommand<>(call.evalsha(), entry.stream(), Replies.LIST.get(), call.byDigest())
				: new PipelinedCommand<>(call.eval(), entry.stream(), Replies.LIST.get(), call.byText());
		pipeline.add(script);
		return ScriptRunner.orByText(script.reply(), channel, call, Replies.LIST).thenApply(Replies::added);
	}

	@Override
	public CompletionStage<Added> schedule(NewEntry entry, String id, DueTime due, Durability durability) {
		try {
			ScriptCall call = scheduleCall(entry, id, due);
			requireSupport(durability, entry.stream());
			if (!durability.isWanted()) {
				return this.scripts.send(call, Replies.LIST).thenApply(Replies::added);
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
		return isDone(new ScriptCall(CANCEL, stream, StreamKeys.delayed(stream), StreamKeys.parked(stream, id),
				StreamKeys.task(stream, id))
			.add(id));
	}

	@Override
	public CompletionStage<Boolean> reschedule(String stream, String id, DueTime due) {
		return isDone(
				new ScriptCall(RESCHEDULE, stream, StreamKeys.delayed(stream), StreamKeys.task(stream, id)).add(id)
					.add(due.kind())
					.add(due.millis()));
	}

	private CompletionStage<Boolean> isDone(ScriptCall call) {
		return this.scripts.send(call, () -> new IntegerOutput<>(ByteArrayCodec.INSTANCE))
			.thenApply((done) -> done == 1);
	}

	@Override
	public CompletionStage<Promotion> promote(String stream, Trimming trimming) {
		try {
			ScriptCall call = withTrimming(new ScriptCall(PROMOTE, stream, StreamKeys.delayed(stream)), trimming)
				.add(StreamKeys.parked(stream, ""))
				.add(StreamKeys.task(stream, ""))
				.add(MOST_PROMOTED)
				.add(MOST_PROMOTED_BYTES);
			return this.scripts.send(call, Replies.LIST).thenApply(Replies::promotion);
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

	// What is too much for a script is added all the same: smaller entries, or others,
	// trim
	private static boolean needsScript(NewEntry entry) {
		return entry.task() != null
				|| (entry.trimming().mode() != TrimMode.NONE && !HugeEntries.isHuge(entry.namesAndValues()));
	}

	private CommandArgs<byte[], byte[]> addArgs(NewEntry entry) {
		CommandArgs<byte[], byte[]> args = args().addKey(bytes(entry.stream()));
		options(entry).forEach(args::add);
		args.add("*");
		entry.namesAndValues().forEach(args::add);
		return args;
	}

	private ScriptCall addCall(NewEntry entry) {
		NewTask task = entry.task();
		String id = (task != null && task.id() != null) ? task.id() : "";
		List<String> options = options(entry);
		// With braces that are no hash tag a stream has no other key in its slot
		ScriptCall keys = (task != null) ? new ScriptCall(ADD, entry.stream(), StreamKeys.delayed(entry.stream()))
				: new ScriptCall(ADD, entry.stream());
		ScriptCall call = withTask(withTrimming(keys, entry.trimming()), task, id)
			.add(StreamKeys.task(entry.stream(), ""))
			.add(options.size());
		options.forEach(call::add);
		return withFields(call, entry, id.isEmpty() ? NewTask.OWN_ID : id);
	}

	private ScriptCall scheduleCall(NewEntry entry, String id, DueTime due) {
		String stream = entry.stream();
		ScriptCall call = withTask(withTrimming(new ScriptCall(SCHEDULE, stream, StreamKeys.delayed(stream),
				StreamKeys.parked(stream, id), StreamKeys.task(stream, id)), entry.trimming()), entry.task(), id)
			.add(due.kind())
			.add(due.millis());
		return withFields(call, entry, id);
	}

	private ScriptCall withTrimming(ScriptCall call, Trimming trimming) {
		String mode = switch (trimming.mode()) {
			case FINISHED -> this.serverInfo.get().has(Capability.TRIM_ACKNOWLEDGED) ? "acked" : "finished";
			case STRICT -> "strict";
			case NONE -> "none";
		};
		return call.add(mode).add(trimming.maxLength()).add(trimming.retention().toMillis());
	}

	private static ScriptCall withTask(ScriptCall call, @Nullable NewTask task, String id) {
		return call.add((task != null) ? 1 : 0).add(id).add((task != null) ? task.retention().toMillis() : 0);
	}

	private static ScriptCall withFields(ScriptCall call, NewEntry entry, String taskId) {
		if (HugeEntries.isHuge(entry.namesAndValues())) {
			throw new IllegalArgumentException(
					"An entry of " + entry.namesAndValues().size() / 2 + " fields for stream '" + entry.stream()
							+ "' is more than a script can pass on (" + HugeEntries.MOST_NAMES_AND_VALUES / 2
							+ " fields), and so cannot be scheduled or be a task. Put its content into the payload");
		}
		entry.namesAndValues().forEach(call::add);
		if (entry.task() != null) {
			call.add(NewTask.FIELD).add(taskId);
		}
		return call;
	}

	private List<String> options(NewEntry entry) {
		IdempotencyKey key = entry.idempotencyKey();
		if (key == null) {
			return List.of();
		}
		if (!this.serverInfo.get().has(Capability.IDEMPOTENT_ADD)) {
			if (!this.warnedOfIdempotency) {
				this.warnedOfIdempotency = true;
				logger.warn("Entries are sent with an idempotency key, which this server, " + this.serverInfo.get()
						+ ", knows nothing of (Redis 8.6 does): those sent twice are added twice");
			}
			return List.of();
		}
		return List.of("IDMP", key.producer(), key.key());
	}

	void close() {
		this.durableChannels.close();
	}

}
