package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.KeyValueOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What failed commands are turned into.
 */
@RealRedis
class CommandChannelTests {

	private final LettuceFactories factories = new LettuceFactories();

	@AfterEach
	void close() {
		this.factories.close();
	}

	private CommandChannel open(RedisServer server, ClientOptions options) {
		return new CommandChannel(this.factories.to(server.port(), (standalone) -> {
		}, (client) -> client.clientOptions(options)).getConnection(), Duration.ofSeconds(10));
	}

	private static CommandArgs<byte[], byte[]> error(String text) {
		return LettuceStreamCommands.args().add("return redis.error_reply(ARGV[1])").add(0).add(text);
	}

	private static CompletionStage<?> waitForEver(CommandChannel channel) {
		return channel.send(CommandType.BLPOP, "s", new KeyValueOutput<>(ByteArrayCodec.INSTANCE),
				LettuceStreamCommands.args().add("never").add(0));
	}

	private static Throwable failure(CompletionStage<?> stage) {
		return Objects.requireNonNull(catchThrowable(() -> stage.toCompletableFuture().join()).getCause());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					org.springframework.dao.TransientDataAccessResourceException    | OOM command not allowed when used memory > 'maxmemory'.
					org.springframework.dao.TransientDataAccessResourceException    | READONLY You can't write against a read only replica.
					org.springframework.dao.TransientDataAccessResourceException    | LOADING Redis is loading the dataset in memory
					org.springframework.dao.TransientDataAccessResourceException    | NOREPLICAS Not enough good replicas to write.
					org.springframework.dao.TransientDataAccessResourceException    | MISCONF Redis is configured to save RDB snapshots
					org.springframework.dao.TransientDataAccessResourceException    | CLUSTERDOWN The cluster is down
					org.springframework.dao.TransientDataAccessResourceException    | BUSY Redis is busy running a script.
					org.springframework.dao.InvalidDataAccessResourceUsageException | WRONGTYPE Operation against a key holding the wrong kind of value
					org.springframework.dao.PermissionDeniedDataAccessException     | NOPERM this user has no permissions to run the 'xadd' command
					org.springframework.dao.PermissionDeniedDataAccessException     | NOAUTH Authentication required.
					org.springframework.data.redis.RedisSystemException             | NOGROUP No such key 's' or consumer group 'g'
					org.springframework.data.redis.RedisSystemException             | ERR syntax error
					""")
	void saysWhatTheServerSaidInTheExceptionOfItsKind(Class<? extends DataAccessException> kind, String text,
			RedisServer server) {
		CommandChannel channel = open(server, ClientOptions.create());
		assertThat(catchThrowable(
				() -> channel.call(CommandType.EVAL, "s", new StatusOutput<>(ByteArrayCodec.INSTANCE), error(text))))
			.isExactlyInstanceOf(kind)
			.hasMessage(text + " (EVAL on 's')")
			.hasCauseInstanceOf(RedisCommandExecutionException.class);
		assertThat(
				failure(channel.send(CommandType.EVAL, "s", new StatusOutput<>(ByteArrayCodec.INSTANCE), error(text))))
			.isExactlyInstanceOf(kind)
			.hasMessage(text + " (EVAL on 's')")
			.hasCauseInstanceOf(RedisCommandExecutionException.class);
		channel.close();
	}

	@Test
	void namesTheCommandThatTheClientHasGivenUp(RedisServer server) {
		CommandChannel channel = open(server,
				ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled(Duration.ofMillis(50))).build());
		assertThat(failure(waitForEver(channel))).isExactlyInstanceOf(QueryTimeoutException.class)
			.hasMessageContaining("BLPOP on 's'")
			.hasCauseInstanceOf(RedisCommandTimeoutException.class);
		assertThat(channel.isSound()).isFalse();
		channel.close();
	}

	@Test
	void namesTheCommandWhoseConnectionWasLost(RedisServer server) {
		CommandChannel channel = open(server, ClientOptions.builder().autoReconnect(false).build());
		Long id = channel.call(CommandType.CLIENT, "s", new IntegerOutput<>(ByteArrayCodec.INSTANCE),
				LettuceStreamCommands.args().add("ID"));
		CompletionStage<?> reply = waitForEver(channel);
		server.command("CLIENT", "KILL", "ID", id.toString());
		assertThat(failure(reply)).isExactlyInstanceOf(RedisConnectionFailureException.class)
			.hasMessage("Connection lost (BLPOP on 's')");
		assertThat(channel.isSound()).isFalse();
		channel.close();
	}

}
