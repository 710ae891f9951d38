package io.github.redisstreams.listener;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.test.ErrorProxy;
import io.github.redisstreams.test.RawRedis;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Field cases: a server that is there and refuses commands.
 */
@Tag("slow")
@RealRedis(own = true)
@ExtendWith(OutputCaptureExtension.class)
class FieldCaseRefusalTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final List<String> ERRORS = List.of(
			"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
			"NOREPLICAS Not enough good replicas to write.", "READONLY You can't write against a read only replica.",
			"LOADING Redis is loading the dataset in memory",
			"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
			"CLUSTERDOWN The cluster is down", "OOM command not allowed when used memory > 'maxmemory'.",
			"NOPERM this user has no permissions to run the command");

	private RedisServer server;

	private Containers containers;

	@BeforeEach
	void open(RedisServer server) {
		this.server = server;
		server.command("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM");
		server.command("ACL", "SETUSER", "app", "reset", "on", ">secret", "~*", "&*", "+@all");
		this.containers = new Containers(server);
	}

	@AfterEach
	void close() {
		this.containers.close();
	}

	static Stream<Arguments> refusals() {
		return ERRORS.stream()
			.flatMap((error) -> Stream.of("read", "claim", "ack", "script")
				.map((what) -> argumentSet(error.substring(0, error.indexOf(' ')) + " to the " + what, error, what)));
	}

	@ParameterizedTest
	@MethodSource("refusals")
	@DisplayName("C06 a refused read, claim, ack or script ends no thread")
	void goesOnOnceWhatWasRefusedIsServed(String error, String what, CapturedOutput output) {
		List<String> ids = new ArrayList<>(this.server.addPipelined("s", 6));
		this.server.deliver("s", "g", "dead", 2);
		ids.subList(0, 2)
			.forEach((id) -> this.server.command("XCLAIM", "s", "g", "dead", "0", id, "IDLE", "120000", "JUSTID"));
		String failsOnce = ids.get(3);
		String rejected = ids.get(4);
		Recorder handler = new FailingRecorder(failsOnce, rejected);
		try (ErrorProxy proxy = new ErrorProxy(this.server.port());
				Containers behindProxy = new Containers(proxy.port())) {
			proxy.refuse(error, commandsOf(what));
			StreamListenerContainer container = behindProxy.start("me",
					(options) -> options.pollTimeout(Duration.ofMillis(100))
						.claimInterval(Duration.ofMillis(100))
						.retry((retry) -> retry.initialInterval(Duration.ofMillis(10))),
					handler);
			Thread poller = poller();
			await().atMost(PATIENCE).until(() -> proxy.refusals() >= 3);
			await().atMost(PATIENCE).until(() -> container.getStatus().lastError() != null);
			assertThat(container.getStatus().lastError()).contains(error);
			proxy.heal();
			ids.addAll(this.server.addPipelined("s", 3));
			awaitHandled(handler, ids);
			assertThat(handler.ids()).as("none twice but the one that failed")
				.containsExactlyInAnyOrderElementsOf(and(ids, failsOnce));
			await().atMost(PATIENCE).until(() -> container.getStatus().lastError() == null);
			await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
			assertThat(this.server.integer("XLEN", "{s}:dlq")).isEqualTo(1);
			assertThat(poller()).isSameAs(poller);
			assertThatEachChangeIsLoggedOnce(output);
		}
	}

	private static String[] commandsOf(String what) {
		return switch (what) {
			case "read" -> new String[] { "XREADGROUP" };
			case "claim" -> new String[] { "XAUTOCLAIM" };
			case "ack" -> new String[] { "XACK" };
			default -> new String[] { "EVALSHA", "EVAL" };
		};
	}

	private static List<String> and(List<String> ids, String more) {
		return Stream.concat(ids.stream(), Stream.of(more)).toList();
	}

	private static void assertThatEachChangeIsLoggedOnce(CapturedOutput output) {
		await().atMost(PATIENCE).untilAsserted(() -> {
			Map<String, Long> failures = output.getOut()
				.lines()
				.filter((line) -> line.endsWith("It goes on trying"))
				.map(FieldCaseRefusalTests::subject)
				.collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
			assertThat(failures).isNotEmpty().allSatisfy((subject, count) -> assertThat(count).as(subject).isOne());
			assertThat(output.getOut().lines().filter((line) -> line.contains(" again, after "))).as("mended")
				.hasSize(failures.size());
		});
	}

	private static String subject(String line) {
		String message = line.substring(line.indexOf(" -- ") + 4);
		return message.substring(0, message.indexOf(": "));
	}

	private static Thread poller() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("streams-poller-me"))
			.findFirst()
			.orElseThrow();
	}

	private void awaitHandled(Recorder handler, List<String> ids) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(handler.ids()).containsAll(ids));
		await().atMost(PATIENCE)
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(this.server.pending("s", "g")).isZero());
	}

	static Stream<Arguments> realRefusals() {
		return Stream.of(
				argumentSet("NOREPLICAS", "NOREPLICAS", commands("CONFIG SET min-replicas-to-write 1"),
						commands("CONFIG SET min-replicas-to-write 0")),
				argumentSet("READONLY", "READONLY", commands("REPLICAOF 127.0.0.1 1"), commands("REPLICAOF NO ONE")),
				argumentSet("OOM", "OOM", commands("CONFIG SET maxmemory 1"), commands("CONFIG SET maxmemory 0")),
				argumentSet("NOPERM", "NOPERM",
						commands("ACL SETUSER app -xreadgroup -xautoclaim -xack -evalsha -eval"),
						commands("ACL SETUSER app +@all")),
				argumentSet("BUSY", "BUSY", (Consumer<RedisServer>) FieldCaseRefusalTests::runScriptForEver,
						(Consumer<RedisServer>) FieldCaseRefusalTests::endScript),
				argumentSet("MISCONF", "MISCONF", (Consumer<RedisServer>) FieldCaseRefusalTests::failToSave,
						(Consumer<RedisServer>) FieldCaseRefusalTests::saveNoMore));
	}

	private static Consumer<RedisServer> commands(String... commands) {
		return (server) -> Arrays.stream(commands).forEach((command) -> server.command(command.split(" ")));
	}

	private static void runScriptForEver(RedisServer server) {
		server.command("CONFIG", "SET", "lua-time-limit", "50");
		RawRedis connection = server.connect();
		connection.send("EVAL", "while true do end", "0");
		connection.flush();
	}

	private static void endScript(RedisServer server) {
		server.command("SCRIPT", "KILL");
		await().atMost(PATIENCE).ignoreExceptions().until(() -> server.text("PING").equals("PONG"));
	}

	// What has been saved cannot take the place of a directory
	private static void failToSave(RedisServer server) {
		try {
			Files.createDirectory(savedTo(server));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		server.command("CONFIG", "SET", "save", "3600 1000000");
		await().atMost(PATIENCE).ignoreExceptions().until(() -> server.command("BGSAVE") != null);
		await().atMost(PATIENCE).until(() -> server.info("rdb_last_bgsave_status").orElse("").equals("err"));
	}

	private static void saveNoMore(RedisServer server) {
		server.command("CONFIG", "SET", "save", "");
		assertThat(savedTo(server).toFile().delete()).isTrue();
	}

	private static Path savedTo(RedisServer server) {
		return Path.of((String) server.list("CONFIG", "GET", "dir").get(1), "dump.rdb");
	}

	@ParameterizedTest
	@MethodSource("realRefusals")
	@DisplayName("C06 a server that really refuses ends no thread")
	void goesOnOnceTheServerServesAgain(String error, Consumer<RedisServer> refuse, Consumer<RedisServer> heal,
			CapturedOutput output) {
		List<String> ids = new ArrayList<>(this.server.addPipelined("s", 3));
		Gate gate = new Gate();
		Recorder handler = new FailingRecorder(ids.get(1), ids.get(2)) {

			@Override
			void afterRecording(List<Delivery> deliveries) throws Exception {
				gate.handle(deliveries);
			}

		};
		StreamListenerContainer container = this.containers.create("me", "app", "secret",
				(options) -> options.concurrency(3)
					.pollTimeout(Duration.ofMillis(100))
					.retry((retry) -> retry.initialInterval(Duration.ofMillis(10))),
				handler);
		container.start().join();
		await().atMost(PATIENCE).until(() -> handler.size() == 3);
		Thread poller = poller();
		refuse.accept(this.server);
		try {
			gate.open();
			await().atMost(PATIENCE)
				.until(() -> output.getOut()
					.lines()
					.anyMatch((line) -> line.contains(": Redis ") && line.contains(error)
							&& line.endsWith("It goes on trying")));
		}
		finally {
			heal.accept(this.server);
		}
		ids.addAll(this.server.addPipelined("s", 3));
		awaitHandled(handler, ids);
		assertThat(handler.ids()).as("none twice but the one that failed")
			.containsExactlyInAnyOrderElementsOf(and(ids, ids.get(1)));
		await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
		assertThat(gate.interrupted()).isZero();
		assertThat(this.server.integer("XLEN", "{s}:dlq")).isEqualTo(1);
		assertThat(poller()).isSameAs(poller);
	}

	/**
	 * Fails at first on one entry, and rejects another.
	 */
	private static class FailingRecorder extends Recorder {

		private final String failsOnce;

		private final String rejected;

		FailingRecorder(String failsOnce, String rejected) {
			this.failsOnce = failsOnce;
			this.rejected = rejected;
		}

		void afterRecording(List<Delivery> deliveries) throws Exception {
		}

		@Override
		public void handle(List<Delivery> deliveries) throws Exception {
			super.handle(deliveries);
			afterRecording(deliveries);
			Delivery delivery = deliveries.get(0);
			String id = delivery.entry().id().toString();
			if (id.equals(this.rejected)) {
				throw new DeadLetterException("rejected");
			}
			if (id.equals(this.failsOnce) && delivery.entry().deliveryCount() == 1) {
				throw new IllegalStateException("at first");
			}
		}

	}

}
