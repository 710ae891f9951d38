package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redisstreams.StreamsConfigurationException;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
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

	private static final LuaScript COUNT_AFTER = LuaScript.load("count-after.lua");

	private final LettuceConnections connections;

	private volatile @Nullable ServerInfo serverInfo;

	/**
	 * Create the port. Connects at the first command, not here.
	 * @param connectionFactory the application's connection factory
	 * @throws StreamsConfigurationException if it is not a
	 * {@code LettuceConnectionFactory}
	 */
	public LettuceStreamCommands(RedisConnectionFactory connectionFactory) {
		this.connections = new LettuceConnections(connectionFactory);
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
	public StreamReader openReader(String stream, String group, String consumer) {
		CommandChannel channel = this.connections.openDedicated();
		try {
			return new LettuceStreamReader(channel, this.connections::shared, stream, group, consumer);
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
	public CompletionStage<EntryId> add(String stream, List<byte[]> namesAndValues) {
		CommandArgs<byte[], byte[]> args = args().addKey(bytes(stream)).add("*");
		namesAndValues.forEach(args::add);
		return send(CommandType.XADD, stream, new StatusOutput<>(ByteArrayCodec.INSTANCE), args)
			.thenApply(EntryId::parse);
	}

	@Override
	public List<GroupInfo> groups(String stream) {
		List<Object> reply = shared().call(CommandType.XINFO, stream, new ArrayOutput<>(ByteArrayCodec.INSTANCE),
				args().add("GROUPS").addKey(bytes(stream)));
		List<GroupInfo> groups = new ArrayList<>(reply.size());
		for (Object group : reply) {
			groups.add(toGroupInfo((List<?>) group));
		}
		return groups;
	}

	private static GroupInfo toGroupInfo(List<?> namesAndValues) {
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

	@Override
	public long countAfter(String stream, EntryId after, int bound) {
		return callScript(COUNT_AFTER, stream, after.toString(), Integer.toString(bound));
	}

	private long callScript(LuaScript script, String stream, String... arguments) {
		try {
			return callScript(CommandType.EVALSHA, script.sha1(), stream, arguments);
		}
		catch (DataAccessException ex) {
			if (ex.getCause() instanceof RedisNoScriptException) {
				return callScript(CommandType.EVAL, script.source(), stream, arguments);
			}
			throw ex;
		}
	}

	private long callScript(CommandType command, String script, String stream, String... arguments) {
		CommandArgs<byte[], byte[]> args = args().add(script).add(1).addKey(bytes(stream));
		for (String argument : arguments) {
			args.add(argument);
		}
		return shared().call(command, stream, new IntegerOutput<>(ByteArrayCodec.INSTANCE), args);
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
		this.connections.close();
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
