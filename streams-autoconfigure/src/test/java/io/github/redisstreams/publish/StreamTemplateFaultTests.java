package io.github.redisstreams.publish;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.support.StreamHeaders;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.data.redis.RedisConnectionFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * As what {@link StreamTemplate} throws the failures of a real server, however it sends,
 * and that nothing was written then.
 */
@Tag("core")
@RealRedis(own = true)
class StreamTemplateFaultTests {

	private static final Map<String, Consumer<StreamTemplate>> WAYS = Map.of("send",
			(template) -> template.send("events", "x"), "send again", (template) -> template.send("events", "x"),
			"send a task", (template) -> template.send("events", "x", Map.of(StreamHeaders.TASK_KEY, "k")), "sendAsync",
			(template) -> template.sendAsync("events", "x").join(), "sendAll",
			(template) -> template.sendAll("events", List.of("x", "y")), "sendAt for now",
			(template) -> template.sendAt("events", "x", Instant.EPOCH), "sendAfter",
			(template) -> template.sendAfter("events", "x", Duration.ofHours(1)));

	private final LettuceFactories factories = new LettuceFactories();

	private final List<LettuceStreamCommands> opened = new ArrayList<>();

	private StreamTemplate connect(int port, String user) {
		LettuceStreamCommands commands = new LettuceStreamCommands(this.factories.to(port,
				(server) -> server.setUsername(user), (client) -> client.commandTimeout(Duration.ofSeconds(1))));
		this.opened.add(commands);
		return new DefaultStreamTemplate(commands, new EntryMessageConverter(JsonMapper.shared()));
	}

	@AfterEach
	void disconnect() {
		this.opened.forEach(LettuceStreamCommands::close);
		this.factories.close();
	}

	private void everyWayFailsWith(Class<? extends DataAccessException> type, String message, StreamTemplate template) {
		WAYS.keySet().forEach((way) -> failsWith(type, message, way, template));
	}

	private static void failsWith(Class<? extends DataAccessException> type, String message, String way,
			StreamTemplate template) {
		Throwable failure = catchThrowable(() -> Objects.requireNonNull(WAYS.get(way)).accept(template));
		if (failure instanceof CompletionException) {
			failure = failure.getCause();
		}
		if (failure instanceof PartlySentException partly) {
			assertThat(partly.getSent()).as(way).isEmpty();
			assertThat(partly.getFailures()).as(way).containsOnlyKeys(0, 1);
			assertThat(partly).as(way).hasMessageContaining("'events'");
			assertThat(partly.getFailures().get(1)).as(way).isInstanceOf(type);
			failure = partly.getCause();
		}
		assertThat(failure).as(way).isInstanceOf(type).hasMessageContaining(message).hasMessageContaining("'events'");
	}

	private static void assertNothingWritten(RedisServer redis) {
		assertThat(redis.list("KEYS", "*")).isEmpty();
	}

	@Test
	void aServerOutOfMemoryIsTransient(RedisServer redis) {
		StreamTemplate template = connect(redis.port(), "default");
		redis.command("CONFIG", "SET", "maxmemory", "1");
		try {
			everyWayFailsWith(TransientDataAccessResourceException.class, "OOM", template);
		}
		finally {
			redis.command("CONFIG", "SET", "maxmemory", "0");
		}
		assertNothingWritten(redis);
		assertThat(template.send("events", "x")).isNotNull();
	}

	@Test
	void aServerThatIsAReplicaByNowIsTransient(RedisServer redis) {
		StreamTemplate template = connect(redis.port(), "default");
		redis.command("REPLICAOF", "127.0.0.1", Integer.toString(RedisServer.freePort()));
		try {
			everyWayFailsWith(TransientDataAccessResourceException.class, "READONLY", template);
		}
		finally {
			redis.command("REPLICAOF", "NO", "ONE");
		}
		assertNothingWritten(redis);
		assertThat(template.send("events", "x")).isNotNull();
	}

	@Test
	void aKeyThatIsNoStreamIsAWrongUse(RedisServer redis) {
		redis.command("SET", "events", "text");
		StreamTemplate template = connect(redis.port(), "default");
		// Where it matters only later, it shows only later
		WAYS.keySet()
			.stream()
			.filter((way) -> !way.equals("sendAfter"))
			.forEach((way) -> failsWith(InvalidDataAccessResourceUsageException.class, "WRONGTYPE", way, template));
		assertThat(redis.command("GET", "events")).isEqualTo("text");
		assertThat(redis.list("KEYS", "*")).containsExactly("events");
	}

	@Test
	void aFailureTellsWhoHasSent(RedisServer redis) {
		redis.command("SET", "events", "text");
		StreamTemplate template = connect(redis.port(), "default");
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> template.send("events", "x"))
			.satisfies((failure) -> assertThat(failure.getStackTrace())
				.anySatisfy((frame) -> assertThat(frame.getClassName()).isEqualTo(getClass().getName())));
	}

	@Test
	void aUserWhoMayNotWriteIsDenied(RedisServer redis) {
		redis.command("ACL", "SETUSER", "reader", "on", "nopass", "~*", "+@all", "-xadd", "-hset");
		StreamTemplate template = connect(redis.port(), "reader");
		everyWayFailsWith(PermissionDeniedDataAccessException.class, "", template);
		assertNothingWritten(redis);
	}

	@Test
	void aServerThatIsGoneIsAConnectionFailure(RedisServer redis) {
		StreamTemplate template = connect(redis.port(), "default");
		template.send("others", "x");
		redis.stop();
		everyWayFailsWith(RedisConnectionFailureException.class, "", template);
		redis.start();
		assertThat(template.send("events", "x")).isNotNull();
	}

	@Test
	void aReplyThatDoesNotComeIsATimeout(RedisServer redis) {
		try (TcpProxy proxy = new TcpProxy(redis.port())) {
			StreamTemplate template = connect(proxy.port(), "default");
			WAYS.keySet().forEach((way) -> {
				proxy.heal();
				template.send("others", "x");
				proxy.swallowReplies();
				failsWith(QueryTimeoutException.class, "", way, template);
			});
		}
	}

}
