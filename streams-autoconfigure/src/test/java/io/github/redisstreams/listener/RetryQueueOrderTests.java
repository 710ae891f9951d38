package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.github.redisstreams.listener.SettlingFixture.Call;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.HandBack;
import io.github.redisstreams.redis.Redelivery;
import org.junit.jupiter.api.Test;

import static io.github.redisstreams.listener.SettlingFixture.entry;
import static io.github.redisstreams.listener.SettlingFixture.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class RetryQueueOrderTests {

	private static final Duration DELAY = Duration.ofMillis(700);

	private final SettlingFixture fixture = new SettlingFixture();

	private final RetryQueue retries = this.fixture.retries;

	private void add(int from, int count) {
		for (int i = from; i < from + count; i++) {
			this.retries.add(this.fixture.handled(i), DELAY, true);
		}
	}

	private static Redelivery redelivery(List<EntryId> deleted, List<EntryId> lost, long... entries) {
		return new Redelivery(Arrays.stream(entries).mapToObj((n) -> entry(n, 2)).toList(), deleted, lost);
	}

	private Call<Redelivery> call(int index) {
		return this.fixture.commands.redeliveries.get(index);
	}

	@Test
	void asksForAnEntryOnceItsTimeHasCome() {
		add(1, 1);
		assertThat(this.fixture.timer.tasks).singleElement()
			.satisfies((task) -> assertThat(task.delay()).isEqualTo(DELAY));
		assertThat(this.fixture.commands.redeliveries).isEmpty();
		assertThat(this.retries.size()).isEqualTo(1);
		this.fixture.timer.runAll();
		assertThat(call(0).ids()).containsExactly(id(1));
		assertThat(call(0).counts()).containsExactly(2L);
		call(0).reply().complete(redelivery(List.of(), List.of(), 1));
		assertThat(this.fixture.redelivered).singleElement().satisfies((redelivered) -> {
			assertThat(redelivered.entry().deliveryCount()).isEqualTo(2);
			assertThat(redelivered.lease()).isSameAs(this.fixture.limiter.leaseOf(id(1)));
		});
		assertThat(this.retries.size()).isZero();
		assertThat(this.fixture.counters.retried()).isEqualTo(1);
	}

	@Test
	void takesNoRoomFromOthersWhileItsEntriesWait() throws Exception {
		int room = this.fixture.limiter.awaitRoom(Duration.ZERO);
		add(1, 900);
		assertThat(this.fixture.limiter.inFlight()).isEqualTo(900);
		assertThat(this.fixture.limiter.awaitRoom(Duration.ZERO)).isGreaterThanOrEqualTo(room);
	}

	@Test
	void leavesWhatFindsNoPlace() {
		add(1, RetryQueue.CAPACITY + 3);
		assertThat(this.retries.size()).isEqualTo(RetryQueue.CAPACITY);
		assertThat(this.fixture.limiter.inFlight()).isEqualTo(RetryQueue.CAPACITY);
		assertThat(this.fixture.limiter.wasLeft(id(RetryQueue.CAPACITY))).isFalse();
		assertThat(this.fixture.limiter.wasLeft(id(RetryQueue.CAPACITY + 1))).isTrue();
		assertThat(this.fixture.limiter.wasLeft(id(RetryQueue.CAPACITY + 3))).isTrue();
	}

	@Test
	void asksForAHundredAtATimeAndForTheRestOnceTheyAreHere() {
		add(1, 250);
		this.fixture.timer.runAll();
		// The first was due alone
		assertThat(this.fixture.commands.redeliveries).hasSize(1);
		call(0).reply().complete(redelivery(List.of(), List.of(), 1));
		assertThat(call(1).ids()).hasSize(100).startsWith(id(2));
		call(1).reply().complete(redelivery(List.of(), List.of()));
		assertThat(call(2).ids()).hasSize(100);
		call(2).reply().complete(redelivery(List.of(), List.of()));
		assertThat(call(3).ids()).hasSize(49);
	}

	@Test
	void asksForTheSameCountWhereADeliveryIsNotToCount() {
		this.retries.add(this.fixture.handled(1, 3), DELAY, true);
		this.fixture.timer.runAll();
		this.retries.add(this.fixture.handled(2, 3), DELAY, false);
		this.fixture.timer.runAll();
		assertThat(call(0).counts()).containsExactly(4L);
		call(0).reply().complete(redelivery(List.of(), List.of(), 1));
		assertThat(call(1).ids()).containsExactly(id(2));
		assertThat(call(1).counts()).containsExactly(3L);
	}

	@Test
	void asksForNoHigherCountHoweverOftenTheReplyIsLost() {
		this.retries.add(this.fixture.handled(1, 3), DELAY, true);
		for (int attempt = 0; attempt < 5; attempt++) {
			this.fixture.timer.runAll();
			assertThat(call(attempt).counts()).containsExactly(4L);
			call(attempt).refuse();
		}
	}

	@Test
	void sendsNothingOnTheThreadThatAReplyComesOn() {
		this.fixture.timer.deferring = true;
		add(1, 1);
		this.fixture.timer.runAll();
		this.retries.add(this.fixture.handled(2), DELAY, false);
		this.fixture.timer.runAll();
		call(0).reply().complete(redelivery(List.of(), List.of(), 1));
		assertThat(this.fixture.redelivered).isEmpty();
		assertThat(this.fixture.commands.redeliveries).hasSize(1);
		this.fixture.timer.runDeferred();
		assertThat(this.fixture.redelivered).hasSize(1);
		assertThat(call(1).ids()).containsExactly(id(2));
	}

	@Test
	void clearsAndCountsWhatIsGoneAndWhatIsLost() {
		add(1, 1);
		this.fixture.timer.runAll();
		add(2, 3);
		this.fixture.timer.runAll();
		call(0).reply().complete(redelivery(List.of(), List.of(), 1));
		call(1).reply().complete(redelivery(List.of(id(2)), List.of(id(4)), 3));
		assertThat(this.fixture.counters.trimmedPending()).isEqualTo(1);
		assertThat(this.fixture.counters.leasesLost()).isEqualTo(1);
		assertThat(this.fixture.counters.retried()).isEqualTo(2);
		assertThat(this.retries.size()).isZero();
		assertThat(this.fixture.limiter.leaseOf(id(2))).isNull();
		assertThat(this.fixture.limiter.leaseOf(id(4))).isNull();
		assertThat(this.fixture.limiter.inFlight()).isEqualTo(2);
	}

	@Test
	void asksAgainWhatRedisRefused() {
		add(1, 2);
		this.fixture.timer.next().task().run();
		call(0).refuse();
		assertThat(this.retries.problem()).asString()
			.contains("Retries on stream 's' (group 'g') wait")
			.contains("refused by the test");
		assertThat(this.retries.size()).isEqualTo(2);
		// The second in its time, the first after a back-off
		assertThat(this.fixture.timer.tasks).hasSize(2);
		assertThat(this.fixture.timer.tasks.get(1).delay()).isBetween(Duration.ofMillis(50), Duration.ofSeconds(1));
		this.fixture.timer.tasks.get(1).task().run();
		assertThat(call(1).ids()).containsExactly(id(1));
		call(1).reply().complete(redelivery(List.of(), List.of(), 1));
		assertThat(this.retries.problem()).isNull();
		assertThat(this.fixture.redelivered).hasSize(1);
	}

	@Test
	void forgetsWhatIsNoLongerOurs() {
		add(1, 1);
		assertThat(this.retries.forget(id(1))).isTrue();
		assertThat(this.retries.forget(id(1))).isFalse();
		this.fixture.timer.runAll();
		assertThat(this.fixture.commands.redeliveries).isEmpty();
	}

	@Test
	void handsOutNothingThatWasForgottenWhileItWasAskedFor() {
		add(1, 1);
		this.fixture.timer.runAll();
		this.retries.forget(id(1));
		call(0).reply().complete(redelivery(List.of(), List.of(), 1));
		assertThat(this.fixture.redelivered).isEmpty();
		assertThat(this.fixture.counters.retried()).isZero();
	}

	@Test
	void waitsWhileTheListenerIsSuspended() {
		this.fixture.circuit.record(FailureCircuit.Permit.NORMAL, 0, 100);
		assertThat(this.fixture.circuit.isClosed()).isFalse();
		add(1, 1);
		this.fixture.timer.runAll();
		assertThat(this.fixture.commands.redeliveries).isEmpty();
		assertThat(this.fixture.timer.tasks).singleElement()
			.satisfies((task) -> assertThat(task.delay()).isLessThanOrEqualTo(Duration.ofSeconds(1)));
		this.fixture.circuit.record(FailureCircuit.Permit.NORMAL, 1, 0);
		this.fixture.timer.runAll();
		assertThat(call(0).ids()).containsExactly(id(1));
	}

	@Test
	void asksForNothingOnceStoppedAndHandsBackWhatWaited() {
		this.retries.add(this.fixture.handled(1, 3), Duration.ofSeconds(40), true);
		this.retries.add(this.fixture.handled(2, 3), Duration.ofSeconds(40), false);
		this.retries.add(this.fixture.handled(3, 1), Duration.ofHours(1), true);
		this.retries.add(this.fixture.handled(4, 1), Duration.ZERO, true);
		this.retries.stop();
		this.fixture.timer.runAll();
		assertThat(this.fixture.commands.redeliveries).isEmpty();
		List<HandBack> handBacks = this.retries.close();
		assertThat(handBacks).extracting(HandBack::id).containsExactlyInAnyOrder(id(1), id(2), id(3), id(4));
		assertThat(handBacks).allSatisfy((handBack) -> {
			// Claimable in 40 of the 60 seconds that min-idle is, less what has passed
			switch ((int) handBack.id().sequence()) {
				case 1 -> {
					assertThat(handBack.idle()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(59));
					assertThat(handBack.deliveryCount()).isEqualTo(3);
				}
				// Whoever claims it raises the count, which this one is not to cost
				case 2 -> assertThat(handBack.deliveryCount()).isEqualTo(2);
				case 3 -> assertThat(handBack.idle()).isZero();
				default -> assertThat(handBack.idle()).isEqualTo(Duration.ofSeconds(60));
			}
		});
	}

	@Test
	void leavesWhatComesOnceClosed() {
		this.retries.stop();
		assertThat(this.retries.close()).isEmpty();
		add(1, 1);
		assertThat(this.retries.size()).isZero();
		assertThat(this.fixture.limiter.inFlight()).isZero();
	}

	@Test
	void keepsWhatComesBetweenStopAndClose() {
		this.retries.stop();
		add(1, 1);
		assertThat(this.retries.close()).singleElement()
			.satisfies((handBack) -> assertThat(handBack.deliveryCount()).isEqualTo(1));
	}

	@Test
	void retriesOverAndOver() {
		for (int i = 0; i < 5; i++) {
			this.retries.add(i == 0 ? this.fixture.handled(1) : again(), DELAY, true);
			this.fixture.timer.runAll();
			int latest = i;
			await().until(() -> this.fixture.commands.redeliveries.size() == latest + 1);
			call(i).reply().complete(redelivery(List.of(), List.of(), 1));
		}
		assertThat(this.fixture.counters.retried()).isEqualTo(5);
	}

	private Delivery again() {
		RetryQueue.Redelivered last = this.fixture.redelivered.get(this.fixture.redelivered.size() - 1);
		this.fixture.limiter.resume(last.lease());
		this.fixture.limiter.handled(1, 1000);
		return new Delivery(this.fixture.options, last.entry(), last.lease(), this.fixture.settlement);
	}

}
