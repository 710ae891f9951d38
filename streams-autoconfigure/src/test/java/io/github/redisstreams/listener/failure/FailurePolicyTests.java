package io.github.redisstreams.listener.failure;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.messaging.converter.MessageConversionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@ExtendWith(OutputCaptureExtension.class)
class FailurePolicyTests {

	private static final RetryOptions RETRY = RetryOptions.DEFAULTS.mutate().jitter(0).build();

	private static final Outcome AFTER_A_SECOND = new Outcome.Retry(Duration.ofSeconds(1));

	private final FailurePolicy policy = policy(null);

	private static FailurePolicy policy(@Nullable FailureHandler handler) {
		return new FailurePolicy("events", 5, RETRY, handler);
	}

	private static StreamEntry delivered(long times) {
		return new StreamEntry(EntryId.parse("7-1"), times);
	}

	/**
	 * The ways in which the same fault can reach us.
	 */
	private static List<Throwable> guises(Throwable fault) {
		return List.of(fault, new IllegalStateException("wrapped", fault), new CompletionException(fault),
				new ExecutionException(new CompletionException(new IllegalStateException(fault))));
	}

	@Test
	void anOrdinaryFailureIsRetriedAfterADelayThatGrows() {
		IOException failure = new IOException("down");
		assertThat(this.policy.decide(delivered(1), failure)).isEqualTo(AFTER_A_SECOND);
		assertThat(this.policy.decide(delivered(2), failure)).isEqualTo(new Outcome.Retry(Duration.ofSeconds(2)));
		assertThat(this.policy.decide(delivered(4), failure)).isEqualTo(new Outcome.Retry(Duration.ofSeconds(8)));
		assertThat(this.policy.isFatal(failure)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(longs = { 5, 6, 100 })
	void theLastDeliveryGoesToTheDeadLetters(long deliveries) {
		assertThat(this.policy.decide(delivered(deliveries), new IOException("down")))
			.isEqualTo(new Outcome.DeadLetter("failed at delivery " + deliveries + " of 5"));
	}

	@Test
	void jitterKeepsWithinItsBounds() {
		FailurePolicy jittery = new FailurePolicy("events", 5, RetryOptions.DEFAULTS, null);
		for (int i = 0; i < 1000; i++) {
			assertThat(jittery.decide(delivered(2), new IOException("down"))).isInstanceOfSatisfying(
					Outcome.Retry.class,
					(retry) -> assertThat(retry.delay()).isBetween(Duration.ofMillis(1600), Duration.ofMillis(2400)));
		}
	}

	@Test
	@DisplayName("C07: a fatal failure goes to the dead letters at once, thrown directly or as a cause")
	void aFatalFailureGoesToTheDeadLettersAtOnceInAnyGuise() {
		assertThat(guises(new MessageConversionException("no JSON"))).allSatisfy((failure) -> {
			assertThat(this.policy.isFatal(failure)).isTrue();
			assertThat(this.policy.decide(delivered(1), failure))
				.isEqualTo(new Outcome.DeadLetter("cannot succeed: " + failure.getClass().getName()));
		});
	}

	@Test
	@DisplayName("C07: an ordinary failure is retried, thrown directly or as a cause")
	void anOrdinaryFailureIsRetriedInAnyGuise() {
		assertThat(guises(new IOException("down")))
			.allSatisfy((failure) -> assertThat(this.policy.decide(delivered(1), failure)).isEqualTo(AFTER_A_SECOND));
	}

	@Test
	@DisplayName("C07: a DeadLetterException goes to the dead letters at once, thrown directly or as a cause")
	void aDeadLetterExceptionCountsInAnyGuise() {
		assertThat(guises(new DeadLetterException("the customer is gone"))).allSatisfy((failure) -> {
			assertThat(this.policy.isFatal(failure)).isTrue();
			assertThat(this.policy.decide(delivered(1), failure))
				.isEqualTo(new Outcome.DeadLetter("the customer is gone"));
		});
	}

	@Test
	@DisplayName("C07: a RetryAfterException is retried when it says, thrown directly or as a cause")
	void aRetryAfterExceptionCountsInAnyGuise() {
		assertThat(guises(new RetryAfterException(Duration.ofMinutes(7), "quota"))).allSatisfy((failure) -> {
			assertThat(this.policy.isFatal(failure)).isFalse();
			assertThat(this.policy.decide(delivered(1), failure)).isEqualTo(new Outcome.Retry(Duration.ofMinutes(7)));
		});
	}

	@Test
	void aRetryAfterExceptionDoesNotOutliveTheLastDelivery() {
		assertThat(this.policy.decide(delivered(5), new RetryAfterException(Duration.ofMinutes(7), "quota")))
			.isInstanceOf(Outcome.DeadLetter.class);
	}

	@Test
	void aRetryAfterExceptionWinsOverAFatalCause() {
		RetryAfterException failure = new RetryAfterException(Duration.ofMinutes(7), "schema not there yet",
				new MessageConversionException("no schema"));
		assertThat(this.policy.decide(delivered(1), failure)).isEqualTo(new Outcome.Retry(Duration.ofMinutes(7)));
		assertThat(this.policy.isFatal(failure)).isFalse();
	}

	@Test
	void aDeadLetterExceptionWinsOverEverything() {
		DeadLetterException inner = new DeadLetterException("hopeless");
		RetryAfterException failure = new RetryAfterException(Duration.ofMinutes(7), "quota", inner);
		FailurePolicy policy = new FailurePolicy("events", 5,
				RETRY.mutate().includes(List.of(DeadLetterException.class)).build(), null);
		assertThat(policy.decide(delivered(5), failure)).isEqualTo(new Outcome.DeadLetter("hopeless"));
		assertThat(policy.isFatal(failure)).isTrue();
	}

	@Test
	void whatIsNotIncludedGoesToTheDeadLettersAtOnce() {
		FailurePolicy policy = new FailurePolicy("events", 5,
				RETRY.mutate().includes(List.of(IOException.class)).build(), null);
		assertThat(policy.decide(delivered(1), new IOException("down"))).isEqualTo(AFTER_A_SECOND);
		assertThat(policy.decide(delivered(1), new IllegalStateException())).isInstanceOf(Outcome.DeadLetter.class);
		assertThat(policy.isFatal(new IllegalStateException())).isTrue();
	}

	@Test
	void aRetryBeforeNowIsRefusedWhereItIsAskedFor() {
		assertThatIllegalArgumentException().isThrownBy(() -> new RetryAfterException(Duration.ofMillis(-1), "never"));
		assertThatIllegalArgumentException().isThrownBy(() -> new Outcome.Retry(Duration.ofMillis(-1)));
	}

	@Test
	void aFailureHandlerSeesTheDefaultOutcomeAndWinsOverIt() {
		List<Failure> seen = new ArrayList<>();
		FailurePolicy policy = policy((failure) -> {
			seen.add(failure);
			return new Outcome.Leave();
		});
		StreamEntry entry = delivered(1);
		IOException cause = new IOException("down");
		assertThat(policy.decide(entry, cause)).isEqualTo(new Outcome.Leave());
		assertThat(policy.decide(entry, new DeadLetterException("hopeless"))).isEqualTo(new Outcome.Leave());
		assertThat(seen.get(0)).isEqualTo(new Failure("events", entry, cause, AFTER_A_SECOND));
		assertThat(seen.get(0).deliveryCount()).isEqualTo(1);
		assertThat(seen.get(1).defaultOutcome()).isEqualTo(new Outcome.DeadLetter("hopeless"));
	}

	@Test
	void aFailureHandlerThatThrowsIsLoggedAndTheDefaultOutcomeTaken(CapturedOutput output) {
		FailurePolicy policy = policy((failure) -> {
			throw new UnsupportedOperationException("not written yet");
		});
		assertThat(policy.decide(delivered(1), new IOException("down"))).isEqualTo(AFTER_A_SECOND);
		assertThat(output).contains("The FailureHandler of listener 'events' failed; entry 7-1")
			.contains("not written yet");
	}

	@Test
	void anErrorOrCheckedExceptionOfAFailureHandlerIsNoWorse(CapturedOutput output) {
		FailurePolicy error = policy((failure) -> {
			throw new NoClassDefFoundError("com/example/Gone");
		});
		FailurePolicy checked = policy((failure) -> {
			throw FailurePolicyTests.<RuntimeException>asUnchecked(new Exception("sneaked"));
		});
		assertThat(error.decide(delivered(1), new IOException("down"))).isEqualTo(AFTER_A_SECOND);
		assertThat(checked.decide(delivered(1), new IOException("down"))).isEqualTo(AFTER_A_SECOND);
		assertThat(output).contains("com/example/Gone").contains("sneaked");
	}

	@Test
	@SuppressWarnings("NullAway")
	void aFailureHandlerThatReturnsNothingIsLoggedAndTheDefaultOutcomeTaken(CapturedOutput output) {
		FailurePolicy policy = policy((failure) -> null);
		assertThat(policy.decide(delivered(1), new IOException("down"))).isEqualTo(AFTER_A_SECOND);
		assertThat(output).contains("The FailureHandler of listener 'events' failed").contains("It returned null");
	}

	@SuppressWarnings("unchecked")
	private static <X extends Throwable> X asUnchecked(Throwable checked) throws X {
		throw (X) checked;
	}

}
