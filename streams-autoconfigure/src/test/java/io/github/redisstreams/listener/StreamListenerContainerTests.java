package io.github.redisstreams.listener;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How a container starts, handles, acknowledges, pauses and stops.
 */
@Tag("core")
@RealRedis
class StreamListenerContainerTests {

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

	private long pending() {
		return this.server.pending("s", "g");
	}

	private void awaitHandled(Recorder handler, List<String> ids) {
		await().untilAsserted(() -> assertThat(handler.ids()).containsExactlyInAnyOrderElementsOf(ids));
		await().untilAsserted(() -> assertThat(pending()).isZero());
	}

	private void awaitBlocked() {
		await().until(() -> !this.server.blockedClients().isEmpty());
	}

	private static CompletableFuture<Duration> stopInBackground(StreamListenerContainer container) {
		return CompletableFuture.supplyAsync(() -> stop(container));
	}

	private static Duration stop(StreamListenerContainer container) {
		long start = System.nanoTime();
		container.stop();
		return Duration.ofNanos(System.nanoTime() - start);
	}

	/**
	 * Have a container learn that its handler is fast, so that it reads ahead.
	 */
	private void handleMany(Recorder handler) {
		this.server.addPipelined("s", 1000);
		await().untilAsserted(() -> assertThat(handler.size()).isEqualTo(1000));
		await().untilAsserted(() -> assertThat(pending()).isZero());
	}

	@Test
	void hasCreatedStreamAndGroupOnceItHasStarted() {
		StreamListenerContainer container = this.containers.create("me", (options) -> options, new Recorder());
		assertThat(container.start()).succeedsWithin(5, TimeUnit.SECONDS);
		assertThat(this.server.list("XINFO", "GROUPS", "s")).hasSize(1);
		assertThat(container.isRunning()).isTrue();
	}

	@Test
	void handlesWholeStreamUnlessToldOtherwise() {
		List<String> ids = this.server.addPipelined("s", 300);
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
	}

	@Test
	void startsNewGroupAtTheEndOrAfterAnId() {
		List<String> ids = this.server.addPipelined("s", 3);
		Recorder latest = new Recorder();
		this.containers.start("latest", (options) -> options.group("latest").startFrom("latest"), latest);
		Recorder afterId = new Recorder();
		this.containers.start("after", (options) -> options.group("after").startFrom(ids.get(1)), afterId);
		String next = this.server.add("s", "n", "next");
		await().untilAsserted(() -> assertThat(latest.ids()).containsExactly(next));
		await().untilAsserted(() -> assertThat(afterId.ids()).containsExactly(ids.get(2), next));
	}

	@Test
	void leavesAnExistingGroupWhereItIs() {
		List<String> ids = this.server.addPipelined("s", 3);
		this.server.command("XGROUP", "CREATE", "s", "g", ids.get(1));
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		awaitHandled(handler, ids.subList(2, 3));
	}

	@Test
	void givesEachGroupEveryEntry() {
		Recorder one = new Recorder();
		Recorder two = new Recorder();
		this.containers.start("one", (options) -> options.group("g"), one);
		this.containers.start("two", (options) -> options.group("g2"), two);
		List<String> ids = this.server.addPipelined("s", 100);
		await().untilAsserted(() -> assertThat(one.ids()).isEqualTo(ids));
		await().untilAsserted(() -> assertThat(two.ids()).isEqualTo(ids));
	}

	@Test
	void sharesEntriesBetweenTheConsumersOfAGroup() {
		Recorder one = new Recorder();
		Recorder two = new Recorder();
		this.containers.start("one", one);
		this.containers.start("two", two);
		List<String> ids = this.server.addPipelined("s", 3000);
		await().untilAsserted(() -> assertThat(one.size() + two.size()).isEqualTo(3000));
		assertThat(Stream.concat(one.ids().stream(), two.ids().stream())).containsExactlyInAnyOrderElementsOf(ids);
		await().untilAsserted(() -> assertThat(pending()).isZero());
	}

	@Test
	void tellsHandlersWhereAnEntryComesFrom() {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		String id = this.server.add("s", "a", "1", "a", "2");
		await().until(() -> handler.size() == 1);
		Delivery delivery = handler.deliveries().get(0);
		assertThat(delivery.stream()).isEqualTo("s");
		assertThat(delivery.group()).isEqualTo("g");
		assertThat(delivery.consumer()).isEqualTo("me");
		assertThat(delivery.entry().id()).hasToString(id);
		assertThat(delivery.entry().deliveryCount()).isEqualTo(1);
		assertThat(delivery.entry().value("a")).asString().isEqualTo("1");
	}

	@Test
	void runsAsManyHandlersAtOnceAsConcurrencySays() {
		Gate handler = new Gate();
		this.containers.start("me", (options) -> options.concurrency(4), handler);
		List<String> ids = this.server.addPipelined("s", 20);
		await().until(() -> handler.size() == 4);
		await().during(Duration.ofMillis(200)).until(() -> handler.size() == 4);
		handler.open();
		awaitHandled(handler, ids);
	}

	@Test
	void givesABatchHandlerManyEntriesAtOnce() {
		List<String> ids = this.server.addPipelined("s", 250);
		List<Integer> sizes = new ArrayList<>();
		Recorder handler = new Recorder() {

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				sizes.add(deliveries.size());
				super.handle(deliveries);
			}

			@Override
			public boolean isBatch() {
				return true;
			}

		};
		this.containers.start("me", handler);
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
		assertThat(sizes).contains(100).hasSizeLessThan(10).allMatch((size) -> size <= 100);
	}

	@Test
	void givesABatchHandlerFullBatchesThoughItIsSlow() {
		this.server.addPipelined("s", 60);
		List<Integer> sizes = new CopyOnWriteArrayList<>();
		EntryHandler handler = new EntryHandler() {

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				sizes.add(deliveries.size());
				Thread.sleep(100);
			}

			@Override
			public boolean isBatch() {
				return true;
			}

		};
		this.containers.start("me", (options) -> options.batchSize(20), handler);
		await().untilAsserted(() -> assertThat(sizes).containsExactly(20, 20, 20));
	}

	@Test
	void leavesTheFailedEntriesOfABatchPending() {
		List<String> ids = this.server.addPipelined("s", 10);
		EntryHandler handler = new EntryHandler() {

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				Map<EntryId, Throwable> failures = deliveries.stream()
					.map((delivery) -> delivery.entry().id())
					.filter((id) -> ids.indexOf(id.toString()) % 3 == 0)
					.collect(Collectors.toMap((id) -> id, (id) -> new IllegalStateException("third")));
				throw new EntriesFailedException(failures);
			}

			@Override
			public boolean isBatch() {
				return true;
			}

		};
		this.containers.start("me", handler);
		await().untilAsserted(() -> assertThat(this.server.pendingEntries("s", "g")).containsOnlyKeys(ids.get(0),
				ids.get(3), ids.get(6), ids.get(9)));
	}

	static Stream<Throwable> failures() {
		return Stream.of(new IllegalStateException("runtime"), new IOException("checked"),
				new NoClassDefFoundError("error"));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void deliversAgainWhatFailedAndGoesOnMeanwhile(Throwable failure) {
		List<String> ids = this.server.addPipelined("s", 3);
		Recorder handler = new Recorder() {

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				super.handle(deliveries);
				Delivery delivery = deliveries.get(0);
				if (delivery.entry().id().toString().equals(ids.get(0)) && delivery.entry().deliveryCount() < 3) {
					if (failure instanceof Error error) {
						throw error;
					}
					throw (Exception) failure;
				}
			}

		};
		this.containers.start("me", (options) -> options.minIdle(Duration.ofMillis(500)), handler);
		await().untilAsserted(() -> assertThat(handler.size()).isEqualTo(5));
		assertThat(handler.ids()).containsExactly(ids.get(0), ids.get(1), ids.get(2), ids.get(0), ids.get(0));
		assertThat(handler.counts()).containsExactly(1L, 1L, 1L, 2L, 3L);
		await().untilAsserted(() -> assertThat(pending()).isZero());
	}

	@Test
	void acknowledgesWhatFailedInModeAlways() {
		List<String> ids = this.server.addPipelined("s", 3);
		Recorder handler = new Recorder() {

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				super.handle(deliveries);
				throw new IllegalStateException("always");
			}

		};
		this.containers.start("me", (options) -> options.ackMode(AckMode.ALWAYS), handler);
		awaitHandled(handler, ids);
	}

	@Test
	void acknowledgesWhatTheHandlerAcknowledgesLaterFromAnotherThread() {
		List<String> ids = this.server.addPipelined("s", 3);
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me", (options) -> options.ackMode(AckMode.MANUAL),
				handler);
		await().until(() -> handler.size() == 3);
		await().until(() -> container.getInFlight() == 0);
		assertThat(pending()).isEqualTo(3);
		handler.deliveries().get(1).acknowledge();
		handler.deliveries().get(1).acknowledge();
		await().untilAsserted(
				() -> assertThat(this.server.pendingEntries("s", "g")).containsOnlyKeys(ids.get(0), ids.get(2)));
		handler.deliveries().forEach(Delivery::acknowledge);
		await().untilAsserted(() -> assertThat(pending()).isZero());
	}

	@Test
	void deliversAgainWhatTheHandlerDidNotAcknowledgeInModeManual() {
		this.server.addPipelined("s", 1);
		Recorder handler = new Recorder();
		this.containers.start("me", (options) -> options.ackMode(AckMode.MANUAL).minIdle(Duration.ofMillis(500)),
				handler);
		await().until(() -> handler.size() == 2);
		assertThat(handler.counts()).containsExactly(1L, 2L);
		handler.deliveries().get(1).acknowledge();
		await().untilAsserted(() -> assertThat(pending()).isZero());
	}

	@Test
	void readsNothingWhilePaused() {
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me",
				(options) -> options.pollTimeout(Duration.ofSeconds(20)), handler);
		awaitBlocked();
		container.pause();
		assertThat(container.isPaused()).isTrue();
		assertThat(container.isRunning()).isTrue();
		await().untilAsserted(() -> assertThat(this.server.blockedClients()).isEmpty());
		List<String> ids = this.server.addPipelined("s", 5);
		await().during(Duration.ofMillis(300)).until(() -> handler.size() == 0);
		assertThat(pending()).isZero();
		container.resume();
		assertThat(container.isPaused()).isFalse();
		awaitHandled(handler, ids);
	}

	@Test
	void claimsNothingWhilePaused() {
		this.server.addPipelined("s", 2);
		Gate handler = new Gate();
		StreamListenerContainer container = this.containers.start("me",
				(options) -> options.concurrency(2).claimInterval(Duration.ofMillis(1)), handler);
		await().until(() -> container.getInFlight() == 2);
		container.pause();
		String abandoned = this.server.add("s", "n", "abandoned");
		this.server.deliver("s", "g", "dead", 1);
		this.server.command("XCLAIM", "s", "g", "dead", "0", abandoned, "IDLE", "120000", "JUSTID");
		handler.open();
		await().until(() -> handler.done() >= 2);
		await().during(Duration.ofMillis(300)).until(() -> handler.size() == 2);
		container.resume();
		await().until(() -> handler.size() == 3);
	}

	@Test
	void startsPausedIfPausedBefore() {
		this.server.addPipelined("s", 5);
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.create("me", (options) -> options, handler);
		container.pause();
		container.start().join();
		await().during(Duration.ofMillis(300)).until(() -> handler.size() == 0 && pending() == 0);
		container.resume();
		await().untilAsserted(() -> assertThat(handler.size()).isEqualTo(5));
	}

	@Test
	void stopsWhilePaused() {
		StreamListenerContainer container = this.containers.start("me", new Recorder());
		container.pause();
		assertThat(stop(container)).isLessThan(Duration.ofSeconds(10));
	}

	@Test
	void stopsQuicklyThoughARead() {
		StreamListenerContainer container = this.containers.start("me",
				(options) -> options.pollTimeout(Duration.ofSeconds(30)), new Recorder());
		awaitBlocked();
		assertThat(stop(container)).isLessThan(Duration.ofSeconds(10));
		assertThat(container.isRunning()).isFalse();
		await().untilAsserted(() -> assertThat(this.server.clients()).hasSize(1));
	}

	@Test
	void stopsQuicklyThoughItHasJustBeenStarted() {
		for (int i = 0; i < 20; i++) {
			StreamListenerContainer container = this.containers.create("me" + i,
					(options) -> options.pollTimeout(Duration.ofSeconds(30)), new Recorder());
			container.start();
			if (i % 2 == 0) {
				container.start().join();
			}
			assertThat(stop(container)).isLessThan(Duration.ofSeconds(10));
		}
	}

	@Test
	void stopWaitsForRunningHandlersAndSendsTheirAcknowledgements() {
		List<String> ids = this.server.addPipelined("s", 2);
		Gate handler = new Gate();
		StreamListenerContainer container = this.containers.start("me", (options) -> options.concurrency(2), handler);
		await().until(() -> handler.size() == 2);
		CompletableFuture<Duration> stopped = stopInBackground(container);
		await().during(Duration.ofMillis(200)).until(() -> !stopped.isDone());
		assertThat(pending()).isEqualTo(2);
		handler.open();
		assertThat(stopped).succeedsWithin(3, TimeUnit.SECONDS);
		assertThat(handler.ids()).containsExactlyInAnyOrderElementsOf(ids);
		assertThat(pending()).isZero();
		assertThat(container.getInFlight()).isZero();
	}

	@Test
	void handsBackUnstartedEntriesAtAStopWithoutCostAndHandlesThemAtTheNextStart() {
		AtomicInteger seen = new AtomicInteger();
		Gate gate = new Gate();
		Recorder handler = new Recorder() {

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				super.handle(deliveries);
				if (seen.incrementAndGet() == 1001) {
					gate.handle(deliveries);
				}
			}

		};
		StreamListenerContainer container = this.containers.start("me", handler);
		handleMany(handler);
		List<String> ids = this.server.addPipelined("s", 50);
		await().until(() -> gate.size() == 1 && pending() > 10);
		CompletableFuture<Duration> stopped = stopInBackground(container);
		await().until(StreamListenerContainerTests::aStopWaitsForHandlers);
		gate.open();
		assertThat(stopped).succeedsWithin(3, TimeUnit.SECONDS);
		assertThat(handler.ids().stream().skip(1000)).containsExactly(ids.get(0));
		assertThat(this.server.pendingEntries("s", "g").values()).hasSizeGreaterThan(9)
			.allMatch((entry) -> entry.deliveries() == 0);
		container.start();
		await().untilAsserted(() -> assertThat(handler.ids().stream().skip(1000)).isEqualTo(ids));
		await().untilAsserted(() -> assertThat(pending()).isZero());
	}

	private static boolean aStopWaitsForHandlers() {
		return Thread.getAllStackTraces()
			.values()
			.stream()
			.flatMap(Arrays::stream)
			.anyMatch((frame) -> frame.getClassName().equals(WorkerPool.class.getName())
					&& frame.getMethodName().equals("awaitTermination"));
	}

	@Test
	void interruptsHandlersThatRunLongerThanTheShutdownTimeout() {
		List<String> ids = this.server.addPipelined("s", 1);
		Gate handler = new Gate();
		StreamListenerContainer container = this.containers.start("me",
				(options) -> options.shutdownTimeout(Duration.ofMillis(300)), handler);
		await().until(() -> handler.size() == 1);
		assertThat(stop(container)).isBetween(Duration.ofMillis(290), Duration.ofSeconds(3));
		await().until(() -> handler.interrupted() == 1);
		assertThat(this.server.pendingEntries("s", "g")).containsOnlyKeys(ids.get(0));
	}

	@Test
	void stopsQuicklyThoughAllHandlersAreBusy() {
		this.server.addPipelined("s", 10);
		Gate handler = new Gate();
		StreamListenerContainer container = this.containers.start("me",
				(options) -> options.shutdownTimeout(Duration.ZERO), handler);
		await().until(() -> handler.size() == 1 && container.getInFlight() == 1);
		assertThat(stop(container)).isLessThan(Duration.ofSeconds(10));
	}

	@Test
	void startsAndStopsAgainAndAgain() {
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.create("me", (options) -> options, handler);
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			container.start();
			container.start().join();
			ids.addAll(this.server.addPipelined("s", 50));
			await().untilAsserted(() -> assertThat(handler.ids()).isEqualTo(ids));
			container.stop();
			container.stop();
			assertThat(container.isRunning()).isFalse();
		}
		assertThat(pending()).isZero();
	}

	@Test
	void leavesNoThreadsBehind() {
		StreamListenerContainer container = this.containers.start("leaver", (options) -> options.concurrency(3),
				new Recorder());
		this.server.addPipelined("s", 100);
		await().until(() -> threads("leaver").contains("streams-poller-leaver") && threads("worker-leaver").size() > 0);
		container.stop();
		await().untilAsserted(() -> assertThat(threads("leaver")).isEmpty());
	}

	private static List<String> threads(String part) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.contains(part))
			.toList();
	}

	@Test
	void canBeStoppedByItsOwnHandler() {
		this.server.addPipelined("s", 1);
		CompletableFuture<StreamListenerContainer> self = new CompletableFuture<>();
		CompletableFuture<Duration> stopped = new CompletableFuture<>();
		StreamListenerContainer container = this.containers.create("me",
				(options) -> options.shutdownTimeout(Duration.ofSeconds(1)),
				(deliveries) -> stopped.complete(stop(self.join())));
		self.complete(container);
		container.start();
		assertThat(stopped).succeedsWithin(5, TimeUnit.SECONDS);
		await().until(() -> !container.isRunning());
	}

	@Test
	void describesItself() {
		StreamListenerContainer container = this.containers.create("me", (options) -> options, new Recorder());
		assertThat(container).hasToString("listener 'me' (stream 's', group 'g')");
		assertThat(container.getId()).isEqualTo("me");
		assertThat(container.getOptions().consumer()).isEqualTo("me");
		assertThat(container.isRunning()).isFalse();
		assertThat(container.getInFlight()).isZero();
	}

}
