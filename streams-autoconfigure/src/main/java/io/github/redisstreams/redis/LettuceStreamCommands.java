package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.github.redisstreams.StreamsConfigurationException;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.github.redisstreams.redis.ServerInfo.Capability;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * {@link StreamCommands} over Lettuce, with connections derived from the application's
 * {@code LettuceConnectionFactory}: standalone, Sentinel or cluster, TLS, ACL user and
 * database as configured there.
 */
public final class LettuceStreamCommands implements StreamCommands, AutoCloseable {

	private static final Log logger = LogFactory.getLog(LettuceStreamCommands.class);

	private static final LuaScript REDELIVER = LuaScript.of("redeliver.lua");

	private static final LuaScript RENEW_LEASES = LuaScript.of("renew-leases.lua");

	private static final LuaScript HAND_BACK = LuaScript.of("hand-back.lua");

	private static final LuaScript ACKNOWLEDGE_AND_DELETE = LuaScript.of("groups.lua", "delete-unneeded.lua",
			"acknowledge-and-delete.lua");

	private static final LuaScript DEAD_LETTER = LuaScript.of("groups.lua", "delete-unneeded.lua", "tasks.lua",
			"dead-letter.lua");

	private static final LuaScript REMOVE_CONSUMER = LuaScript.of("remove-consumer.lua");

	private static final LuaScript REMOVE_INACTIVE_CONSUMERS = LuaScript.of("remove-inactive-consumers.lua");

	private static final LuaScript REDRIVE = LuaScript.of("tasks.lua", "redrive.lua");

	private static final LuaScript DELETE_RANGE = LuaScript.of("delete-range.lua");

	private static final String MAX_ID = "+";

	private final LettuceConnections connections;

	private final ScriptRunner scripts;

	private final LettucePublishCommands publishing;

	private final LettuceTaskCommands tasks;

	private final LettuceSampleCommands sampling;

	private volatile @Nullable ServerInfo serverInfo;

	private volatile boolean ackAndDeleteRefused;

	/**
	 * Create the port. Connects at the first command, not here.
	 * @param connectionFactory the application's connection factory
	 * @throws StreamsConfigurationException if it is not a
	 * {@code LettuceConnectionFactory}
	 */
	public LettuceStreamCommands(RedisConnectionFactory connectionFactory) {
		this.connections = new LettuceConnections(connectionFactory);
		this.scripts = new ScriptRunner(this.connections::shared);
		this.publishing = new LettucePublishCommands(this.connections, this.scripts, this::serverInfo);
		this.tasks = new LettuceTaskCommands(this.connections::shared, this.scripts);
		this.sampling = new LettuceSampleCommands(this.connections::shared, this::serverInfo);
	}

	@Override
	public PublishCommands publishing() {
		return this.publishing;
	}

	@Override
	public TaskCommands tasks() {
		return this.tasks;
	}

	@Override
	public SampleCommands sampling() {
		return this.sampling;
	}

	@Override
	public ServerInfo serverInfo() {
		ServerInfo info = this.serverInfo;
		return (info != null) ? info : probe();
	}

	private synchronized ServerInfo probe() {
		ServerInfo info = this.serverInfo;
		if (info == null) {
			info = new ServerProbe(shared()).probe();
			this.serverInfo = info;
			logger.info("Redis Streams: connected to " + info
					+ (info.capabilities().isEmpty() ? "" : ", which has " + info.capabilities()));
		}
		return info;
	}

	@Override
	public boolean createGroup(String stream, String group, String start) {
		CommandArgs<byte[], byte[]> args = args().add("CREATE")
			.addKey(bytes(stream))
			.add(bytes(group))
			.add(start)
			.add("MKSTREAM");
		try {
			shared().call(CommandType.XGROUP, stream, new StatusOutput<>(ByteArrayCodec.INSTANCE), args);
			return true;
		}
		catch (DataAccessException ex) {
			if (ex.getCause() instanceof RedisBusyException) {
				return false;
			}
			throw ex;
		}
	}

	@Override
	public StreamReader openReader(StreamConsumer consumer) {
		CommandChannel channel = this.connections.openDedicated();
		try {
			return new LettuceStreamReader(channel, this.connections::shared, consumer);
		}
		catch (RuntimeException ex) {
			channel.close();
			throw ex;
		}
	}

	@Override
	public CompletionStage<Long> acknowledge(String stream, String group, Collection<EntryId> ids) {
		CommandArgs<byte[], byte[]> args = args().addKey(bytes(stream)).add(bytes(group));
		ids.forEach((id) -> args.add(id.toString()));
		return send(CommandType.XACK, stream, new IntegerOutput<>(ByteArrayCodec.INSTANCE), args);
	}

	@Override
	public CompletionStage<Long> acknowledgeAndDelete(String stream, String group, Collection<EntryId> ids) {
		ScriptCall script = new ScriptCall(ACKNOWLEDGE_AND_DELETE, stream).add(group).addAll(ids);
		if (serverInfo().has(Capability.ACK_AND_DELETE) && !this.ackAndDeleteRefused) {
			return onChannel((channel) -> ackAndDelete(channel, stream, group, ids)
				.handle((count, failure) -> (failure == null) ? CompletableFuture.completedStage(count)
						: insteadOfAckAndDelete(channel, script, failure))
				.thenCompose(Function.identity()));
		}
		return this.scripts.send(script, () -> new IntegerOutput<>(ByteArrayCodec.INSTANCE));
	}

	private static CompletionStage<Long> ackAndDelete(CommandChannel channel, String stream, String group,
			Collection<EntryId> ids) {
		CommandArgs<byte[], byte[]> args = args().addKey(bytes(stream))
			.add(bytes(group))
			.add("ACKED")
			.add("IDS")
			.add(ids.size());
		ids.forEach((id) -> args.add(id.toString()));
		return channel.send(CommandType.XACKDEL, stream, new ArrayOutput<>(ByteArrayCodec.INSTANCE), args)
			.thenApply((replies) -> replies.stream().filter((reply) -> !reply.equals(-1L)).count());
	}

	// The server has the command, but the user may not send it
	private CompletionStage<Long> insteadOfAckAndDelete(CommandChannel channel, ScriptCall script, Throwable failure) {
		if (RedisFault.of(failure) != RedisFault.NO_PERMISSION) {
			return CompletableFuture.failedStage(failure);
		}
		this.ackAndDeleteRefused = true;
		return channel.send(script.eval(), script.stream(), new IntegerOutput<>(ByteArrayCodec.INSTANCE),
				script.byText());
	}

	@Override
	public List<PendingEntry> pending(StreamConsumer consumer, EntryId after, int count) {
		return PendingEntries
			.of(shared().call(CommandType.XPENDING, consumer.stream(), new ArrayOutput<>(ByteArrayCodec.INSTANCE),
					PendingEntries.args(consumer, PendingEntries.after(after), MAX_ID, count)));
	}

	@Override
	public List<PendingDelivery> pending(String stream, String group, EntryId after, int count) {
		return PendingEntries.ofGroup(shared().call(CommandType.XPENDING, stream, Replies.LIST.get(),
				PendingEntries.args(stream, group, PendingEntries.after(after), MAX_ID, count)));
	}

	@Override
	public CompletionStage<Redelivery> redeliver(StreamConsumer consumer, Map<EntryId, Long> counts) {
		ScriptCall call = new ScriptCall(REDELIVER, consumer.stream()).add(consumer.group()).add(consumer.name());
		counts.forEach((id, count) -> call.add(id.toString()).add(count));
		return sendForList(call).thenApply(Replies::redelivery);
	}

	@Override
	public CompletionStage<LeaseRenewal> renewLeases(StreamConsumer consumer, Collection<EntryId> ids) {
		ScriptCall call = new ScriptCall(RENEW_LEASES, consumer.stream()).add(consumer.group())
			.add(consumer.name())
			.addAll(ids);
		return sendForList(call).thenApply((reply) -> new LeaseRenewal(Replies.ids(reply.get(0)),
				Replies.ids(reply.get(1)), Replies.ids(reply.get(2))));
	}

	@Override
	public CompletionStage<Long> handBack(StreamConsumer consumer, Collection<HandBack> entries) {
		ScriptCall call = new ScriptCall(HAND_BACK, consumer.stream()).add(consumer.group()).add(consumer.name());
		entries.forEach(
				(entry) -> call.add(entry.id().toString()).add(entry.idle().toMillis()).add(entry.deliveryCount()));
		return this.scripts.send(call, () -> new IntegerOutput<>(ByteArrayCodec.INSTANCE));
	}

	@Override
	public CompletionStage<DeadLetterMove> deadLetter(DeadLetter letter) {
		StreamConsumer holder = letter.holder();
		if (HugeEntries.isHuge(letter.namesAndValues())) {
			ScriptCall delete = new ScriptCall(ACKNOWLEDGE_AND_DELETE, holder.stream()).add(holder.group())
				.add(letter.id().toString());
			return onChannel((channel) -> HugeEntries.deadLetter(channel, letter, delete));
		}
		TaskAttempt task = letter.task();
		ScriptCall call = ((task != null)
				? new ScriptCall(DEAD_LETTER, holder.stream(), letter.stream(),
						StreamKeys.task(holder.stream(), task.id()))
				: new ScriptCall(DEAD_LETTER, holder.stream(), letter.stream()))
			.add(holder.group())
			.add(holder.name())
			.add(letter.id().toString())
			.add(letter.maxLength())
			.add(letter.onlyIfHeld() ? 1 : 0)
			.add(letter.delete() ? 1 : 0)
			.add((task != null) ? task.deliveryCount() : 0)
			.add((task != null) ? task.error() : "");
		letter.namesAndValues().forEach(call::add);
		return sendForList(call).thenApply(Replies::deadLetterMove);
	}

	@Override
	public boolean areTogether(String first, String second) {
		return !this.connections.isCluster() || StreamKeys.inSameSlot(first, second);
	}

	@Override
	public CompletionStage<Boolean> removeConsumer(StreamConsumer consumer) {
		ScriptCall call = new ScriptCall(REMOVE_CONSUMER, consumer.stream()).add(consumer.group()).add(consumer.name());
		return this.scripts.send(call, () -> new IntegerOutput<>(ByteArrayCodec.INSTANCE))
			.thenApply((removed) -> removed == 1);
	}

	@Override
	public CompletionStage<List<String>> removeInactiveConsumers(String stream, String group, Duration inactive) {
		ScriptCall call = new ScriptCall(REMOVE_INACTIVE_CONSUMERS, stream).add(group).add(inactive.toMillis());
		return sendForList(call).thenApply((names) -> names.stream().map(LettuceStreamCommands::text).toList());
	}

	@Override
	public CompletionStage<@Nullable String> announce(StreamConsumer consumer, String token, Duration life) {
		CommandArgs<byte[], byte[]> args = args().addKey(bytes(StreamKeys.presence(consumer)))
			.add(token)
			.add("PX")
			.add(life.toMillis())
			.add("GET");
		return send(CommandType.SET, consumer.stream(), new ValueOutput<>(ByteArrayCodec.INSTANCE), args)
			.thenApply((holder) -> (holder != null) ? text(holder) : null);
	}

	@Override
	public @Nullable String setting(String name) {
		try {
			List<Object> reply = shared().call(CommandType.CONFIG, name, new ArrayOutput<>(ByteArrayCodec.INSTANCE),
					args().add("GET").add(name));
			return (reply.size() > 1) ? text(reply.get(1)) : null;
		}
		catch (DataAccessException ex) {
			// Managed services do not know the command, or forbid it
			return switch (RedisFault.of(ex)) {
				case NO_PERMISSION, OTHER -> null;
				default -> throw ex;
			};
		}
	}

	@Override
	public List<GroupInfo> groups(String stream) {
		return Replies.groupInfos(shared().call(CommandType.XINFO, stream, Replies.LIST.get(), groupsArgs(stream)));
	}

	@Override
	public List<ConsumerInfo> consumers(String stream, String group) {
		return shared()
			.call(CommandType.XINFO, stream, Replies.LIST.get(),
					args().add("CONSUMERS").addKey(bytes(stream)).add(bytes(group)))
			.stream()
			.map((consumer) -> Replies.consumerInfo((List<?>) consumer))
			.toList();
	}

	@Override
	public long length(String stream) {
		return shared().call(CommandType.XLEN, stream, new IntegerOutput<>(ByteArrayCodec.INSTANCE),
				args().addKey(bytes(stream)));
	}

	@Override
	public List<StreamEntry> range(String stream, EntryId first, EntryId last, boolean newestFirst, int count) {
		CommandArgs<byte[], byte[]> args = args().addKey(bytes(stream))
			.add((newestFirst ? last : first).toString())
			.add((newestFirst ? first : last).toString())
			.add("COUNT")
			.add(count);
		return shared()
			.call(newestFirst ? CommandType.XREVRANGE : CommandType.XRANGE, stream,
					new ArrayOutput<>(ByteArrayCodec.INSTANCE), args)
			.stream()
			.map(Replies::entry)
			.toList();
	}

	@Override
	public CompletionStage<Optional<EntryId>> redrive(String deadLetters, EntryId id, String stream,
			List<byte[]> namesAndValues, @Nullable String task) {
		return onChannel((channel) -> {
			if (HugeEntries.isHuge(namesAndValues)
					|| (channel.isCluster() && !StreamKeys.inSameSlot(deadLetters, stream))) {
				return HugeEntries.redrive(channel, deadLetters, id, stream, namesAndValues);
			}
			ScriptCall call = ((task != null)
					? new ScriptCall(REDRIVE, deadLetters, stream, StreamKeys.task(stream, task))
					: new ScriptCall(REDRIVE, deadLetters, stream))
				.add(id.toString());
			namesAndValues.forEach(call::add);
			return this.scripts.send(call, () -> new ValueOutput<>(ByteArrayCodec.INSTANCE))
				.thenApply((added) -> (added != null) ? Optional.of(EntryId.parse(text(added))) : Optional.empty());
		});
	}

	@Override
	public long delete(String stream, Collection<EntryId> ids) {
		CommandArgs<byte[], byte[]> args = args().addKey(bytes(stream));
		ids.forEach((id) -> args.add(id.toString()));
		return shared().call(CommandType.XDEL, stream, new IntegerOutput<>(ByteArrayCodec.INSTANCE), args);
	}

	@Override
	public long deleteRange(String stream, EntryId first, EntryId last, int count) {
		ScriptCall call = new ScriptCall(DELETE_RANGE, stream).add(first.toString()).add(last.toString()).add(count);
		return this.scripts.call(call, () -> new IntegerOutput<>(ByteArrayCodec.INSTANCE));
	}

	private <T> CompletionStage<T> onChannel(Function<CommandChannel, CompletionStage<T>> work) {
		try {
			return work.apply(shared());
		}
		// Whatever it is (a closed connection factory, say): callers look in one place
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletionStage<List<Object>> sendForList(ScriptCall call) {
		return this.scripts.send(call, () -> new ArrayOutput<>(ByteArrayCodec.INSTANCE));
	}

	private <T> CompletionStage<T> send(CommandType command, String stream, CommandOutput<byte[], byte[], T> output,
			CommandArgs<byte[], byte[]> args) {
		try {
			return shared().send(command, stream, output, args);
		}
		// Whatever it is (a closed connection factory, say): callers look in one place
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CommandChannel shared() {
		return this.connections.shared();
	}

	@Override
	public void close() {
		this.publishing.close();
		this.connections.close();
	}

	static CommandArgs<byte[], byte[]> groupsArgs(String stream) {
		return args().add("GROUPS").addKey(bytes(stream));
	}

	static CommandArgs<byte[], byte[]> args() {
		return new CommandArgs<>(ByteArrayCodec.INSTANCE);
	}

	static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	static String text(@Nullable Object value) {
		return (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(value);
	}

}
