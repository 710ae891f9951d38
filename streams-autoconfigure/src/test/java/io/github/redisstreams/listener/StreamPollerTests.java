package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.listener.ListenerOptions.Builder;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a container reads, and when.
 */
@Tag("core")
@RealRedis
class StreamPollerTests {

	/** Abandoned after half a second, looked for every tenth. */
	private static final UnaryOperator<Builder> CLAIM_SOON = (options) -> options.minIdle(Duration.ofMillis(500))
		.claimInterval(Duration.ofMillis(100));

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
		await().untilAsserted(() -> assertThat(this.server.pending("s", "g")).isZero());
	}

	private void awaitHandled(Recorder handler, List<String> ids) {
		await().untilAsserted(() -> assertThat(handler.ids()).containsExactlyInAnyOrderElementsOf(ids));
		awaitNothingPending();
	}

	private long calls(String command) {
		return this.server.info("cmdstat_" + command)
			.map((stat) -> Long.parseLong(stat.substring("calls=".length(), stat.indexOf(','))))
			.orElse(0L);
	}

	private void abandon(String id) {
		this.server.command("XCLAIM", "s", "g", "dead", "0", id, "IDLE", "120000", "JUSTID");
	}

	@Test
	void takesUpItsOwnPendingEntriesFirst() {
		List<String> ids = this.server.addPipelined("s", 5);
		this.server.deliver("s", "g", "me", 3);
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
		assertThat(handler.counts()).containsExactly(2L, 2L, 2L, 1L, 1L);
	}

	@Test
	void takesUpMoreOwnPendingEntriesThanOneReadReturns() {
		List<String> ids = this.server.addPipelined("s", 1234);
		this.server.deliver("s", "g", "me", 1234);
		Recorder handler = new Recorder();
		this.containers.start("me", (options) -> options.batchSize(10), handler);
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
	}

	@Test
	void clearsItsOwnPendingEntriesThatAreDeleted() {
		List<String> ids = this.server.addPipelined("s", 6);
		this.server.deliver("s", "g", "me", 4);
		this.server.command("XDEL", "s", ids.get(0), ids.get(1), ids.get(3));
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		awaitHandled(handler, List.of(ids.get(2), ids.get(4), ids.get(5)));
	}

	@Test
	void claimsEntriesOfCrashedConsumer() {
		List<String> ids = this.server.addPipelined("s", 5);
		this.server.deliver("s", "g", "dead", 5);
		Recorder handler = new Recorder();
		this.containers.start("me", CLAIM_SOON, handler);
		awaitHandled(handler, ids);
		assertThat(handler.counts()).containsOnly(2L);
		assertThat(handler.deliveries()).extracting(Delivery::consumer).containsOnly("me");
	}

	@Test
	void claimsManyEntriesOfCrashedConsumerInOneSweep() {
		List<String> ids = this.server.addPipelined("s", 500);
		this.server.deliver("s", "g", "dead", 500);
		ids.forEach(this::abandon);
		Recorder handler = new Recorder();
		this.containers.start("me", (options) -> options.batchSize(10).claimInterval(Duration.ofMinutes(1)), handler);
		awaitHandled(handler, ids);
	}

	@Test
	void claimsBeforeItReads() {
		List<String> ids = this.server.addPipelined("s", 2);
		this.server.deliver("s", "g", "dead", 1);
		abandon(ids.get(0));
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
	}

	@Test
	void leavesEntriesOfALiveConsumerAlone() {
		List<String> ids = this.server.addPipelined("s", 1);
		this.server.deliver("s", "g", "alive", 1);
		Recorder handler = new Recorder();
		this.containers.start("me", (options) -> options.claimInterval(Duration.ofMillis(50)), handler);
		await().until(() -> calls("xautoclaim") > 0);
		String next = this.server.add("s", "n", "next");
		await().untilAsserted(() -> assertThat(handler.ids()).containsExactly(next));
		assertThat(this.server.pendingEntry("s", "g", ids.get(0)).consumer()).isEqualTo("alive");
	}

	@Test
	void keepsTheCursorOfASweepOverManyEntriesThatAreNotAbandoned() {
		List<String> ids = this.server.addPipelined("s", 1501);
		this.server.deliver("s", "g", "alive", 1501);
		abandon(ids.get(1500));
		Recorder handler = new Recorder();
		this.server.command("CONFIG", "RESETSTAT");
		this.containers.start("me",
				(options) -> options.batchSize(10)
					.pollTimeout(Duration.ofMillis(50))
					.claimInterval(Duration.ofMinutes(1)),
				handler);
		await().untilAsserted(() -> assertThat(handler.ids()).containsExactly(ids.get(1500)));
		// Each call looks at COUNT * 10 entries
		assertThat(calls("xautoclaim")).isGreaterThanOrEqualTo(15);
	}

	@Test
	void endsASweepThoughOthersReadOn() {
		this.server.addPipelined("s", 300);
		this.server.deliver("s", "g", "alive", 300);
		List<String> ids = this.server.addPipelined("s", 5);
		Recorder handler = new Recorder() {

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				if (size() == 0) {
					StreamPollerTests.this.server.addPipelined("s", 5000);
					StreamPollerTests.this.server.deliver("s", "g", "alive", 5004);
				}
				super.handle(deliveries);
			}

		};
		this.server.command("CONFIG", "RESETSTAT");
		this.containers.start("me", (options) -> options.batchSize(10).claimInterval(Duration.ofMinutes(1)), handler);
		// It blocks when a sweep is complete
		await().until(() -> handler.size() > 0 && !this.server.blockedClients().isEmpty());
		assertThat(handler.ids()).containsExactly(ids.get(0));
		// Each call looks at ten entries
		assertThat(calls("xautoclaim")).isLessThan(50);
	}

	@Test
	void sweepsNoMoreOftenThanTheClaimIntervalSays() {
		this.server.command("CONFIG", "RESETSTAT");
		this.containers.start("me",
				(options) -> options.pollTimeout(Duration.ofMillis(10)).claimInterval(Duration.ofMinutes(1)),
				new Recorder());
		await().until(() -> calls("xreadgroup") >= 10);
		assertThat(calls("xautoclaim")).isEqualTo(1);
	}

	@Test
	void doesNotBlockLongerThanUntilTheNextClaim() {
		List<String> ids = this.server.addPipelined("s", 1);
		this.server.deliver("s", "g", "dead", 1);
		Recorder handler = new Recorder();
		this.containers.start("me",
				(options) -> options.pollTimeout(Duration.ofSeconds(20))
					.minIdle(Duration.ofSeconds(20))
					.claimInterval(Duration.ofMillis(300)),
				handler);
		await().until(() -> !this.server.blockedClients().isEmpty());
		abandon(ids.get(0));
		// A server whose reads claim is swept ten times less often
		await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(handler.ids()).isEqualTo(ids));
	}

	@Test
	void readsOnlyWhatSlowHandlersCanWorkOn() {
		List<String> ids = this.server.addPipelined("s", 100);
		Gate handler = new Gate();
		StreamListenerContainer container = this.containers.start("me", (options) -> options.concurrency(2), handler);
		await().until(() -> handler.size() == 2);
		await().during(Duration.ofMillis(400)).until(() -> this.server.pending("s", "g") <= 4);
		assertThat(container.getInFlight()).isBetween(2, 4);
		handler.open();
		awaitHandled(handler, ids);
	}

	@Test
	void readsFullBatchesForFastHandlers() {
		List<String> ids = this.server.addPipelined("s", 5000);
		this.server.command("CONFIG", "RESETSTAT");
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		await().untilAsserted(() -> assertThat(handler.size()).isEqualTo(5000));
		assertThat(handler.ids()).isEqualTo(ids);
		assertThat(calls("xreadgroup")).isLessThan(500);
		awaitNothingPending();
		assertThat(calls("xack")).isLessThan(500);
	}

	@Test
	void neverClaimsFromItselfHoweverLongItsHandlerTakes() {
		List<String> ids = this.server.addPipelined("s", 1);
		Gate handler = new Gate();
		this.containers.start("me", (options) -> CLAIM_SOON.apply(options).concurrency(4), handler);
		await().until(() -> handler.size() == 1);
		await().during(Duration.ofSeconds(1))
			.until(() -> this.server.pendingEntry("s", "g", ids.get(0)).deliveries() == 1);
		assertThat(handler.ids()).isEqualTo(ids);
		handler.open();
		awaitHandled(handler, ids);
	}

	@Test
	void neverHandsOutAnEntryTwiceThatIsStillHereAfterALostConnection() {
		List<String> ids = this.server.addPipelined("s", 2);
		Gate handler = new Gate();
		this.containers.start("me", (options) -> options.concurrency(4), handler);
		await().until(() -> handler.size() == 2);
		String lost = await().until(this.server::blockedClients, (clients) -> clients.size() == 1).get(0);
		this.server.command("CLIENT", "KILL", "ID", lost);
		await().until(this.server::blockedClients, (clients) -> clients.size() == 1 && !clients.contains(lost));
		String next = this.server.add("s", "n", "next");
		await().until(() -> handler.size() >= 3);
		assertThat(this.server.pendingEntry("s", "g", ids.get(1)).deliveries()).isEqualTo(1);
		handler.open();
		awaitHandled(handler, List.of(ids.get(0), ids.get(1), next));
	}

	@Test
	void losesNothingThoughItsConnectionsAreKilledAgainAndAgain() {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			ids.addAll(this.server.addPipelined("s", 300));
			await().until(() -> handler.size() > 0);
			this.server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
		}
		await().untilAsserted(() -> assertThat(handler.ids()).containsAll(ids));
		awaitNothingPending();
	}

	@Test
	void clearsEntriesThatWereTrimmedWhilePendingUnderACrashedConsumer() {
		this.server.addPipelined("s", 20);
		this.server.deliver("s", "g", "dead", 20);
		this.server.command("XTRIM", "s", "MAXLEN", "0");
		Recorder handler = new Recorder();
		this.containers.start("me", CLAIM_SOON, handler);
		awaitNothingPending();
		String next = this.server.add("s", "n", "next");
		awaitHandled(handler, List.of(next));
	}

	@Test
	void finishesEntriesThatAreTrimmedWhileTheyAreHandled() {
		this.server.addPipelined("s", 1);
		Gate handler = new Gate();
		StreamListenerContainer container = this.containers.start("me", CLAIM_SOON, handler);
		await().until(() -> handler.size() == 1);
		this.server.command("XTRIM", "s", "MAXLEN", "0");
		handler.open();
		await().until(() -> container.getInFlight() == 0);
		awaitNothingPending();
		String next = this.server.add("s", "n", "next");
		await().untilAsserted(() -> assertThat(handler.ids()).hasSize(2).endsWith(next));
	}

	@Test
	void opensNoConnectionForAPoll() {
		this.containers.start("me", (options) -> options.pollTimeout(Duration.ofMillis(10)), new Recorder());
		await().until(() -> !this.server.blockedClients().isEmpty());
		String before = this.server.info("total_connections_received").orElseThrow();
		this.server.command("CONFIG", "RESETSTAT");
		await().until(() -> calls("xreadgroup") >= 10);
		assertThat(this.server.clients()).hasSize(2);
		assertThat(this.server.info("total_connections_received")).contains("0");
		assertThat(before).isNotEqualTo("0");
	}

	@Test
	void sharesTheWorkOfSlowHandlersAboutEvenly() {
		this.server.addPipelined("s", 80);
		List<Recorder> handlers = List.of(new SlowRecorder(), new SlowRecorder());
		this.containers.start("one", handlers.get(0));
		this.containers.start("two", handlers.get(1));
		await().untilAsserted(() -> assertThat(handlers.get(0).size() + handlers.get(1).size()).isEqualTo(80));
		awaitNothingPending();
		assertThat(handlers).allSatisfy((handler) -> assertThat(handler.size()).isBetween(30, 50));
	}

	/**
	 * Works for 25 ms on each entry.
	 */
	private static final class SlowRecorder extends Recorder {

		@Override
		public void handle(List<Delivery> deliveries) throws Exception {
			super.handle(deliveries);
			Thread.sleep(25);
		}

	}

}
