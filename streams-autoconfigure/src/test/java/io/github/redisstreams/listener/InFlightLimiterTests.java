package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.redis.EntryId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class InFlightLimiterTests {

	private static final Duration NOT_AT_ALL = Duration.ZERO;

	private int sequence;

	private static InFlightLimiter limiter(int concurrency, int batchSize) {
		return new InFlightLimiter(options(concurrency, batchSize), false);
	}

	private static ListenerOptions options(int concurrency, int batchSize) {
		return ListenerOptions.builder()
			.stream("s")
			.group("g")
			.consumer("c")
			.concurrency(concurrency)
			.batchSize(batchSize)
			.build("id", "test");
	}

	private List<EntryId> hold(InFlightLimiter limiter, int count) {
		List<EntryId> ids = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			EntryId id = new EntryId(1, ++this.sequence);
			assertThat(limiter.hold(id)).isNotNull();
			ids.add(id);
		}
		return ids;
	}

	private void handle(InFlightLimiter limiter, int count, Duration each) {
		List<EntryId> ids = hold(limiter, count);
		for (EntryId id : ids) {
			limiter.handled(1, each.toNanos());
			limiter.release(List.of(id));
		}
	}

	@Test
	void hasRoomForEveryHandlerAndLittleMoreAtFirst() throws Exception {
		assertThat(limiter(4, 100).awaitRoom(NOT_AT_ALL)).isBetween(4, 8);
		assertThat(limiter(4, 3).awaitRoom(NOT_AT_ALL)).isEqualTo(3);
	}

	@Test
	void hasRoomForAFullBatchOfABatchHandler() throws Exception {
		assertThat(new InFlightLimiter(options(1, 100), true).awaitRoom(NOT_AT_ALL)).isEqualTo(100);
	}

	@Test
	void hasRoomForIdleHandlersOnlyWhereHandlersAreSlow() throws Exception {
		InFlightLimiter limiter = limiter(4, 100);
		handle(limiter, 1, Duration.ofSeconds(1));
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).isEqualTo(4);
		hold(limiter, 3);
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).isEqualTo(1);
		hold(limiter, 1);
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).isZero();
	}

	@Test
	void hasRoomForFullBatchesWhereHandlersAreFast() throws Exception {
		InFlightLimiter limiter = limiter(1, 100);
		handle(limiter, 100, Duration.ofNanos(20_000));
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).isEqualTo(100);
	}

	@Test
	void hasRoomForWhatHandlersDoInAboutFiftyMilliseconds() throws Exception {
		InFlightLimiter limiter = limiter(2, 1000);
		handle(limiter, 200, Duration.ofMillis(1));
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).isBetween(92, 112);
	}

	@Test
	void learnsAtOnceThatHandlersHaveBecomeSlow() throws Exception {
		InFlightLimiter limiter = limiter(1, 100);
		handle(limiter, 100, Duration.ofNanos(20_000));
		handle(limiter, 1, Duration.ofSeconds(1));
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).isEqualTo(1);
	}

	@Test
	void learnsOnlyAfterManyEntriesThatHandlersHaveBecomeFast() throws Exception {
		InFlightLimiter limiter = limiter(1, 100);
		handle(limiter, 1, Duration.ofSeconds(1));
		handle(limiter, 3, Duration.ofNanos(20_000));
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).isEqualTo(1);
		handle(limiter, 200, Duration.ofNanos(20_000));
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).isEqualTo(100);
	}

	@Test
	void isNotWorthReadingForAFewEntriesWhileAllHandlersAreBusy() throws Exception {
		InFlightLimiter limiter = limiter(1, 100);
		handle(limiter, 100, Duration.ofNanos(20_000));
		hold(limiter, 190);
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).as("room for 11").isZero();
		limiter.handled(100, 2_000_000);
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).isEqualTo(100);
	}

	@Test
	void takesAnEntryInOnlyOnce() {
		InFlightLimiter limiter = limiter(1, 100);
		EntryId id = hold(limiter, 1).get(0);
		assertThat(limiter.hold(id)).isNull();
		limiter.handled(1, 1000);
		assertThat(limiter.hold(id)).as("handled, not settled").isNull();
		assertThat(limiter.inFlight()).isEqualTo(1);
		limiter.release(List.of(id));
		assertThat(limiter.inFlight()).isZero();
		assertThat(limiter.hold(id)).isNotNull();
	}

	@Test
	void readsNoMoreWhileNothingIsSettled() throws Exception {
		InFlightLimiter limiter = limiter(1, 10);
		List<EntryId> unsettled = new ArrayList<>();
		int room;
		while ((room = limiter.awaitRoom(NOT_AT_ALL)) > 0) {
			unsettled.addAll(hold(limiter, room));
			limiter.handled(room, 1000);
			assertThat(unsettled).hasSizeLessThan(100);
		}
		assertThat(unsettled).hasSizeGreaterThanOrEqualTo(40);
		limiter.release(unsettled);
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).isEqualTo(10);
	}

	@Test
	void wakesWhoWaitsForRoomWhenAHandlerIsDone() throws Exception {
		InFlightLimiter limiter = limiter(1, 10);
		handle(limiter, 1, Duration.ofSeconds(1));
		List<EntryId> held = hold(limiter, 1);
		CompletableFuture<Integer> room = new CompletableFuture<>();
		Thread waiting = new Thread(() -> {
			try {
				room.complete(limiter.awaitRoom(Duration.ofSeconds(20)));
			}
			catch (InterruptedException ex) {
				room.completeExceptionally(ex);
			}
		});
		waiting.start();
		await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
		limiter.handled(1, 1000);
		limiter.release(held);
		assertThat(room).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo(1);
	}

	@Test
	void losesPatience() throws Exception {
		InFlightLimiter limiter = limiter(1, 10);
		handle(limiter, 1, Duration.ofSeconds(1));
		hold(limiter, 1);
		long start = System.nanoTime();
		assertThat(limiter.awaitRoom(Duration.ofMillis(50))).isZero();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
	}

	@Test
	void givesUpEntriesThatWereNeverStarted() throws Exception {
		InFlightLimiter limiter = limiter(2, 10);
		handle(limiter, 1, Duration.ofSeconds(1));
		List<EntryId> held = hold(limiter, 2);
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).isZero();
		limiter.unstarted(held.size());
		limiter.release(held);
		assertThat(limiter.inFlight()).isZero();
		assertThat(limiter.awaitRoom(NOT_AT_ALL)).isEqualTo(2);
		assertThat(limiter.hold(held.get(0))).isNotNull();
	}

	@Test
	void doesNotTakeInAgainWhatWasSettledWhileItWasBeingListed() {
		InFlightLimiter limiter = limiter(1, 100);
		EntryId id = hold(limiter, 1).get(0);
		limiter.beginScan();
		limiter.handled(1, 1);
		limiter.release(List.of(id));
		assertThat(limiter.hold(id)).isNull();
		limiter.endScan();
		assertThat(limiter.inFlight()).isZero();
		assertThat(limiter.hold(id)).isNotNull();
	}

	@Test
	void takesInWhatWasReleasedBeforeItWasListed() {
		InFlightLimiter limiter = limiter(1, 100);
		EntryId id = hold(limiter, 1).get(0);
		limiter.handled(1, 1);
		limiter.release(List.of(id));
		limiter.beginScan();
		assertThat(limiter.hold(id)).isNotNull();
	}

	@Test
	void stopsWaitingForRoomWhenWoken() throws Exception {
		InFlightLimiter limiter = limiter(1, 1);
		handle(limiter, 1, Duration.ofSeconds(1));
		hold(limiter, 1);
		CompletableFuture<Integer> room = new CompletableFuture<>();
		Thread waiting = new Thread(() -> {
			try {
				room.complete(limiter.awaitRoom(Duration.ofMinutes(1)));
			}
			catch (InterruptedException ex) {
				room.completeExceptionally(ex);
			}
		});
		waiting.start();
		await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
		assertThat(room).isNotDone();
		limiter.wake();
		assertThat(room.get(5, TimeUnit.SECONDS)).isZero();
	}

}
