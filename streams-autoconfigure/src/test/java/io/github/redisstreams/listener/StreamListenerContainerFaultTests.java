package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * That nothing that happens to Redis ends a container or loses an entry.
 */
@Tag("core")
@RealRedis(own = true)
class StreamListenerContainerFaultTests {

	private RedisServer server;

	private Containers containers;

	@BeforeEach
	void open(RedisServer server) {
		this.server = server;
		this.containers = new Containers(server);
	}

	@AfterEach
	void close() {
		this.containers.close();
	}

	private void awaitBlocked() {
		await().ignoreExceptions().until(() -> !this.server.blockedClients().isEmpty());
	}

	private void awaitHandled(Recorder handler, List<String> ids) {
		await().untilAsserted(() -> assertThat(handler.ids()).containsAll(ids));
		await().ignoreExceptions().untilAsserted(() -> assertThat(this.server.pending("s", "g")).isZero());
	}

	private long calls(String command) {
		return this.server.commandStat(command)
			.map((stat) -> Long.parseLong(stat.substring("calls=".length(), stat.indexOf(','))))
			.orElse(0L);
	}

	@Test
	void goesOnAfterARestartOfRedis() {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		List<String> ids = new ArrayList<>(this.server.addPipelined("s", 100));
		awaitHandled(handler, ids);
		awaitBlocked();
		this.server.restart();
		ids.addAll(this.server.addPipelined("s", 100));
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
	}

	@Test
	void goesOnAfterRedisWasKilledWhileHandlersRan() {
		List<String> ids = new ArrayList<>(this.server.addPipelined("s", 3));
		Gate handler = new Gate();
		this.containers.start("me", (options) -> options.concurrency(3), handler);
		await().until(() -> handler.size() == 3);
		this.server.kill();
		handler.open();
		await().until(() -> handler.done() == 3);
		this.server.start();
		ids.add(this.server.add("s", "n", "next"));
		awaitHandled(handler, ids);
		assertThat(handler.ids()).as("acknowledged, so not handled twice").containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	void startsWhileRedisIsDown() {
		this.server.add("s", "n", "1");
		this.server.stop();
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.create("me", (options) -> options, handler);
		assertThat(container.start()).succeedsWithin(3, TimeUnit.SECONDS);
		assertThat(container.isRunning()).isTrue();
		this.server.start();
		await().untilAsserted(() -> assertThat(handler.size()).isEqualTo(1));
	}

	@Test
	void stopsWhileRedisIsDown() {
		List<String> ids = this.server.addPipelined("s", 1);
		Gate handler = new Gate();
		StreamListenerContainer container = this.containers.start("me", handler);
		await().until(() -> handler.size() == 1);
		this.server.kill();
		handler.open();
		CompletableFuture<Void> stopped = CompletableFuture.runAsync(container::stop);
		assertThat(stopped).succeedsWithin(7, TimeUnit.SECONDS);
		this.server.start();
		assertThat(this.server.pendingEntries("s", "g")).containsOnlyKeys(ids.get(0));
	}

	static Stream<Arguments> losses() {
		return Stream.of(argumentSet("XGROUP DESTROY", loss("XGROUP", "DESTROY", "s", "g")),
				argumentSet("DEL", loss("DEL", "s")), argumentSet("FLUSHALL", loss("FLUSHALL")),
				argumentSet("RENAME", loss("RENAME", "s", "elsewhere")));
	}

	private static Consumer<RedisServer> loss(String... command) {
		return (server) -> server.command(command);
	}

	@ParameterizedTest
	@MethodSource("losses")
	@DisplayName("C12 XGROUP DESTROY, DEL, FLUSHALL and RENAME of the stream heal")
	void recreatesALostGroup(Consumer<RedisServer> loss) {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		awaitHandled(handler, this.server.addPipelined("s", 3));
		awaitBlocked();
		loss.accept(this.server);
		awaitHandled(handler, this.server.addPipelined("s", 3));
	}

	@ParameterizedTest
	@MethodSource("losses")
	void skipsNothingThatWasAddedBeforeItRecreatedALostGroup(Consumer<RedisServer> loss) {
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me", (options) -> options.startFrom("latest"),
				handler);
		awaitBlocked();
		container.pause();
		await().untilAsserted(() -> assertThat(this.server.blockedClients()).isEmpty());
		loss.accept(this.server);
		List<String> ids = this.server.addPipelined("s", 3);
		container.resume();
		awaitHandled(handler, ids);
	}

	@Test
	void finishesWhatRunsWhileTheGroupIsLost() {
		this.server.addPipelined("s", 1);
		Gate handler = new Gate();
		StreamListenerContainer container = this.containers.start("me", (options) -> options.concurrency(2), handler);
		await().until(() -> handler.size() == 1);
		this.server.command("XGROUP", "DESTROY", "s", "g");
		await().ignoreExceptions().until(() -> this.server.pending("s", "g") == 1);
		handler.open();
		await().untilAsserted(() -> assertThat(this.server.pending("s", "g")).isZero());
		await().until(() -> container.getInFlight() == 0);
		assertThat(handler.size()).isEqualTo(1);
	}

	@Test
	void doesNotSpinOnAKeyOfTheWrongTypeAndGoesOnOnceItIsGone() {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		awaitBlocked();
		this.server.command("CONFIG", "RESETSTAT");
		this.server.command("SET", "s", "text");
		await().until(() -> calls("xgroup|create") >= 2);
		assertThat(calls("xgroup|create") + calls("xreadgroup")).isLessThan(10);
		this.server.command("DEL", "s");
		awaitHandled(handler, this.server.addPipelined("s", 3));
	}

	@Test
	void sendsAcknowledgementsAgainThatRedisRefused() {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all", "-xack");
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.create("me", "app", "secret", (options) -> options,
				handler);
		container.start().join();
		List<String> ids = this.server.addPipelined("s", 5);
		await().until(() -> handler.size() == 5);
		await().until(() -> this.server.info("acl_access_denied_cmd").map(Long::parseLong).orElse(2L) >= 2);
		assertThat(container.getInFlight()).isEqualTo(5);
		assertThat(this.server.pending("s", "g")).isEqualTo(5);
		this.server.command("ACL", "SETUSER", "app", "+xack");
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
		await().until(() -> container.getInFlight() == 0);
	}

	@Test
	void readsNoMoreThanAFewBatchesWhileAcknowledgementsAreRefused() {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all", "-xack");
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.create("me", "app", "secret",
				(options) -> options.batchSize(10), handler);
		List<String> ids = this.server.addPipelined("s", 500);
		container.start().join();
		await().until(() -> handler.size() >= 40);
		await().during(Duration.ofMillis(300)).until(() -> handler.size() < 100);
		this.server.command("ACL", "SETUSER", "app", "+xack");
		awaitHandled(handler, ids);
	}

	@Test
	void goesOnOnceTheUserMayReadAgain() {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all");
		Recorder handler = new Recorder();
		this.containers.create("me", "app", "secret", (options) -> options, handler).start().join();
		awaitBlocked();
		this.server.command("CONFIG", "RESETSTAT");
		this.server.command("ACL", "SETUSER", "app", "-xreadgroup", "-xgroup");
		List<String> ids = this.server.addPipelined("s", 3);
		await().until(() -> this.server.commandStat("xgroup|create")
			.filter((stat) -> !stat.contains("rejected_calls=0"))
			.isPresent());
		this.server.command("ACL", "SETUSER", "app", "+xreadgroup", "+xgroup");
		awaitHandled(handler, ids);
	}

	@Test
	void goesOnOnceTheServerIsAMasterAgain() {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		List<String> ids = new ArrayList<>(this.server.addPipelined("s", 3));
		awaitHandled(handler, ids);
		awaitBlocked();
		this.server.command("CONFIG", "RESETSTAT");
		this.server.command("REPLICAOF", "127.0.0.1", "1");
		await().until(() -> this.server.text("INFO", "errorstats").contains("READONLY"));
		this.server.command("REPLICAOF", "NO", "ONE");
		ids.addAll(this.server.addPipelined("s", 3));
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
	}

	@Test
	void goesOnReadingWhileMemoryIsFull() {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		awaitHandled(handler, this.server.addPipelined("s", 3));
		this.server.command("XGROUP", "SETID", "s", "g", "0");
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		try {
			await().until(() -> handler.size() == 6);
			await().untilAsserted(() -> assertThat(this.server.pending("s", "g")).isZero());
		}
		finally {
			this.server.command("CONFIG", "SET", "maxmemory", "0");
		}
	}

	@Test
	void findsTheEntriesOfRepliesThatWereLost() {
		try (TcpProxy proxy = new TcpProxy(this.server.port()); Containers behindProxy = new Containers(proxy.port())) {
			Recorder handler = new Recorder();
			behindProxy.start("me", handler);
			List<String> ids = new ArrayList<>(this.server.addPipelined("s", 3));
			awaitHandled(handler, ids);
			awaitBlocked();
			proxy.swallowReplies();
			ids.addAll(this.server.addPipelined("s", 3));
			await().untilAsserted(() -> assertThat(this.server.pendingEntries("s", "g")).hasSize(1));
			await().untilAsserted(() -> assertThat(this.server.blockedClients()).isEmpty());
			proxy.heal();
			proxy.cutConnections();
			awaitHandled(handler, ids);
		}
	}

	@Test
	void goesOnThoughAllItsConnectionsHaveBeenForgottenOnTheWay() {
		try (TcpProxy proxy = new TcpProxy(this.server.port()); Containers behindProxy = new Containers(proxy.port())) {
			Recorder handler = new Recorder();
			behindProxy.start("me", handler);
			List<String> ids = new ArrayList<>(this.server.addPipelined("s", 3));
			awaitHandled(handler, ids);
			awaitBlocked();
			proxy.silenceConnections();
			ids.addAll(this.server.addPipelined("s", 3));
			await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(handler.ids()).containsAll(ids));
			awaitHandled(handler, ids);
		}
	}

	@Test
	void sendsAcknowledgementsAgainThatWereForgottenOnTheWay() {
		try (TcpProxy proxy = new TcpProxy(this.server.port()); Containers behindProxy = new Containers(proxy.port())) {
			List<String> ids = this.server.addPipelined("s", 1);
			Gate handler = new Gate();
			behindProxy.start("me", handler);
			await().until(() -> handler.size() == 1);
			proxy.silenceConnections();
			handler.open();
			await().atMost(Duration.ofSeconds(20)).until(() -> this.server.pending("s", "g") == 0);
			assertThat(handler.ids()).isEqualTo(ids);
		}
	}

	@Test
	void goesOnWithRepliesThatComeLate() {
		try (TcpProxy proxy = new TcpProxy(this.server.port()); Containers behindProxy = new Containers(proxy.port())) {
			Recorder handler = new Recorder();
			behindProxy.start("me", handler);
			proxy.delayReplies(Duration.ofMillis(100));
			List<String> ids = this.server.addPipelined("s", 20);
			awaitHandled(handler, ids);
			assertThat(handler.ids()).isEqualTo(ids);
		}
	}

}
