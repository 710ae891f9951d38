package io.github.redisstreams.redis;

import java.util.EnumSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.redis.ServerInfo.Capability;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.convert.Converters;

/**
 * Finds out what the server is and can do. Asks for commands rather than comparing
 * versions, since Valkey reports a Redis version of its own choosing. What the user may
 * not ask counts as not there.
 */
final class ServerProbe {

	private static final String NO_STREAM = "server";

	private final CommandChannel channel;

	ServerProbe(CommandChannel channel) {
		this.channel = channel;
	}

	ServerInfo probe() {
		Properties info = serverSection();
		String product = info.getProperty("server_name", "redis");
		String version = info.getProperty(product + "_version", "unknown");
		List<?> commands = ask(CommandType.COMMAND, "INFO", "xautoclaim", "xackdel", "waitaof");
		if (isMissing(commands, 0)) {
			throw new StreamsConfigurationException(
					"The server, " + product + " " + version + ", has no XAUTOCLAIM command",
					"Use Redis 6.2 or later, or Valkey.");
		}
		Set<Capability> capabilities = EnumSet.noneOf(Capability.class);
		if (commands.size() > 1 && !isMissing(commands, 1)) {
			capabilities.add(Capability.ACK_AND_DELETE);
		}
		if (commands.size() > 2 && !isMissing(commands, 2)) {
			capabilities.add(Capability.WAIT_FOR_FSYNC);
		}
		if (mentions(ask(CommandType.COMMAND, "DOCS", "xreadgroup"), "CLAIM")) {
			capabilities.add(Capability.READ_AND_CLAIM);
		}
		List<?> add = ask(CommandType.COMMAND, "DOCS", "xadd");
		if (mentions(add, "ACKED")) {
			capabilities.add(Capability.TRIM_ACKNOWLEDGED);
		}
		if (mentions(add, "IDMP")) {
			capabilities.add(Capability.IDEMPOTENT_ADD);
		}
		return new ServerInfo(product, version, Set.copyOf(capabilities));
	}

	// An ACL may forbid the question, an old server may not know it: neither is a fault
	private Properties serverSection() {
		try {
			return Converters.toProperties(this.channel.call(CommandType.INFO, NO_STREAM,
					new StatusOutput<>(ByteArrayCodec.INSTANCE), LettuceStreamCommands.args().add("server")));
		}
		catch (RedisSystemException | PermissionDeniedDataAccessException ex) {
			throwIfInterrupted(ex);
			return new Properties();
		}
	}

	private List<?> ask(CommandType command, String... arguments) {
		try {
			var args = LettuceStreamCommands.args();
			for (String argument : arguments) {
				args.add(argument);
			}
			return this.channel.call(command, NO_STREAM, new ArrayOutput<>(ByteArrayCodec.INSTANCE), args);
		}
		catch (RedisSystemException | PermissionDeniedDataAccessException ex) {
			throwIfInterrupted(ex);
			return List.of();
		}
	}

	// Who is interrupted has no answer, and is not to be remembered as one
	private static void throwIfInterrupted(DataAccessException failure) {
		if (Thread.currentThread().isInterrupted()) {
			throw failure;
		}
	}

	private static boolean isMissing(List<?> commands, int index) {
		return commands.size() > index
				&& (commands.get(index) == null || (commands.get(index) instanceof List<?> list && list.isEmpty()));
	}

	private static boolean mentions(List<?> reply, String token) {
		return reply.stream()
			.anyMatch((element) -> (element instanceof List<?> list) ? mentions(list, token)
					: token.equals(LettuceStreamCommands.text(element)));
	}

}
