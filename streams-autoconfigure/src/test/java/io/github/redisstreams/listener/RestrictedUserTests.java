package io.github.redisstreams.listener;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.autoconfigure.actuate.RedisStreamsEndpoint;
import io.github.redisstreams.autoconfigure.actuate.RedisStreamsEndpointAutoConfiguration;
import io.github.redisstreams.autoconfigure.maintenance.RedisStreamsMaintenanceAutoConfiguration;
import io.github.redisstreams.autoconfigure.metrics.RedisStreamsMetricsAutoConfiguration;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.deadletter.Redrive;
import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.publish.StreamTasks;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.NewEntry;
import io.github.redisstreams.redis.NotDurableException;
import io.github.redisstreams.redis.ServerInfo.Capability;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.TaskState;
import io.github.redisstreams.support.StreamHeaders;
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
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.stream.RecordId;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * That an application works as a user who may do no more than docs/acl.md says.
 */
@Tag("core")
@RealRedis
class RestrictedUserTests {

	private static final Path PAGE = Path.of(System.getProperty("basedir", ""), "..", "docs", "acl.md");

	private static final int BASE = 0;

	private static final int OPTIONAL = 5;

	private static final int CLUSTER = 6;

	// What not every application needs, what is optional, and what not every server
	// has, in lines of their own
	private static final List<List<String>> COMMANDS = List.of(
			List.of("xgroup|create", "xgroup|delconsumer", "xreadgroup", "xautoclaim", "xclaim", "xpending", "xack",
					"xadd", "xdel", "xlen", "xrange", "xrevrange", "xinfo|groups", "xinfo|consumers", "eval", "evalsha",
					"set"),
			List.of("xtrim"),
			List.of("hset", "hgetall", "hmget", "del", "zadd", "zrem", "zscore", "zrangebyscore", "time"),
			List.of("hset", "hgetall", "hmget", "del", "pexpire", "time"), List.of("wait"),
			List.of("client|id", "client|unblock", "info", "command", "config|get", "zcard", "time"),
			List.of("cluster|nodes", "cluster|myid"), List.of("xackdel"), List.of("waitaof"));

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

	private static List<String> linesThatTheServerKnows(RedisServer redis) throws IOException {
		List<String> lines = new ArrayList<>(linesToSetTheUser().subList(0, CLUSTER + 1));
		for (String newer : linesToSetTheUser().subList(CLUSTER + 1, COMMANDS.size())) {
			if (redis.knows(commandsIn(newer).get(0))) {
				lines.add(newer);
			}
		}
		return lines;
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
					RedisStreamsMaintenanceAutoConfiguration.class, RedisStreamsEndpointAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withUserConfiguration(Events.class)
			.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=redisstreams")
			.withPropertyValues("spring.application.name=" + GROUP, "spring.data.redis.username=billing",
					"spring.data.redis.password=secret", "redis.streams.consumer=one",
					"redis.streams.listeners.events.stream=" + STREAM, "redis.streams.metrics.interval=50ms",
					"redis.streams.listener.poll-timeout=200ms", "redis.streams.listener.min-idle=300ms",
					"redis.streams.publisher.retention=7d", "redis.streams.publisher.tracking.enabled=true");
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
			redis.command("XGROUP", "DESTROY", STREAM, "audit");
			publishesInAllWays(context);
			looksAndActsAtTheEndpoint(redis, context.getBean(RedisStreamsEndpoint.class));
			waitsForReplicasAndDisks(context.getBean(StreamCommands.class));
		});
	}

	private static void publishesInAllWays(ApplicationContext context) {
		Events events = context.getBean(Events.class);
		StreamTemplate template = context.getBean(StreamTemplate.class);
		StreamTasks tasks = context.getBean(StreamTasks.class);
		template.sendAll("events", List.of("one of many", "another"));
		String delayed = template.sendAfter("events", "delayed", Duration.ofMillis(20));
		String postponed = template.sendAfter("events", "postponed", Duration.ofHours(1));
		assertThat(template.reschedule("events", postponed, Instant.EPOCH)).isTrue();
		assertThat(template.cancel("events", template.sendAfter("events", "cancelled", Duration.ofHours(1)))).isTrue();
		template.send("events", "task", Map.of(StreamHeaders.TASK_KEY, "report-7"));
		template.send("events", "poison", Map.of(StreamHeaders.TASK_KEY, "poison-7"));
		await().untilAsserted(() -> assertThat(events.handled).contains("one of many", "another", "delayed",
				"postponed", "task", "poison"));
		for (String id : List.of(delayed, postponed, "report-7")) {
			awaitState(tasks, id, TaskState.COMPLETED);
		}
		awaitState(tasks, "poison-7", TaskState.DEAD);
		context.getBean(DeadLetters.class).redrive("events", Redrive.builder().build());
		await().untilAsserted(() -> assertThat(events.handled).contains("poison, again"));
		awaitState(tasks, "poison-7", TaskState.COMPLETED);
	}

	private static void awaitState(StreamTasks tasks, String id, TaskState state) {
		await().untilAsserted(() -> assertThat(tasks.find("events", id))
			.hasValueSatisfying((task) -> assertThat(task.state()).isEqualTo(state)));
	}

	private static void looksAndActsAtTheEndpoint(RedisServer redis, RedisStreamsEndpoint endpoint) {
		assertThat(endpoint.listener("events")).isNotNull()
			.satisfies((details) -> assertThat(details.errors()).isNull());
		redis.add("{" + STREAM + "}:dlq", "payload", "useless");
		assertThat(endpoint.perform("events", "redrive", null, null, null, null, null, true).result())
			.containsEntry("redriven", 1L);
		assertThat(endpoint.perform("events", "purge", null, "0", "9999999999999", 10, null, null).result())
			.isEqualTo(Map.of("purged", 1L, "remaining", 0L));
	}

	private static void waitsForReplicasAndDisks(StreamCommands commands) {
		List<NewEntry> entry = List
			.of(new NewEntry(STREAM, List.of("payload".getBytes(UTF_8), "durable".getBytes(UTF_8))));
		Durability onReplica = new Durability(1, false, Duration.ofMillis(50));
		// Without a replica, but asked
		assertThat(commands.publishing().addAll(entry, onReplica).get(0)).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(NotDurableException.class)
			.withNoCause();
		if (commands.serverInfo().has(Capability.WAIT_FOR_FSYNC)) {
			Durability onDisk = new Durability(0, true, Duration.ofSeconds(10));
			assertThat(commands.publishing().addAll(entry, onDisk).get(0)).succeedsWithin(Duration.ofSeconds(20));
		}
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
		setUser(redis, linesThatTheServerKnows(redis));
		redis.command("CONFIG", "RESETSTAT");
		doesItsWork(redis);
		assertThat(refused(redis)).isEmpty();
		assertThat(COMMANDS.subList(BASE + 1, OPTIONAL)).as("none for nothing")
			.allSatisfy((line) -> assertThat(line).allMatch((command) -> redis.commandStat(command).isPresent()));
	}

	@Test
	void doesItsWorkWithoutWhatIsOptional(RedisServer redis) throws IOException {
		setUser(redis, linesToSetTheUser().subList(BASE, OPTIONAL));
		doesItsWork(redis);
		assertThat(refused(redis)).isNotEmpty().allMatch((command) -> isOneOf(COMMANDS.get(OPTIONAL), command));
	}

	@Test
	void listensToOthersWithTheFirstLineAlone(RedisServer redis) throws IOException {
		setUser(redis, linesToSetTheUser().subList(BASE, BASE + 1));
		redis.command("ACL", "LOG", "RESET");
		runner().withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port())
			.run((context) -> {
				Events events = context.getBean(Events.class);
				redis.add(STREAM, "payload", "added");
				redis.add(STREAM, "payload", "fails once");
				await().untilAsserted(
						() -> assertThat(events.handled).containsExactly("added", "fails once", "fails once, again"));
				await().until(() -> redis.pending(STREAM, GROUP) == 0);
			});
		assertThat(refused(redis)).isNotEmpty().allMatch((command) -> isOneOf(COMMANDS.get(OPTIONAL), command));
	}

	// Of a command or subcommand, which the page may list as a whole or in part
	private static boolean isOneOf(List<String> commands, String refused) {
		return commands.stream()
			.anyMatch((optional) -> (refused + "|").startsWith(optional + "|")
					|| (optional + "|").startsWith(refused + "|"));
	}

	@Test
	void doesItsWorkOnAClusterWithWhatThePageAdds() throws IOException {
		try (RedisCluster cluster = RedisCluster.started(1)) {
			RedisServer node = cluster.node(0);
			setUser(node, linesThatTheServerKnows(node));
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
		assertThat(told)
			.containsExactlyInAnyOrderElementsOf(COMMANDS.stream().flatMap(List::stream).distinct().toList());
	}

	static class Events {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@StreamListener("events")
		void handle(String payload) {
			if (Set.of("fails once", "poison").contains(payload) && this.handled.contains(payload)) {
				this.handled.add(payload + ", again");
				return;
			}
			this.handled.add(payload);
			if (payload.equals("fails once")) {
				throw new IllegalStateException("not yet");
			}
			if (payload.equals("poison")) {
				throw new DeadLetterException("not at all");
			}
		}

		@StreamListener(value = "events", id = "audit", group = "audit", autoStartup = "false")
		void audit(String payload) {
		}

	}

}
