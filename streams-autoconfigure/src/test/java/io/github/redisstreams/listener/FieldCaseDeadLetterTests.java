package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.redisstreams.deadletter.DeadLetterHeaders;
import io.github.redisstreams.listener.CaseWorker.Failed;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.listener.ListenerOptions.Builder;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
import io.github.redisstreams.test.WorkerProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Moves to the dead letters that are cut short or refused.
 */
@Tag("core")
@RealRedis(own = true)
class FieldCaseDeadLetterTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int KILLS = 8;

	private static final UnaryOperator<Builder> GIVE_UP_SOON = (options) -> options.minIdle(Duration.ofMillis(500))
		.claimInterval(Duration.ofMillis(100))
		.maxDeliveries(3)
		.retry((retry) -> retry.initialInterval(Duration.ofMillis(5)))
		.circuit((circuit) -> circuit.enabled(false));

	private RedisServer server;

	private Containers containers;

	@BeforeEach
	void open(RedisServer server) {
		this.server = server;
		this.containers = new Containers(server);
		server.command("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM");
	}

	@AfterEach
	void close() {
		this.server.command("CONFIG", "SET", "maxmemory", "0");
		this.containers.close();
		this.server.command("ACL", "DELUSER", "limited");
	}

	private List<String> deadLetters() {
		List<String> ids = new ArrayList<>();
		for (Object entry : this.server.list("XRANGE", "{s}:dlq", "-", "+")) {
			List<?> fields = (List<?>) ((List<?>) entry).get(1);
			ids.add((String) Objects.requireNonNull(fields.get(fields.indexOf(DeadLetterHeaders.ID) + 1)));
		}
		return ids;
	}

	/**
	 * Every entry is either pending or a dead letter, never both, never neither.
	 */
	private void assertEachIsPendingOrADeadLetter(List<String> ids) {
		List<String> all = new ArrayList<>(this.server.pendingEntries("s", "g").keySet());
		all.addAll(deadLetters());
		String last = lastDelivered();
		// Those that were not yet read follow
		ids.stream().filter((id) -> ids.indexOf(id) > ids.indexOf(last)).forEach(all::add);
		assertThat(all).containsExactlyInAnyOrderElementsOf(ids);
	}

	private String lastDelivered() {
		List<?> group = (List<?>) this.server.list("XINFO", "GROUPS", "s").get(0);
		return (String) Objects.requireNonNull(group.get(group.indexOf("last-delivered-id") + 1));
	}

	@Test
	@DisplayName("C35 a process killed at any moment of retries and dead letters loses nothing")
	void aProcessKilledAtAnyMomentLosesNothing() throws Exception {
		List<String> ids = new ArrayList<>();
		for (int kill = 0; kill < KILLS; kill++) {
			try (WorkerProcess worker = CaseWorker.start(this.server.port(), "me", "fail", Duration.ofSeconds(1), 2)) {
				worker.awaitLine("started", PATIENCE);
				ids.addAll(this.server.addPipelined("s", 50));
				worker.awaitLine("handling", PATIENCE);
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextInt(60)));
				worker.kill();
			}
			assertEachIsPendingOrADeadLetter(ids);
		}
		Recorder handler = new Recorder();
		this.containers.start("me", (options) -> options.maxDeliveries(1000), handler);
		await().atMost(PATIENCE).until(() -> deadLetters().size() + handler.size() == ids.size());
		List<String> all = new ArrayList<>(deadLetters());
		all.addAll(handler.ids());
		assertThat(all).containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	@DisplayName("C35 nothing is lost whichever reply is the last that arrives")
	void nothingIsLostWhicheverReplyIsTheLastThatArrives() {
		boolean reachedTheEnd = false;
		for (int step = 1; !reachedTheEnd; step++) {
			assertThat(step).isLessThan(200);
			this.server.command("FLUSHALL");
			this.server.command("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM");
			List<String> ids = this.server.addPipelined("s", 3);
			try (TcpProxy proxy = new TcpProxy(this.server.port()); Containers cutOff = new Containers(proxy.port())) {
				proxy.breakAtReply(step);
				StreamListenerContainer container = cutOff.create("me", GIVE_UP_SOON, (deliveries) -> {
					throw new Failed();
				});
				container.start();
				await().atMost(PATIENCE).until(() -> proxy.isBroken() || deadLetters().size() == ids.size());
				reachedTheEnd = !proxy.isBroken();
				container.stop();
			}
			assertEachIsPendingOrADeadLetter(ids);
			try (Containers recovered = new Containers(this.server)) {
				recovered.start("another", GIVE_UP_SOON, (deliveries) -> {
					throw new Failed();
				});
				await().atMost(PATIENCE).until(() -> deadLetters().size() == ids.size());
				assertThat(deadLetters()).containsExactlyInAnyOrderElementsOf(ids);
				assertThat(this.server.pending("s", "g")).isZero();
			}
		}
	}

	private StreamListenerContainer startFailing() {
		this.server.command("ACL", "SETUSER", "limited", "on", ">secret", "~s", "~{s}:consumer*", "+@all");
		StreamListenerContainer container = this.containers.create("me", "limited", "secret",
				(options) -> GIVE_UP_SOON.apply(options).maxDeliveries(1), (deliveries) -> {
					throw new Failed();
				});
		container.start().join();
		return container;
	}

	private void awaitRefused(StreamListenerContainer container, String id, String error) {
		await().atMost(PATIENCE).until(() -> container.getCounters().deadLetterFailures() >= 3);
		assertThat(container.getStatus().lastError()).contains("Dead letters of stream 's'")
			.contains("{s}:dlq")
			.contains(error);
		assertThat(this.server.pendingEntry("s", "g", id)).satisfies((pending) -> {
			assertThat(pending.consumer()).isEqualTo("me");
			assertThat(pending.deliveries()).isEqualTo(1);
		});
		assertThat(container.getCounters().deadLettered()).isZero();
		assertThat(this.server.length("s")).isEqualTo(1);
	}

	private void awaitThrough(StreamListenerContainer container, String id) {
		await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 0);
		assertThat(deadLetters()).containsExactly(id);
		await().atMost(PATIENCE).until(() -> container.getStatus().lastError() == null);
		await().untilAsserted(() -> assertThat(container.getCounters().deadLettered()).isEqualTo(1));
		assertThat(container.getInFlight()).isZero();
		assertThat(container.getCounters().leasesLost()).isZero();
		assertThat(this.server.list("XRANGE", "{s}:dlq", "-", "+").toString()).contains(Failed.class.getName());
	}

	@Test
	@DisplayName("C36 a dead letter that memory is out for stays pending and gets through later")
	void aDeadLetterThatMemoryIsOutForGetsThroughLater() {
		StreamListenerContainer container = startFailing();
		this.server.command("ACL", "SETUSER", "limited", "~*");
		await().atMost(PATIENCE).until(() -> container.getStatus().state() == ContainerState.POLLING);
		this.server.command("MULTI");
		this.server.command("XADD", "s", "*", "n", "1");
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		String id = (String) Objects.requireNonNull(this.server.list("EXEC").get(0));
		awaitRefused(container, id, "OOM command not allowed");
		this.server.command("CONFIG", "SET", "maxmemory", "0");
		awaitThrough(container, id);
	}

	@Test
	@DisplayName("C36 a dead letter without permission stays pending and gets through later")
	void aDeadLetterWithoutPermissionGetsThroughLater() {
		StreamListenerContainer container = startFailing();
		String id = this.server.add("s", "n", "1");
		awaitRefused(container, id, "NOPERM");
		this.server.command("ACL", "SETUSER", "limited", "~{s}:dlq");
		awaitThrough(container, id);
	}

	@Test
	@DisplayName("C36 a dead letter that is refused until the stop is not lost")
	void aDeadLetterThatIsRefusedUntilTheStopIsNotLost() {
		StreamListenerContainer container = startFailing();
		String id = this.server.add("s", "n", "1");
		awaitRefused(container, id, "NOPERM");
		container.stop();
		assertThat(this.server.pendingEntries("s", "g")).containsOnlyKeys(id);
		this.server.command("ACL", "SETUSER", "limited", "~{s}:dlq");
		Recorder handler = new Recorder();
		this.containers.start("another", GIVE_UP_SOON, handler);
		await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 0);
		assertThat(deadLetters().size() + handler.size()).isEqualTo(1);
	}

}
