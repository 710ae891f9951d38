package io.github.redisstreams.autoconfigure.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.redisstreams.StreamsConfigurationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class BoundedCallsTests {

	private final BoundedCalls calls = new BoundedCalls(Duration.ofMillis(50));

	private final CountDownLatch open = new CountDownLatch(1);

	@AfterEach
	void close() {
		this.open.countDown();
		this.calls.close();
	}

	@Test
	void takesNoTimeoutThatNothingCouldMeet() {
		assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> new BoundedCalls(Duration.ZERO))
			.satisfies((ex) -> assertThat(ex.getAction()).contains("management.endpoint.redisstreams.timeout"));
	}

	@Test
	void returnsAndThrowsWhatACallDoes() throws Exception {
		assertThat(this.calls.call(() -> Thread.currentThread().getName())).startsWith("streams-actuator-");
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> this.calls.call(() -> {
			throw new IllegalStateException("as asked");
		})).withCauseInstanceOf(IllegalStateException.class);
	}

	@Test
	void interruptsACallThatTakesTooLong() {
		AtomicBoolean interrupted = new AtomicBoolean();
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> this.calls.call(() -> {
			try {
				this.open.await();
			}
			catch (InterruptedException ex) {
				interrupted.set(true);
			}
			return "";
		}));
		await().untilTrue(interrupted);
	}

	@Test
	void letsWhatWasBegunGoOn() {
		CompletableFuture<String> begun = this.calls.begin(() -> {
			this.open.await();
			return "done";
		});
		assertThat(begun).isNotDone();
		this.open.countDown();
		assertThat(begun).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("done");
	}

	@Test
	void beginsNothingWhileAllThreadsAreTaken() {
		List<CompletableFuture<String>> begun = new ArrayList<>();
		for (int i = 0; i < BoundedCalls.MOST_THREADS; i++) {
			begun.add(this.calls.begin(() -> {
				this.open.await();
				return "done";
			}));
		}
		assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> this.calls.begin(() -> ""));
		assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> this.calls.call(() -> ""));
		this.open.countDown();
		assertThat(begun).allSatisfy((call) -> assertThat(call).succeedsWithin(Duration.ofSeconds(10)));
		await().ignoreExceptionsInstanceOf(RejectedExecutionException.class)
			.untilAsserted(() -> assertThat(this.calls.call(() -> "free")).isEqualTo("free"));
	}

}
