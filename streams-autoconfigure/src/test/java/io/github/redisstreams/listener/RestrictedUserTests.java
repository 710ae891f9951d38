package io.github.redisstreams.listener;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.autoconfigure.maintenance.RedisStreamsMaintenanceAutoConfiguration;
import io.github.redisstreams.autoconfigure.metrics.RedisStreamsMetricsAutoConfiguration;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisCluster;
import io.github.redisstreams.test.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.stream.RecordId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * That an application works as a user who may do no more than docs/acl.md says.
 */
@Tag("core")
@RealRedis
class RestrictedUserTests {

	private static final Path PAGE = Path.of(System.getProperty("basedir", ""), "..", "docs", "acl.md");

	// What is optional, and what not every server has, in lines of their own
	private static final List<List<String>> COMMANDS = List.of(
			List.of("xgroup|create", "xgroup|delconsumer", "xreadgroup", "xautoclaim", "xclaim", "xpending", "xack",
					"xadd", "xdel", "xlen", "xrange", "xrevrange", "xinfo|groups", "xinfo|consumers", "eval", "evalsha",
					"set"),
			List.of("client|id", "client|unblock", "info", "command", "config|get", "time"),
			List.of("cluster|nodes", "cluster|myid"), List.of("xackdel"));

	private static final String STREAM = "app:events";

	private static final String GROUP = "billing";

	@AfterEach
	void deleteUser(RedisServer redis) {
		redis.command("ACL", "DELUSER", "billing");
	}

	private static List<String> page() throws IOException {
		return Files.readAllLines(PAGE);
	}

	private static List<String> linesToSetTheUser() throws IOException {
		return page().stream().filter((line) -> line.startsWith("ACL SETUSER billing ")).toList();
	}

	private static void setUser(RedisServer redis, List<String> lines) {
		lines.forEach((line) -> redis.command(line.split(" ")));
		// What the client greets with may be refused, but would be in the log, too.
		// Redis 6.2 refuses what it does not know, others do not grant that.
		for (String greeting : List.of("client|setname", "client|setinfo", "client|maint_notifications")) {
			if (redis.isOlderThanRedis7() || redis.knows(greeting)) {
				redis.command("ACL", "SETUSER", "billing", "+" + greeting);
			}
		}
	}

	private static List<String> commandsIn(String line) {
		return Arrays.stream(line.split(" "))
			.filter((word) -> word.startsWith("+"))
			.map((word) -> word.substring(1))
			.toList();
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					RedisStreamsAutoConfiguration.class, RedisStreamsMetricsAutoConfiguration.class,
					RedisStreamsMaintenanceAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withUserConfiguration(Events.class)
			.withPropertyValues("spring.application.name=" + GROUP, "spring.data.redis.username=billing",
					"spring.data.redis.password=secret", "redis.streams.consumer=one",
					"redis.streams.listeners.events.stream=" + STREAM, "redis.streams.metrics.interval=50ms",
					"redis.streams.listener.poll-timeout=200ms", "redis.streams.listener.min-idle=300ms");
	}

	private static void doesItsWork(RedisServer redis) {
		doesItsWork(redis, "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port());
	}

	private static void doesItsWork(RedisServer redis, String... connection) {
		redis.command("ACL", "LOG", "RESET");
		runner().withPropertyValues(connection).run((context) -> {
			assertThat(context).hasNotFailed();
			Events events = context.getBean(Events.class);
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			RecordId first = context.getBean(StreamTemplate.class).send("events", "published");
			redis.add(STREAM, "payload", "added");
			await().untilAsserted(() -> assertThat(events.handled).containsExactly("published", "added"));
			redis.add(STREAM, "payload", "fails once");
			await().untilAsserted(
					() -> assertThat(events.handled).as("claimed").endsWith("fails once", "fails once, again"));
			await().until(() -> redis.pending(STREAM, GROUP) == 0);
			awaitGauge(meters, "pending", GROUP, 0);
			awaitGauge(meters, "lag", GROUP, 0);
			awaitGauge(meters, "oldest.pending", GROUP, 0);
			awaitGauge(meters, "oldest.undelivered", GROUP, 0);
			// The server cannot tell the lag of a group in the middle
			redis.command("XGROUP", "CREATE", STREAM, "audit", first.getValue());
			awaitGauge(meters, "lag", "audit", 2);
		});
	}

	private static void awaitGauge(MeterRegistry meters, String name, String group, double value) {
		await().ignoreExceptions()
			.until(() -> meters.get("redis.streams.group." + name).tag("group", group).gauge().value() == value);
	}

	// Commands and keys
	private static List<String> refused(RedisServer redis) {
		return redis.list("ACL", "LOG")
			.stream()
			.map((entry) -> (List<?>) entry)
			.map((entry) -> ((String) entry.get(entry.indexOf("object") + 1)).toLowerCase(Locale.ROOT))
			.toList();
	}

	@Test
	void doesItsWorkAndIsRefusedNothingWithAllThatThePageLists(RedisServer redis) throws IOException {
		List<String> lines = linesToSetTheUser();
		setUser(redis, redis.knows("XACKDEL") ? lines : lines.subList(0, 3));
		doesItsWork(redis);
		assertThat(refused(redis)).isEmpty();
	}

	@Test
	void doesItsWorkWithoutWhatIsOptional(RedisServer redis) throws IOException {
		setUser(redis, linesToSetTheUser().subList(0, 1));
		doesItsWork(redis);
		assertThat(refused(redis)).isNotEmpty().allMatch(RestrictedUserTests::isOptional);
	}

	// Of a command or subcommand, which the page may list as a whole or in part
	private static boolean isOptional(String refused) {
		return COMMANDS.get(1)
			.stream()
			.anyMatch((optional) -> (refused + "|").startsWith(optional + "|")
					|| (optional + "|").startsWith(refused + "|"));
	}

	@Test
	void doesItsWorkOnAClusterWithWhatThePageAdds() throws IOException {
		try (RedisCluster cluster = RedisCluster.started(1)) {
			RedisServer node = cluster.node(0);
			setUser(node, linesToSetTheUser().subList(0, 3));
			doesItsWork(node, "spring.data.redis.cluster.nodes=127.0.0.1:" + node.port());
			assertThat(refused(node)).isEmpty();
		}
	}

	@Test
	void thePageListsExactlyTheseCommandsAndTellsWhatEachIsFor() throws IOException {
		assertThat(linesToSetTheUser()).map(RestrictedUserTests::commandsIn).isEqualTo(COMMANDS);
		List<String> told = page().stream()
			.filter((line) -> line.startsWith("| `"))
			.map((line) -> line.replace("\\|", "/").split("\\|")[1].replace('/', '|'))
			.flatMap((cell) -> Stream.of(cell.split(",")))
			.map((name) -> name.strip().replace("`", ""))
			.toList();
		assertThat(told).containsExactlyInAnyOrderElementsOf(COMMANDS.stream().flatMap(List::stream).toList());
	}

	static class Events {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@StreamListener("events")
		void handle(String payload) {
			if (payload.equals("fails once") && this.handled.contains(payload)) {
				this.handled.add(payload + ", again");
				return;
			}
			this.handled.add(payload);
			if (payload.equals("fails once")) {
				throw new IllegalStateException("not yet");
			}
		}

		@StreamListener(value = "events", id = "audit", group = "audit", autoStartup = "false")
		void audit(String payload) {
		}

	}

}
