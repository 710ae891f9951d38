package io.github.redisstreams.maintenance;

import java.time.Duration;
import java.util.List;

import io.github.redisstreams.config.ListenerSettings;
import io.github.redisstreams.config.StreamListenerContainerFactory;
import io.github.redisstreams.config.StreamListenerEndpoint;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is said of the server's eviction policy.
 */
@RealRedis(own = true)
@ExtendWith(OutputCaptureExtension.class)
class EvictionCheckTests {

	private static final String WARNING = "evicts any key when its memory is full";

	private final LettuceFactories factories = new LettuceFactories();

	private final StreamListenerRegistry registry = new StreamListenerRegistry();

	private LettuceStreamCommands commands;

	private StreamListenerContainerFactory containerFactory;

	private EvictionCheck check;

	@BeforeEach
	void setUp(RedisServer redis) {
		use(this.factories.to(redis.port()));
		this.registry.register(new StreamListenerEndpoint("events", "events", "this test", (deliveries) -> {
		}, (options) -> options.group("billing").consumer("one").autoStartup(false)), this.containerFactory);
	}

	private void use(LettuceConnectionFactory connectionFactory) {
		this.commands = new LettuceStreamCommands(connectionFactory);
		this.containerFactory = new StreamListenerContainerFactory(this.commands, ListenerSettings.NONE, List.of(),
				false);
		this.check = new EvictionCheck(this.commands, this.registry, Duration.ofMillis(50));
	}

	@AfterEach
	void tearDown(RedisServer redis) {
		this.check.stop();
		this.containerFactory.close();
		this.commands.close();
		this.factories.close();
		redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
	}

	private static boolean isChecking() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((thread) -> thread.getName().startsWith("streams-eviction-check-"));
	}

	private void runCheck() {
		this.check.start();
		await().until(() -> !isChecking());
	}

	@ParameterizedTest
	@ValueSource(strings = { "allkeys-lru", "allkeys-lfu", "allkeys-random" })
	@DisplayName("C16 a policy that may evict streams is warned of, with the mend")
	void warnsOfAPolicyThatEvictsStreams(String policy, RedisServer redis, CapturedOutput output) {
		redis.command("CONFIG", "SET", "maxmemory-policy", policy);
		runCheck();
		assertThat(output).containsOnlyOnce(WARNING)
			.contains("WARN")
			.contains("maxmemory-policy is '" + policy + "'")
			.contains("noeviction");
	}

	@ParameterizedTest
	@ValueSource(strings = { "noeviction", "volatile-lru", "volatile-ttl" })
	@DisplayName("C16 a policy that spares streams is not warned of")
	void saysNothingOfAPolicyThatSparesStreams(String policy, RedisServer redis, CapturedOutput output) {
		redis.command("CONFIG", "SET", "maxmemory-policy", policy);
		runCheck();
		assertThat(output).doesNotContain(WARNING).doesNotContain("WARN").doesNotContain("ERROR");
	}

	@Test
	@DisplayName("C16 a user who may not ask for settings sees no warning and no error")
	void saysNothingWithoutThePermission(RedisServer redis, CapturedOutput output) {
		redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		redis.command("ACL", "SETUSER", "noconfig", "on", "nopass", "~*", "+@all", "-config");
		this.commands.close();
		use(this.factories.to(redis.port(), (server) -> server.setUsername("noconfig"), (client) -> {
		}));
		runCheck();
		assertThat(output).doesNotContain(WARNING).doesNotContain("WARN").doesNotContain("ERROR");
	}

	@Test
	void waitsForRedisInTheBackground(RedisServer redis, CapturedOutput output) {
		redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		redis.stop();
		long start = System.nanoTime();
		this.check.start();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
		assertThat(isChecking()).isTrue();
		redis.start();
		redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		await().untilAsserted(() -> assertThat(output).containsOnlyOnce(WARNING));
		await().until(() -> !isChecking());
	}

	@Test
	void endsWithTheApplicationThoughRedisIsDown(RedisServer redis) {
		redis.stop();
		this.check.start();
		assertThat(this.check.isRunning()).isTrue();
		this.check.stop();
		assertThat(this.check.isRunning()).isFalse();
		await().until(() -> !isChecking());
		redis.start();
	}

	@Test
	void asksNothingWhereThereAreNoListeners() {
		EvictionCheck check = new EvictionCheck(this.commands, new StreamListenerRegistry());
		check.start();
		assertThat(isChecking()).isFalse();
		assertThat(check.isRunning()).isTrue();
		check.stop();
	}

}
