package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.List;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.LeaseRenewal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.redisstreams.listener.SettlingFixture.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class LeaseKeeperTests {

	private static final LeaseRenewal ALL_RENEWED = new LeaseRenewal(List.of(), List.of(), List.of());

	private final SettlingFixture fixture = new SettlingFixture(
			SettlingFixture.options().pollTimeout(Duration.ofMillis(1)).minIdle(Duration.ofMillis(3)));

	private final SettlingFixture.Commands commands = this.fixture.commands;

	@BeforeEach
	void start() {
		this.fixture.leases.start();
	}

	/**
	 * Let time pass until all that is held is due, and renew.
	 */
	private List<EntryId> tick() {
		int before = this.commands.renewals.size();
		awaitDue();
		await().until(() -> {
			this.fixture.timer.tick();
			return this.commands.renewals.size() > before;
		});
		return this.commands.renewals.get(before).ids();
	}

	private void awaitDue() {
		List<Lease> held = List.copyOf(this.fixture.limiter.leases());
		await().until(() -> held.stream()
			.allMatch((lease) -> System.nanoTime() - lease.renewedAt() > Duration.ofMillis(5).toNanos()));
	}

	private void reply(LeaseRenewal renewal) {
		this.commands.renewals.get(this.commands.renewals.size() - 1).reply().complete(renewal);
	}

	@Test
	void renewsWhatIsHeldHoweverLong() {
		this.fixture.handled(1);
		this.fixture.retries.add(this.fixture.handled(2), Duration.ofHours(1), true);
		for (int i = 0; i < 3; i++) {
			assertThat(tick()).containsExactlyInAnyOrder(id(1), id(2));
			reply(ALL_RENEWED);
		}
		assertThat(this.fixture.leases.problem()).isNull();
	}

	@Test
	void asksNothingWhileNothingIsHeld() {
		this.fixture.timer.tick();
		assertThat(this.commands.renewals).isEmpty();
	}

	@Test
	void doesNotRenewWhatHasJustBeenReadOrRenewed() {
		SettlingFixture fixture = new SettlingFixture();
		fixture.leases.start();
		fixture.handled(1);
		fixture.timer.tick();
		assertThat(fixture.commands.renewals).isEmpty();
	}

	@Test
	void renewsAHundredAtATime() {
		for (int i = 0; i < 250; i++) {
			this.fixture.handled(i);
		}
		awaitDue();
		this.fixture.timer.tick();
		assertThat(this.commands.renewals).extracting((call) -> call.ids().size()).containsExactly(100, 100, 50);
	}

	@Test
	void waitsForTheReplyBeforeItRenewsAgain() {
		this.fixture.handled(1);
		tick();
		this.fixture.timer.tick();
		assertThat(this.commands.renewals).hasSize(1);
		reply(ALL_RENEWED);
		tick();
		assertThat(this.commands.renewals).hasSize(2);
	}

	@Test
	void tellsAndCountsALostLeaseOnce(CapturedOutput output) {
		Delivery delivery = this.fixture.handled(1);
		this.fixture.handled(2);
		tick();
		assertThat(delivery.isLeaseLost()).isFalse();
		reply(new LeaseRenewal(List.of(id(1)), List.of(), List.of()));
		assertThat(delivery.isLeaseLost()).isTrue();
		assertThat(this.fixture.counters.leasesLost()).isEqualTo(1);
		assertThat(output).contains("Entry 1-1 of stream 's' (group 'g') is no longer held by consumer 'c'");
		assertThat(tick()).containsExactly(id(2));
		// Its handler runs on, so it is not free yet
		assertThat(this.fixture.limiter.leaseOf(id(1))).isNotNull();
	}

	@Test
	void retriesNothingWhoseLeaseIsLost() {
		this.fixture.retries.add(this.fixture.handled(1), Duration.ofHours(1), true);
		tick();
		reply(new LeaseRenewal(List.of(id(1)), List.of(), List.of()));
		assertThat(this.fixture.retries.size()).isZero();
		assertThat(this.fixture.limiter.inFlight()).isZero();
		assertThat(this.fixture.counters.leasesLost()).isEqualTo(1);
	}

	@Test
	void takesNoLeaseForLostThatIsBeingSettled() {
		Delivery delivery = this.fixture.handled(1);
		tick();
		delivery.acknowledge();
		reply(new LeaseRenewal(List.of(id(1)), List.of(), List.of()));
		assertThat(delivery.isLeaseLost()).isFalse();
		assertThat(this.fixture.counters.leasesLost()).isZero();
	}

	@Test
	void takesNoLeaseForLostThatWasReleasedMeanwhile() {
		Delivery delivery = this.fixture.handled(1);
		tick();
		this.fixture.limiter.release(List.of(id(1)));
		Delivery again = this.fixture.handled(1);
		reply(new LeaseRenewal(List.of(id(1)), List.of(), List.of()));
		assertThat(delivery.isLeaseLost()).isFalse();
		assertThat(again.isLeaseLost()).isFalse();
		assertThat(this.fixture.counters.leasesLost()).isZero();
	}

	@Test
	void takesNoLeaseForLostWhoseEntryTheOwnClaimHasCleared() {
		Delivery delivery = this.fixture.handled(1);
		tick();
		// The claim's reply is still on its way
		this.fixture.leases.claiming(true);
		reply(new LeaseRenewal(List.of(id(1)), List.of(), List.of()));
		assertThat(delivery.isLeaseLost()).isFalse();
		tick();
		delivery.lease().bodyIsGone();
		this.fixture.leases.claiming(false);
		reply(new LeaseRenewal(List.of(id(1)), List.of(), List.of()));
		assertThat(delivery.isLeaseLost()).isFalse();
		assertThat(this.fixture.counters.leasesLost()).isZero();
	}

	@Test
	void countsOnceWhatTheOwnClaimHasCleared() {
		Delivery delivery = this.fixture.handled(1);
		tick();
		this.fixture.leases.claiming(true);
		reply(new LeaseRenewal(List.of(), List.of(), List.of(id(1))));
		assertThat(delivery.lease().isBodyGone()).as("left to the claim").isFalse();
		this.fixture.leases.claiming(false);
		tick();
		reply(new LeaseRenewal(List.of(), List.of(), List.of(id(1))));
		assertThat(delivery.lease().isBodyGone()).as("cleared by another's claim").isTrue();
		assertThat(this.fixture.counters.trimmedPending()).isEqualTo(1);
	}

	@Test
	void tellsALostLeaseWithTheNextRenewalWhereAClaimWasUnderWay() {
		Delivery delivery = this.fixture.handled(1);
		tick();
		this.fixture.leases.claiming(true);
		reply(new LeaseRenewal(List.of(id(1)), List.of(), List.of()));
		this.fixture.leases.claiming(false);
		tick();
		reply(new LeaseRenewal(List.of(id(1)), List.of(), List.of()));
		assertThat(delivery.isLeaseLost()).isTrue();
	}

	@Test
	void countsWhatIsGoneOnceAndRenewsItNoMore() {
		Delivery delivery = this.fixture.handled(1);
		this.fixture.handled(2);
		tick();
		reply(new LeaseRenewal(List.of(), List.of(id(1)), List.of()));
		assertThat(delivery.lease().isBodyGone()).isTrue();
		assertThat(delivery.isLeaseLost()).isFalse();
		assertThat(this.fixture.counters.trimmedPending()).isEqualTo(1);
		assertThat(tick()).containsExactly(id(2));
	}

	@Test
	void triesAgainWhatRedisRefused() {
		this.fixture.handled(1);
		tick();
		this.commands.renewals.get(0).refuse();
		assertThat(this.fixture.leases.problem()).asString()
			.contains("Leases on stream 's' (group 'g') cannot be renewed")
			.contains("refused by the test");
		assertThat(tick()).containsExactly(id(1));
		reply(ALL_RENEWED);
		assertThat(this.fixture.leases.problem()).isNull();
	}

	@Test
	void triesAgainBeforeTheNextIntervalWhatRedisRefused() {
		SettlingFixture fixture = new SettlingFixture(SettlingFixture.options().minIdle(Duration.ofSeconds(3)));
		fixture.leases.start();
		fixture.handled(1);
		await().until(() -> {
			fixture.timer.tick();
			return !fixture.commands.renewals.isEmpty();
		});
		fixture.commands.renewals.get(0).refuse();
		SettlingFixture.Task again = fixture.timer.next();
		assertThat(again.delay()).isBetween(Duration.ofMillis(100), Duration.ofMillis(500));
		again.task().run();
		assertThat(fixture.commands.renewals).hasSize(2);
		fixture.commands.renewals.get(1).reply().complete(ALL_RENEWED);
		assertThat(fixture.leases.problem()).isNull();
		fixture.leases.stop();
		again.task().run();
		assertThat(fixture.commands.renewals).hasSize(2);
	}

	@Test
	void hasNoProblemWhileNothingIsHeld() {
		Delivery delivery = this.fixture.handled(1);
		tick();
		this.commands.renewals.get(0).refuse();
		assertThat(this.fixture.leases.problem()).isNotNull();
		this.fixture.limiter.release(List.of(delivery.lease().id()));
		assertThat(this.fixture.leases.problem()).isNull();
	}

	@Test
	void isNotCurrentOnceItHasNotRenewedForTwoThirdsOfMinIdle() {
		SettlingFixture fixture = new SettlingFixture(SettlingFixture.options().minIdle(Duration.ofSeconds(3)));
		fixture.leases.start();
		assertThat(fixture.leases.areCurrent()).isTrue();
		fixture.handled(1);
		await().until(() -> !fixture.leases.areCurrent());
		fixture.timer.tick();
		assertThat(fixture.leases.areCurrent()).as("before the reply").isFalse();
		fixture.commands.renewals.get(0).refuse();
		assertThat(fixture.leases.areCurrent()).as("refused").isFalse();
		fixture.timer.tick();
		fixture.commands.renewals.get(1).reply().complete(ALL_RENEWED);
		assertThat(fixture.leases.areCurrent()).isTrue();
	}

}
