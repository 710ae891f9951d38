package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.redisstreams.listener.failure.Outcome;
import io.github.redisstreams.redis.TaskAttempt;
import io.github.redisstreams.redis.TaskState;
import io.github.redisstreams.test.Entries;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DeliveryTests {

	private static final Outcome ACK = new Outcome.Ack();

	private static final Outcome RETRY = new Outcome.Retry(Duration.ofSeconds(1));

	private static final Outcome LEAVE = new Outcome.Leave();

	private final List<Outcome> settled = new ArrayList<>();

	private final Delivery delivery = new Delivery(SettlingFixture.options().build("id", "test"),
			Entries.entry("n", "1"), (delivery, outcome) -> this.settled.add(outcome));

	@Test
	void isSettledAsIsDecidedWhenItsHandlerIsDone() {
		this.delivery.settle(RETRY);
		assertThat(this.settled).containsExactly(RETRY);
	}

	@Test
	void isAcknowledgedAtOnceAndOnlyOnce() {
		this.delivery.acknowledge();
		assertThat(this.settled).containsExactly(ACK);
		assertThat(this.delivery.isAcknowledged()).isTrue();
		this.delivery.acknowledge();
		this.delivery.settle(ACK);
		assertThat(this.settled).hasSize(1);
	}

	@Test
	void staysAcknowledgedThoughItsHandlerFailsThen() {
		this.delivery.acknowledge();
		this.delivery.settle(RETRY);
		assertThat(this.settled).containsExactly(ACK);
	}

	@Test
	void isRetriedOnlyOnceItsHandlerIsDone() {
		this.delivery.retry(Duration.ofSeconds(1));
		assertThat(this.settled).isEmpty();
		assertThat(this.delivery.isDecided()).isTrue();
		this.delivery.settle(ACK);
		assertThat(this.settled).containsExactly(RETRY);
	}

	@Test
	void isRejectedOnlyOnceItsHandlerIsDone() {
		this.delivery.reject("no use");
		assertThat(this.settled).isEmpty();
		this.delivery.settle(LEAVE);
		assertThat(this.settled).containsExactly(new Outcome.DeadLetter("no use"));
	}

	@Test
	void goesByTheFirstDecision() {
		this.delivery.reject("no use");
		this.delivery.acknowledge();
		this.delivery.retry(Duration.ZERO);
		assertThat(this.delivery.isAcknowledged()).isFalse();
		this.delivery.settle(ACK);
		assertThat(this.settled).containsExactly(new Outcome.DeadLetter("no use"));
	}

	@Test
	void canBeDecidedAboutLaterWhereItWasLeft() {
		this.delivery.settle(LEAVE);
		assertThat(this.settled).containsExactly(LEAVE);
		assertThat(this.delivery.isDecided()).isFalse();
		this.delivery.retry(Duration.ofSeconds(1));
		assertThat(this.settled).containsExactly(LEAVE, RETRY);
		this.delivery.acknowledge();
		this.delivery.reject("no use");
		assertThat(this.settled).hasSize(2);
	}

	@Test
	void canBeAcknowledgedLaterWhereItWasLeft() {
		this.delivery.settle(LEAVE);
		this.delivery.acknowledge();
		assertThat(this.settled).containsExactly(LEAVE, ACK);
	}

	@Test
	void cannotBeDecidedAboutOnceItIsSettled() {
		this.delivery.settle(RETRY);
		this.delivery.acknowledge();
		this.delivery.reject("no use");
		assertThat(this.settled).containsExactly(RETRY);
	}

	@Test
	void keepsItsLeaseForAsLongAsIsAskedFor() {
		long before = System.nanoTime();
		assertThat(this.delivery.lease().keptUntil() - before).isNotPositive();
		this.delivery.extend(Duration.ofMinutes(1));
		assertThat(this.delivery.lease().keptUntil() - before).isGreaterThanOrEqualTo(Duration.ofMinutes(1).toNanos());
		assertThat(this.settled).isEmpty();
	}

	@Test
	void tellsThatItsLeaseIsLost() {
		assertThat(this.delivery.isLeaseLost()).isFalse();
		this.delivery.lease().lose();
		assertThat(this.delivery.isLeaseLost()).isTrue();
	}

	@Test
	void isChargedUnlessSpared() {
		assertThat(this.delivery.isCharged()).isTrue();
		this.delivery.spare();
		assertThat(this.delivery.isCharged()).isFalse();
	}

	private static Delivery of(String... namesAndValues) {
		return new Delivery(SettlingFixture.options().build("id", "test"), Entries.entry(namesAndValues),
				(delivery, outcome) -> {
				});
	}

	private static TaskAttempt task(Delivery delivery) {
		return Objects.requireNonNull(delivery.task(TaskState.QUEUED));
	}

	@Test
	void isATaskWhereItsEntrySaysSo() {
		assertThat(of("n", "1").task(TaskState.RUNNING)).isNull();
		assertThat(task(of("n", "1", "redis_task", "order-7")).id()).isEqualTo("order-7");
		assertThat(task(of("n", "1", "redis_task", "*")).id()).isEqualTo("1700000000000-0");
		assertThat(task(of("redis_task", "a", "n", "1", "redis_task", "b")).id()).as("the last").isEqualTo("b");
	}

	@Test
	void tellsWhyItsTaskFailedUpToACertainLength() {
		Delivery delivery = of("redis_task", "a");
		assertThat(task(delivery).error()).isEmpty();
		delivery.failedWith(new IllegalStateException("x".repeat(5000)));
		assertThat(task(delivery).error()).startsWith("java.lang.IllegalStateException: xxx")
			.endsWith("...")
			.hasSize(1003);
	}

	@Test
	@SuppressWarnings("serial")
	void tellsOfAFailureThatCannotTellItself() {
		class Unspeakable extends RuntimeException {

			@Override
			public String toString() {
				throw new UnsupportedOperationException();
			}

		}
		Delivery delivery = of("redis_task", "a");
		delivery.failedWith(new Unspeakable());
		assertThat(task(delivery).error()).isEqualTo(Unspeakable.class.getName());
	}

}
