package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redisstreams.listener.FailureCircuit.Permit;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class FailureCircuitTests {

	/** Longer than any test takes. */
	private static final Duration LONG = Duration.ofMinutes(10);

	private final ContainerCounters counters = new ContainerCounters();

	private final AtomicInteger changes = new AtomicInteger();

	private FailureCircuit circuit(Duration initialPause, Duration maxPause) {
		return circuit(new CircuitOptions(true, LONG, 20, 0.9, initialPause, maxPause));
	}

	private FailureCircuit circuit(CircuitOptions options) {
		return new FailureCircuit("id", options, this.counters, this.changes::incrementAndGet);
	}

	@Test
	void letsEverythingStartAtFirst() {
		FailureCircuit circuit = circuit(LONG, LONG);
		assertThat(circuit.isClosed()).isTrue();
		assertThat(circuit.tryStart()).isEqualTo(Permit.NORMAL);
		assertThat(circuit.tryStart()).isEqualTo(Permit.NORMAL);
		assertThat(circuit.untilNextTry()).isZero();
	}

	@Test
	void opensAtTheTwentiethFailure() {
		FailureCircuit circuit = circuit(LONG, LONG);
		for (int i = 0; i < 19; i++) {
			circuit.record(Permit.NORMAL, 0, 1);
		}
		assertThat(circuit.isClosed()).isTrue();
		circuit.record(Permit.NORMAL, 0, 1);
		assertThat(circuit.isClosed()).isFalse();
		assertThat(circuit.tryStart()).isEqualTo(Permit.NONE);
		assertThat(circuit.untilNextTry()).isPositive().isLessThanOrEqualTo(LONG);
		assertThat(this.counters.suspensions()).isEqualTo(1);
		assertThat(this.changes).hasValue(1);
	}

	@Test
	void opensAtABatchOfFailures() {
		FailureCircuit circuit = circuit(LONG, LONG);
		circuit.record(Permit.NORMAL, 2, 20);
		assertThat(circuit.isClosed()).isFalse();
	}

	@Test
	void staysClosedWhileEnoughSucceeds() {
		FailureCircuit circuit = circuit(LONG, LONG);
		circuit.record(Permit.NORMAL, 12, 0);
		for (int i = 0; i < 100; i++) {
			circuit.record(Permit.NORMAL, 0, 1);
			assertThat(circuit.isClosed()).isTrue();
			if (i % 5 == 0) {
				circuit.record(Permit.NORMAL, 1, 0);
			}
		}
	}

	@Test
	void doesNotOpenForASuccess() {
		FailureCircuit circuit = circuit(new CircuitOptions(true, LONG, 1, 0.1, LONG, LONG));
		circuit.record(Permit.NORMAL, 5, 0);
		assertThat(circuit.isClosed()).isTrue();
	}

	@Test
	void forgetsWhatIsOlderThanTheWindow() {
		FailureCircuit circuit = circuit(new CircuitOptions(true, Duration.ofMillis(50), 20, 0.9, LONG, LONG));
		circuit.record(Permit.NORMAL, 0, 19);
		long start = System.nanoTime();
		await().until(() -> System.nanoTime() - start > Duration.ofMillis(60).toNanos());
		circuit.record(Permit.NORMAL, 0, 1);
		assertThat(circuit.isClosed()).isTrue();
	}

	@Test
	void neverOpensWhereDisabled() {
		FailureCircuit circuit = circuit(new CircuitOptions(false, LONG, 1, 0.1, LONG, LONG));
		circuit.record(Permit.NORMAL, 0, 1000);
		assertThat(circuit.isClosed()).isTrue();
	}

	@Test
	void letsOneTryWhenThePauseIsOver() {
		FailureCircuit circuit = circuit(Duration.ofMillis(1), Duration.ofMillis(1));
		circuit.record(Permit.NORMAL, 0, 20);
		await().until(() -> circuit.untilNextTry().isZero());
		assertThat(circuit.tryStart()).isEqualTo(Permit.TRIAL);
		assertThat(circuit.tryStart()).as("another one").isEqualTo(Permit.NONE);
		assertThat(circuit.untilNextTry()).isPositive();
	}

	@Test
	void closesWhenTheTrySucceeds() {
		FailureCircuit circuit = circuit(Duration.ofMillis(1), LONG);
		circuit.record(Permit.NORMAL, 0, 20);
		await().until(() -> circuit.tryStart() == Permit.TRIAL);
		assertThat(this.changes).hasValue(1);
		circuit.record(Permit.TRIAL, 1, 0);
		assertThat(circuit.isClosed()).isTrue();
		assertThat(this.changes).hasValue(2);
		circuit.record(Permit.NORMAL, 0, 19);
		assertThat(circuit.isClosed()).as("it starts to count anew").isTrue();
		circuit.record(Permit.NORMAL, 0, 1);
		assertThat(circuit.isClosed()).isFalse();
		assertThat(this.counters.suspensions()).isEqualTo(2);
	}

	@Test
	void pausesTwiceAsLongAfterEachTryThatFails() {
		FailureCircuit circuit = circuit(Duration.ofMillis(400), LONG);
		circuit.record(Permit.NORMAL, 0, 20);
		assertThat(circuit.untilNextTry()).isLessThanOrEqualTo(Duration.ofMillis(400));
		await().until(() -> circuit.tryStart() == Permit.TRIAL);
		circuit.record(Permit.TRIAL, 0, 1);
		assertThat(circuit.untilNextTry()).isLessThanOrEqualTo(Duration.ofMillis(800));
		long start = System.nanoTime();
		await().until(() -> circuit.tryStart() == Permit.TRIAL);
		assertThat(System.nanoTime() - start).isGreaterThan(Duration.ofMillis(500).toNanos());
	}

	@Test
	void pausesNoLongerThanAtMost() {
		FailureCircuit circuit = circuit(Duration.ofMillis(1), Duration.ofMillis(3));
		circuit.record(Permit.NORMAL, 0, 20);
		for (int i = 0; i < 10; i++) {
			await().until(() -> circuit.tryStart() == Permit.TRIAL);
			circuit.record(Permit.TRIAL, 0, 1);
			assertThat(circuit.untilNextTry()).isLessThanOrEqualTo(Duration.ofMillis(3));
		}
		assertThat(this.counters.suspensions()).isEqualTo(1);
	}

	@Test
	void learnsNothingFromFailuresThatWereUnderWayAsItOpened() {
		FailureCircuit circuit = circuit(Duration.ofMillis(1), LONG);
		circuit.record(Permit.NORMAL, 0, 20);
		for (int i = 0; i < 20; i++) {
			circuit.record(Permit.NORMAL, 0, 1);
		}
		await().until(() -> circuit.tryStart() == Permit.TRIAL);
		assertThat(circuit.isClosed()).isFalse();
	}

	@Test
	void triesAnotherAtOnceAfterOneThatTellsNothing() {
		FailureCircuit circuit = circuit(Duration.ofMillis(1), LONG);
		circuit.record(Permit.NORMAL, 0, 20);
		await().until(() -> circuit.tryStart() == Permit.TRIAL);
		// It cannot be converted, say
		circuit.record(Permit.TRIAL, 0, 0);
		assertThat(circuit.isClosed()).isFalse();
		assertThat(circuit.untilNextTry()).isZero();
		assertThat(circuit.tryStart()).isEqualTo(Permit.TRIAL);
	}

}
