package io.github.redisstreams.listener;

import java.util.Arrays;
import java.util.List;

import io.github.redisstreams.redis.StreamEntry;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link Intake}.
 */
class IntakeTests {

	private final SettlingFixture fixture = new SettlingFixture();

	private final WorkerPool workers = mock();

	private final Intake intake = new Intake(this.fixture.options, this.fixture.limiter, this.fixture.counters,
			this.fixture.settlement, this.workers);

	private static List<StreamEntry> entries() {
		return List.of(SettlingFixture.entry(1, 1), SettlingFixture.entry(2, 1));
	}

	@Test
	void takesEachEntryOnce() {
		assertThat(this.intake.take(entries())).isEqualTo(2);
		InOrder order = inOrder(this.workers);
		order.verify(this.workers).submit(any());
		order.verify(this.workers).start();
		assertThat(this.intake.take(entries())).isZero();
		assertThat(this.fixture.limiter.inFlight()).isEqualTo(2);
	}

	@Test
	void startsNoWorkersForWhatItTakesEarly() {
		assertThat(this.intake.takeEarly(entries())).isEqualTo(2);
		verify(this.workers).submit(any());
		verify(this.workers, never()).start();
	}

	@Test
	void holdsNothingThatItFailedToTake() {
		assertThatExceptionOfType(NullPointerException.class)
			.isThrownBy(() -> this.intake.take(Arrays.asList(SettlingFixture.entry(1, 1), null)));
		assertThat(this.fixture.limiter.inFlight()).isZero();
		verify(this.workers, never()).submit(any());
		assertThat(this.intake.take(entries())).isEqualTo(2);
	}

}
