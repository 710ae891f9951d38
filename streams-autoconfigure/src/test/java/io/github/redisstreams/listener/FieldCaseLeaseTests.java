package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.listener.ListenerOptions.Builder;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.WorkerProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Entries that are held: not taken from whoever works on them, and not taken back.
 */
@RealRedis
@ExtendWith(OutputCaptureExtension.class)
class FieldCaseLeaseTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

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
		this.containers.close();
	}

	private static UnaryOperator<Builder> minIdle(Duration minIdle) {
		return (options) -> options.minIdle(minIdle).claimInterval(Duration.ofMillis(100));
	}

	private void awaitNothingPending() {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.server.pending("s", "g")).isZero());
	}

	@Test
	@DisplayName("C24 what waits behind slow handlers is not robbed")
	void whatWaitsBehindSlowHandlersIsNotRobbed() {
		UnaryOperator<Builder> options = (builder) -> minIdle(Duration.ofSeconds(1)).apply(builder).concurrency(2);
		Recorder fastThenSlow = new Recorder();
		Gate gate = new Gate();
		StreamListenerContainer one = this.containers.start("one", options, (deliveries) -> {
			boolean slow = deliveries.get(0).entry().deliveryCount() > 0 && fastThenSlow.size() >= 2000;
			(slow ? gate : fastThenSlow).handle(deliveries);
		});
		// It learns that its handler is fast, so that it reads ahead
		this.server.addPipelined("s", 2000);
		await().atMost(PATIENCE).until(() -> fastThenSlow.size() == 2000);
		awaitNothingPending();
		List<String> ids = this.server.addPipelined("s", 8);
		await().atMost(PATIENCE).until(() -> one.getInFlight() == 8);
		Recorder peer = new Recorder();
		this.containers.start("two", options, peer);
		await().atMost(PATIENCE).during(Duration.ofSeconds(3)).until(() -> gate.size() == 2 && peer.size() == 0);
		gate.open();
		awaitNothingPending();
		assertThat(gate.ids()).containsExactlyInAnyOrderElementsOf(ids);
		assertThat(gate.counts()).containsOnly(1L);
		assertThat(peer.ids()).isEmpty();
		assertThat(one.getCounters().leasesLost()).isZero();
	}

	@Test
	@DisplayName("C25 a handler of five times min-idle runs once")
	void aHandlerOfFiveTimesMinIdleRunsOnce() {
		UnaryOperator<Builder> options = minIdle(Duration.ofMillis(600));
		Gate handler = new Gate();
		this.containers.start("one", options, handler);
		String id = this.server.add("s", "n", "1");
		await().atMost(PATIENCE).until(() -> handler.size() == 1);
		Recorder peer = new Recorder();
		this.containers.start("two", options, peer);
		await().atMost(PATIENCE).during(Duration.ofSeconds(3)).until(() -> handler.size() == 1 && peer.size() == 0);
		assertThat(this.server.pendingEntry("s", "g", id)).satisfies((pending) -> {
			assertThat(pending.consumer()).isEqualTo("one");
			assertThat(pending.deliveries()).isEqualTo(1);
		});
		handler.open();
		awaitNothingPending();
		assertThat(handler.done()).isEqualTo(1);
		assertThat(peer.ids()).isEmpty();
	}

	@Test
	@DisplayName("C25 what a killed process worked on is taken over after min-idle")
	void whatAKilledProcessWorkedOnIsTakenOverAfterMinIdle() throws Exception {
		Duration minIdle = Duration.ofSeconds(2);
		List<String> ids = this.server.addPipelined("s", 3);
		long killedAt;
		try (WorkerProcess worker = CaseWorker.start(this.server.port(), "killed", "hang", minIdle, 3)) {
			CaseWorker.awaitHandling(worker, 3);
			// So that no lease would be left without its renewals
			await().atMost(PATIENCE)
				.during(minIdle.plusSeconds(1))
				.until(() -> this.server.pendingEntries("s", "g")
					.values()
					.stream()
					.allMatch((pending) -> pending.idleMillis() < minIdle.toMillis()));
			worker.kill();
			killedAt = System.nanoTime();
		}
		Recorder peer = new Recorder();
		this.containers.start("peer", minIdle(minIdle), peer);
		await().atMost(PATIENCE).until(() -> peer.size() == 3);
		// One claim interval is a tenth of a second; the rest is for a loaded machine
		assertThat(Duration.ofNanos(System.nanoTime() - killedAt)).isLessThan(minIdle.plusSeconds(5));
		assertThat(peer.ids()).containsExactlyInAnyOrderElementsOf(ids);
		assertThat(peer.counts()).containsOnly(2L);
		awaitNothingPending();
	}

	@Test
	@DisplayName("C26 a process that stood still takes nothing back and retries nothing")
	void aProcessThatStoodStillTakesNothingBackAndRetriesNothing() throws Exception {
		Duration minIdle = Duration.ofSeconds(1);
		List<String> ids = this.server.addPipelined("s", 2);
		try (WorkerProcess worker = CaseWorker.start(this.server.port(), "paused", "until-lost", minIdle, 2)) {
			CaseWorker.awaitHandling(worker, 2);
			worker.pause();
			Gate peer = new Gate();
			StreamListenerContainer container = this.containers.start("peer",
					(options) -> minIdle(minIdle).apply(options).concurrency(2), peer);
			await().atMost(PATIENCE).until(() -> peer.size() == 2);
			worker.resume();
			for (String id : ids) {
				worker.awaitLine("lost " + id, PATIENCE);
			}
			// Its handlers fail, and what it no longer holds it does not keep
			worker.awaitLine("idle: 0 in flight, 2 leases lost, 0 retried, 0 claimed", PATIENCE);
			await().atMost(PATIENCE)
				.during(Duration.ofSeconds(2))
				.until(() -> this.server.pendingEntries("s", "g")
					.values()
					.stream()
					.allMatch((pending) -> pending.consumer().equals("peer") && pending.deliveries() == 2));
			peer.open();
			awaitNothingPending();
			assertThat(CaseWorker.handling(worker)).containsExactlyInAnyOrderElementsOf(ids);
			assertThat(peer.ids()).containsExactlyInAnyOrderElementsOf(ids);
			assertThat(container.getCounters().leasesLost()).isZero();
			assertThat(this.server.length("{s}:dlq")).isZero();
		}
	}

	@Test
	@DisplayName("C31 two containers of one consumer name are noticed, said once, and forgotten")
	void twoContainersOfOneConsumerNameAreNoticed(CapturedOutput output) {
		UnaryOperator<Builder> options = (builder) -> builder.claimInterval(Duration.ofMillis(500));
		StreamListenerContainer one = this.containers.start("same", options, new Recorder());
		await().atMost(PATIENCE).until(() -> one.getStatus().state() == ContainerState.POLLING);
		assertThat(one.getStatus().consumerShared()).isFalse();
		StreamListenerContainer two = this.containers.start("same", options, new Recorder());
		await().atMost(PATIENCE).until(() -> one.getStatus().consumerShared() && two.getStatus().consumerShared());
		assertThat(output).contains("ERROR")
			.contains("reads as consumer 'same' of group 'g', and so does another live process")
			.contains("redis.streams.consumer");
		List<String> ids = this.server.addPipelined("s", 100);
		awaitNothingPending();
		assertThat(ids).hasSize(100);
		two.stop();
		await().atMost(PATIENCE).until(() -> !one.getStatus().consumerShared());
		assertThat(output).contains("is alone again as consumer 'same'");
	}

	@Test
	@DisplayName("C31 acknowledging what is no longer pending is no fault")
	void acknowledgingWhatIsNoLongerPendingIsNoFault(CapturedOutput output) {
		Gate handler = new Gate();
		StreamListenerContainer container = this.containers.start("me", handler);
		String first = this.server.add("s", "n", "1");
		await().atMost(PATIENCE).until(() -> handler.size() == 1);
		this.server.command("XACK", "s", "g", first);
		handler.open();
		await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
		String second = this.server.add("s", "n", "2");
		await().atMost(PATIENCE).until(() -> handler.done() == 2);
		awaitNothingPending();
		assertThat(handler.ids()).containsExactly(first, second);
		assertThat(container.getStatus().lastError()).isNull();
		assertThat(output).doesNotContain("ERROR").doesNotContain("WARN");
	}

}
