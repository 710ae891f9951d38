package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.RedisServer.Pending;
import io.github.redisstreams.test.WorkerProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What killed and restarted instances leave behind.
 */
@Tag("slow")
@RealRedis
class FieldCaseRecoveryTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int RESTARTS = 20;

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

	private void awaitNothingPending() {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.server.pending("s", "g")).isZero());
	}

	@Test
	@DisplayName("C27 a process killed in the middle of a claim keeps nobody from claiming")
	void aProcessKilledInTheMiddleOfAClaimKeepsNobodyFromClaiming() throws Exception {
		Duration minIdle = Duration.ofSeconds(1);
		List<String> ids = this.server.addPipelined("s", 20_000);
		this.server.deliver("s", "g", "dead", 20_000);
		awaitIdle(ids.get(0), minIdle);
		// It claims page after page
		try (WorkerProcess worker = CaseWorker.start(this.server.port(), "killed", "halt", minIdle, 2)) {
			worker.awaitLine("handling", PATIENCE);
			worker.kill();
		}
		Map<String, Pending> left = this.server.pendingEntries("s", "g");
		assertThat(left).isNotEmpty();
		AtomicInteger handled = new AtomicInteger();
		this.containers.start("peer", (options) -> options.minIdle(minIdle).claimInterval(Duration.ofMillis(100)),
				(deliveries) -> handled.incrementAndGet());
		awaitNothingPending();
		assertThat(handled.get()).isPositive().isLessThanOrEqualTo(left.size());
	}

	private boolean isSettled() {
		return this.server.length("{s}:dlq") > 0 && this.server.pending("s", "g") == 0;
	}

	private void awaitIdle(String id, Duration idle) {
		await().atMost(PATIENCE).until(() -> this.server.pendingEntry("s", "g", id).idleMillis() > idle.toMillis());
	}

	@Test
	@DisplayName("C29 ten thousand entries of a dead consumer are drained at the handler's speed")
	void tenThousandEntriesOfADeadConsumerAreDrained() {
		List<String> ids = this.server.addPipelined("s", 10_000);
		this.server.deliver("s", "g", "dead", 10_000);
		Duration minIdle = Duration.ofSeconds(1);
		awaitIdle(ids.get(0), minIdle);
		this.server.command("CONFIG", "RESETSTAT");
		Recorder handler = new Recorder() {

			private final AtomicInteger count = new AtomicInteger();

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				this.count.addAndGet(deliveries.size());
			}

			@Override
			int size() {
				return this.count.get();
			}

		};
		// Were there a wait between two claims, it would take most of an hour
		StreamListenerContainer container = this.containers.start("me",
				(options) -> options.minIdle(minIdle).claimInterval(Duration.ofHours(1)), handler);
		await().atMost(PATIENCE).until(() -> handler.size() == 10_000);
		awaitNothingPending();
		await().untilAsserted(() -> assertThat(container.getCounters().claimed()).isEqualTo(10_000));
		// Most claims are full
		assertThat(calls("xautoclaim") + calls("xreadgroup")).isLessThan(1000);
	}

	private long calls(String command) {
		return this.server.info("cmdstat_" + command)
			.map((stat) -> Long.parseLong(stat.substring("calls=".length(), stat.indexOf(','))))
			.orElse(0L);
	}

	@ParameterizedTest(name = "C41 what a killed process was handling comes again to a process named {0}")
	@ValueSource(strings = { "same", "another" })
	void whatAKilledProcessWasHandlingComesAgain(String name) throws Exception {
		Duration minIdle = name.equals("same") ? Duration.ofHours(1) : Duration.ofSeconds(1);
		List<String> ids = this.server.addPipelined("s", 3);
		try (WorkerProcess worker = CaseWorker.start(this.server.port(), "same", "hang", minIdle, 3)) {
			CaseWorker.awaitHandling(worker, 3);
			worker.kill();
		}
		List<String> added = this.server.addPipelined("s", 2);
		try (WorkerProcess restarted = CaseWorker.start(this.server.port(), name, "hang", minIdle, 5)) {
			CaseWorker.awaitHandling(restarted, 5);
			assertThat(CaseWorker.handling(restarted)).containsAll(ids).containsAll(added);
			assertThat(this.server.pendingEntries("s", "g")).hasSize(5).allSatisfy((id, pending) -> {
				assertThat(pending.consumer()).isEqualTo(name);
				assertThat(pending.deliveries()).isEqualTo(ids.contains(id) ? 2 : 1);
			});
		}
	}

	@Test
	@DisplayName("C48 twenty restarts with fifty entries read ahead cost none of them its deliveries")
	void restartsCostNoEntryItsDeliveries() throws Exception {
		List<String> slow = new ArrayList<>();
		AtomicInteger fast = new AtomicInteger();
		Recorder handled = new Recorder();
		for (int restart = 1; restart <= RESTARTS; restart++) {
			CountDownLatch open = new CountDownLatch(1);
			// Nothing is read ahead before a first entry has been handled
			AtomicBoolean handledOne = new AtomicBoolean(restart == 1);
			// Half of them come back under the name of the one before
			StreamListenerContainer container = this.containers.start("instance-" + restart / 2,
					(options) -> options.minIdle(Duration.ofSeconds(1)).claimInterval(Duration.ofMillis(100)),
					(deliveries) -> {
						if (deliveries.get(0).entry().value("slow") == null) {
							fast.incrementAndGet();
							return;
						}
						if (!handledOne.compareAndSet(false, true)) {
							open.await();
						}
						handled.handle(deliveries);
					});
			int soFar = fast.get();
			if (restart == 1) {
				// It learns that its handler is fast, so that it reads ahead
				this.server.addPipelined("s", 2000);
				await().atMost(PATIENCE).until(() -> fast.get() == soFar + 2000);
				slow.addAll(this.server.addPipelined("s", 50, (n) -> new String[] { "slow", "1" }));
			}
			await().atMost(PATIENCE).until(() -> container.getInFlight() > 1);
			stopLettingOnlyWhatRunsFinish(container, open);
		}
		Recorder last = new Recorder();
		this.containers.start("last",
				(options) -> options.minIdle(Duration.ofSeconds(1)).claimInterval(Duration.ofMillis(100)), last);
		await().atMost(PATIENCE).until(() -> handled.size() + last.size() >= 50);
		awaitNothingPending();
		assertThat(handled.ids()).hasSize(2 * RESTARTS - 1).doesNotContainAnyElementsOf(last.ids());
		assertThat(slow).containsAll(handled.ids()).containsAll(last.ids());
		assertThat(last.counts()).allSatisfy((count) -> assertThat(count).isLessThanOrEqualTo(2));
		assertThat(this.server.length("{s}:dlq")).isZero();
	}

	private static void stopLettingOnlyWhatRunsFinish(StreamListenerContainer container, CountDownLatch open)
			throws Exception {
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		Thread stop = new Thread(() -> {
			container.stop();
			stopped.complete(null);
		});
		stop.start();
		await().atMost(PATIENCE)
			.until(() -> Arrays.stream(stop.getStackTrace())
				.anyMatch((frame) -> frame.getMethodName().equals("awaitTermination")));
		open.countDown();
		stop.join();
		stopped.join();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 4 })
	@DisplayName("C48 an entry that kills its process again and again takes no other along")
	void anEntryThatKillsItsProcessTakesNoOtherAlong(int concurrency) throws Exception {
		String deadly = this.server.add("s", "halt", "1");
		this.server.addPipelined("s", 50);
		for (int life = 1; life <= 8 && this.server.length("{s}:dlq") == 0; life++) {
			try (WorkerProcess worker = CaseWorker.start(this.server.port(), "me", "halt", Duration.ofHours(1),
					concurrency)) {
				// Closing kills it, too, and so has to wait
				await().atMost(PATIENCE).until(() -> !worker.isAlive() || isSettled());
			}
		}
		try (WorkerProcess worker = CaseWorker.start(this.server.port(), "me", "halt", Duration.ofHours(1),
				concurrency)) {
			worker.awaitLine("started", PATIENCE);
			awaitNothingPending();
		}
		assertThat(this.server.list("XRANGE", "{s}:dlq", "-", "+")).hasSize(1).asString().contains(deadly);
	}

}
