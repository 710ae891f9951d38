package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.List;

import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.DataAccessException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What there is to know about the consumers of a group and what they hold.
 */
@Tag("core")
@RealRedis
class GroupCommandsTests {

	private final LettuceFactories factories = new LettuceFactories();

	@AfterEach
	void close() {
		this.factories.close();
	}

	private LettuceStreamCommands commands(RedisServer redis, ProtocolVersion protocol) {
		ClientOptions options = ClientOptions.builder().protocolVersion(protocol).build();
		return new LettuceStreamCommands(this.factories.to(redis.port(), (server) -> {
		}, (client) -> client.clientOptions(options)));
	}

	@ParameterizedTest
	@EnumSource(ProtocolVersion.class)
	void tellsTheConsumersOfAGroup(ProtocolVersion protocol, RedisServer redis) {
		redis.addPipelined("s", 3);
		redis.command("XGROUP", "CREATE", "s", "g", "0");
		redis.command("XGROUP", "CREATECONSUMER", "s", "g", "new");
		redis.deliver("s", "g", "busy", 2);
		try (LettuceStreamCommands commands = commands(redis, protocol)) {
			List<ConsumerInfo> consumers = commands.consumers("s", "g");
			assertThat(consumers).extracting(ConsumerInfo::name).containsExactly("busy", "new");
			assertThat(consumers).extracting(ConsumerInfo::pending).containsExactly(2L, 0L);
			assertThat(consumers).extracting(ConsumerInfo::idle)
				.allSatisfy((idle) -> assertThat(idle).isBetween(Duration.ZERO, Duration.ofMinutes(1)));
			assertThat(consumers.get(1).inactive()).as("never given anything").isNull();
			if (redis.list("XINFO", "CONSUMERS", "s", "g").toString().contains("inactive")) {
				assertThat(consumers.get(0).inactive()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
			}
			else {
				assertThat(consumers.get(0).inactive()).isNull();
			}
		}
	}

	@ParameterizedTest
	@EnumSource(ProtocolVersion.class)
	void tellsWhatIsPendingInAGroupPageByPage(ProtocolVersion protocol, RedisServer redis) {
		List<String> ids = redis.addPipelined("s", 5);
		redis.command("XGROUP", "CREATE", "s", "g", "0");
		redis.deliver("s", "g", "one", 2);
		redis.deliver("s", "g", "two", 2);
		redis.command("XCLAIM", "s", "g", "two", "0", ids.get(1), "IDLE", "7000", "RETRYCOUNT", "4", "JUSTID");
		try (LettuceStreamCommands commands = commands(redis, protocol)) {
			List<PendingDelivery> first = commands.pending("s", "g", EntryId.ZERO, 3);
			assertThat(first).extracting((entry) -> entry.id().toString()).isEqualTo(ids.subList(0, 3));
			assertThat(first).extracting(PendingDelivery::consumer).containsExactly("one", "two", "two");
			assertThat(first).extracting(PendingDelivery::deliveryCount).containsExactly(1L, 4L, 1L);
			assertThat(first.get(1).idle()).isBetween(Duration.ofSeconds(7), Duration.ofMinutes(1));
			assertThat(commands.pending("s", "g", first.get(2).id(), 3)).singleElement()
				.satisfies((entry) -> assertThat(entry.id()).hasToString(ids.get(3)));
		}
	}

	@Test
	void failsWhereThereIsNoSuchGroup(RedisServer redis) {
		redis.add("s", "n", "1");
		try (LettuceStreamCommands commands = commands(redis, ProtocolVersion.RESP2)) {
			assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> commands.consumers("s", "g"))
				.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.GROUP_MISSING));
			assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> commands.consumers("none", "g"));
			assertThatExceptionOfType(DataAccessException.class)
				.isThrownBy(() -> commands.pending("s", "g", EntryId.ZERO, 1))
				.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.GROUP_MISSING));
		}
	}

}
