package io.github.redisstreams.listener;

import java.time.Duration;

import io.github.redisstreams.listener.failure.Outcome;
import io.github.redisstreams.redis.TaskAttempt;
import io.github.redisstreams.redis.TaskState;
import org.junit.jupiter.api.Test;

import static io.github.redisstreams.listener.SettlingFixture.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class RedisSettlementTests {

	private static final Outcome RETRY = new Outcome.Retry(Duration.ofSeconds(7));

	private static final Outcome DEAD_LETTER = new Outcome.DeadLetter("because");

	private static final Outcome LEAVE = new Outcome.Leave();

	private static final String BROKEN = "java.lang.IllegalStateException: broken";

	private SettlingFixture fixture = new SettlingFixture();

	private Delivery settle(Outcome outcome) {
		Delivery delivery = this.fixture.handled(1);
		this.fixture.settlement.settle(delivery, outcome);
		return delivery;
	}

	@Test
	void acknowledges() {
		Delivery delivery = settle(new Outcome.Ack());
		this.fixture.timer.runAll();
		assertThat(this.fixture.commands.acknowledged()).containsExactly(id(1));
		assertThat(delivery.lease().isSettling()).isTrue();
		assertThat(this.fixture.limiter.inFlight()).isEqualTo(1);
		this.fixture.commands.last().confirm();
		assertThat(this.fixture.limiter.inFlight()).isZero();
		assertThat(this.fixture.counters.acknowledged()).isEqualTo(1);
	}

	@Test
	void acknowledgesThoughTheLeaseIsLost() {
		Delivery delivery = this.fixture.handled(1);
		delivery.lease().lose();
		this.fixture.settlement.settle(delivery, new Outcome.Ack());
		this.fixture.timer.runAll();
		assertThat(this.fixture.commands.acknowledged()).containsExactly(id(1));
	}

	@Test
	void keepsForItsRetry() {
		settle(RETRY);
		assertThat(this.fixture.retries.size()).isEqualTo(1);
		assertThat(this.fixture.limiter.inFlight()).isEqualTo(1);
		assertThat(this.fixture.timer.next().delay()).isEqualTo(Duration.ofSeconds(7));
	}

	@Test
	void retriesWithoutChargeWhatToldNothing() {
		Delivery delivery = this.fixture.handled(1);
		delivery.spare();
		this.fixture.settlement.settle(delivery, RETRY);
		this.fixture.timer.runAll();
		assertThat(this.fixture.commands.redeliveries.get(0).counts()).containsExactly(1L);
	}

	@Test
	void movesToTheDeadLettersWithTheFailure() {
		Delivery delivery = this.fixture.handled(1);
		delivery.failedWith(new IllegalStateException("broken"));
		this.fixture.settlement.settle(delivery, DEAD_LETTER);
		assertThat(this.fixture.commands.letters).singleElement()
			.satisfies((letter) -> assertThat(letter.namesAndValues())
				.anySatisfy((value) -> assertThat(value).isEqualTo("broken".getBytes())));
	}

	@Test
	void movesToTheDeadLettersWhatIsGoneAndCannotBeRetried() {
		Delivery delivery = this.fixture.handled(1);
		delivery.lease().bodyIsGone();
		this.fixture.settlement.settle(delivery, RETRY);
		assertThat(this.fixture.retries.size()).isZero();
		assertThat(this.fixture.commands.letters).hasSize(1);
	}

	@Test
	void retriesAtTheLongestIntervalWhereThereAreNoDeadLetters() {
		this.fixture = new SettlingFixture(
				SettlingFixture.options().deadLetter((deadLetter) -> deadLetter.enabled(false)));
		settle(DEAD_LETTER);
		assertThat(this.fixture.commands.letters).isEmpty();
		assertThat(this.fixture.timer.next().delay()).isEqualTo(Duration.ofMinutes(1));
	}

	@Test
	void leavesToBeClaimedByWhoeverComesFirst() {
		settle(LEAVE);
		assertThat(this.fixture.limiter.inFlight()).isZero();
		assertThat(this.fixture.limiter.wasLeft(id(1))).isTrue();
		assertThat(this.fixture.timer.tasks).isEmpty();
	}

	@Test
	void doesNothingButLetGoOnceTheLeaseIsLost() {
		for (Outcome outcome : new Outcome[] { RETRY, DEAD_LETTER, LEAVE }) {
			Delivery delivery = this.fixture.handled(1);
			delivery.lease().lose();
			this.fixture.settlement.settle(delivery, outcome);
			assertThat(this.fixture.limiter.inFlight()).isZero();
		}
		assertThat(this.fixture.retries.size()).isZero();
		assertThat(this.fixture.commands.letters).isEmpty();
		assertThat(this.fixture.limiter.wasLeft(id(1))).isFalse();
	}

	@Test
	void keepsTheLeaseOfWhatIsLeftForAsLongAsWasAskedFor() {
		Delivery delivery = this.fixture.handled(1);
		delivery.extend(Duration.ofMillis(300));
		this.fixture.settlement.settle(delivery, LEAVE);
		assertThat(this.fixture.limiter.inFlight()).isEqualTo(1);
		assertThat(this.fixture.limiter.wasLeft(id(1))).isFalse();
		await().until(() -> System.nanoTime() > delivery.lease().keptUntil());
		this.fixture.timer.runAll();
		assertThat(this.fixture.limiter.inFlight()).isZero();
		assertThat(this.fixture.limiter.wasLeft(id(1))).isTrue();
	}

	@Test
	void keepsTheLeaseLongerIfThatIsAskedForMeanwhile() {
		Delivery delivery = this.fixture.handled(1);
		delivery.extend(Duration.ofMillis(1));
		this.fixture.settlement.settle(delivery, LEAVE);
		delivery.extend(Duration.ofHours(1));
		this.fixture.timer.runAll();
		assertThat(this.fixture.limiter.inFlight()).isEqualTo(1);
		assertThat(this.fixture.timer.next().delay()).isGreaterThan(Duration.ofMinutes(50));
	}

	@Test
	void doesNotLeaveWhatWasDecidedMeanwhile() {
		Delivery delivery = this.fixture.handled(1);
		delivery.extend(Duration.ofHours(1));
		delivery.settle(LEAVE);
		SettlingFixture.Task end = this.fixture.timer.next();
		delivery.acknowledge();
		end.task().run();
		assertThat(this.fixture.limiter.wasLeft(id(1))).isFalse();
		this.fixture.timer.runAll();
		assertThat(this.fixture.commands.acknowledged()).containsExactly(id(1));
	}

	@Test
	void retriesWhatWasLeftBefore() {
		Delivery delivery = this.fixture.handled(1);
		delivery.settle(LEAVE);
		assertThat(this.fixture.limiter.wasLeft(id(1))).isTrue();
		delivery.retry(Duration.ZERO);
		assertThat(this.fixture.limiter.wasLeft(id(1))).isFalse();
		assertThat(this.fixture.limiter.leaseOf(id(1))).isSameAs(delivery.lease());
		this.fixture.timer.runAll();
		assertThat(this.fixture.commands.redeliveries).hasSize(1);
	}

	@Test
	void doesNotRetryWhatWasLeftAndHasBeenTakenInAgain() {
		Delivery delivery = this.fixture.handled(1);
		delivery.settle(LEAVE);
		Delivery again = this.fixture.handled(1);
		delivery.retry(Duration.ZERO);
		assertThat(this.fixture.retries.size()).isZero();
		assertThat(this.fixture.limiter.leaseOf(id(1))).as("held for its new handler").isSameAs(again.lease());
	}

	private Delivery settleTask(SettlingFixture fixture, Outcome outcome, boolean failed) {
		Delivery delivery = fixture.task(1, 2, "task-1");
		if (failed) {
			delivery.failedWith(new IllegalStateException("broken"));
		}
		fixture.settlement.settle(delivery, outcome);
		return delivery;
	}

	private static TaskAttempt attempt(TaskState state, String error) {
		return new TaskAttempt(id(1), "task-1", state, 2, error);
	}

	@Test
	void aTaskThatIsAcknowledgedIsCompleted() {
		settleTask(this.fixture, new Outcome.Ack(), false);
		this.fixture.timer.runAll();
		assertThat(this.fixture.commands.tasks.lastFinish().tasks()).containsExactly(attempt(TaskState.COMPLETED, ""));
		assertThat(this.fixture.commands.tasks.notes).isEmpty();
	}

	@Test
	void aTaskThatIsAcknowledgedThoughItFailedHasFailed() {
		settleTask(this.fixture, new Outcome.Ack(), true);
		this.fixture.timer.runAll();
		assertThat(this.fixture.commands.tasks.lastFinish().tasks()).containsExactly(attempt(TaskState.FAILED, BROKEN));
	}

	@Test
	void aTaskThatIsToBeRetriedIsQueued() {
		settleTask(this.fixture, RETRY, true);
		assertThat(this.fixture.commands.tasks.notes).singleElement()
			.satisfies((note) -> assertThat(note.tasks()).containsExactly(attempt(TaskState.QUEUED, BROKEN)));
	}

	@Test
	void aTaskIsAlsoQueuedWhereThereAreNoDeadLetters() {
		SettlingFixture fixture = new SettlingFixture(
				SettlingFixture.options().deadLetter((deadLetter) -> deadLetter.enabled(false)));
		settleTask(fixture, DEAD_LETTER, true);
		assertThat(fixture.commands.tasks.notes).singleElement()
			.satisfies((note) -> assertThat(note.tasks()).containsExactly(attempt(TaskState.QUEUED, BROKEN)));
	}

	@Test
	void aTaskThatFailedAndIsLeftIsQueued() {
		settleTask(this.fixture, LEAVE, true);
		assertThat(this.fixture.commands.tasks.notes).singleElement()
			.satisfies((note) -> assertThat(note.tasks()).containsExactly(attempt(TaskState.QUEUED, BROKEN)));
	}

	@Test
	void aTaskThatIsLeftUndecidedMayStillRun() {
		settleTask(this.fixture, LEAVE, false);
		assertThat(this.fixture.commands.tasks.notes).isEmpty();
	}

	@Test
	void ofATaskThatIsNoLongerHeldNothingIsNoted() {
		Delivery delivery = this.fixture.task(1, 2, "task-1");
		delivery.lease().lose();
		this.fixture.settlement.settle(delivery, RETRY);
		assertThat(this.fixture.commands.tasks.notes).isEmpty();
	}

	@Test
	void aTaskIsDeadWithItsDeadLetter() {
		settleTask(this.fixture, DEAD_LETTER, true);
		assertThat(this.fixture.commands.letters).singleElement()
			.satisfies((letter) -> assertThat(letter.task()).isEqualTo(attempt(TaskState.DEAD, BROKEN)));
		assertThat(this.fixture.commands.tasks.notes).isEmpty();
	}

	@Test
	void aRetryThatIsOneDeliveryTooManyHasTheDeadLettersAsItsOutcome() {
		Delivery delivery = this.fixture.handled(1, this.fixture.options.maxDeliveries());
		delivery.settle(RETRY);
		assertThat(delivery.outcome()).isInstanceOf(Outcome.DeadLetter.class);
	}

	@Test
	void aDeadLetterIsARetryWhereThereAreNone() {
		this.fixture = new SettlingFixture(
				SettlingFixture.options().deadLetter((deadLetter) -> deadLetter.enabled(false)));
		Delivery delivery = this.fixture.handled(1);
		delivery.settle(DEAD_LETTER);
		assertThat(delivery.outcome()).isInstanceOf(Outcome.Retry.class);
	}

	@Test
	void whatAnotherConsumerHasTakenOverIsLeftToIt() {
		Delivery delivery = this.fixture.handled(1);
		delivery.lease().lose();
		delivery.settle(RETRY);
		assertThat(delivery.outcome()).isEqualTo(LEAVE);
	}

	@Test
	void whatIsAcknowledgedAfterItWasLeftHasThatAsItsOutcome() {
		Delivery delivery = this.fixture.handled(1);
		delivery.settle(LEAVE);
		assertThat(delivery.outcome()).isEqualTo(LEAVE);
		delivery.acknowledge();
		assertThat(delivery.outcome()).isEqualTo(new Outcome.Ack());
	}

}
