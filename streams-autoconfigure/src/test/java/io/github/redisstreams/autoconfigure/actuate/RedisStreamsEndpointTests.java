package io.github.redisstreams.autoconfigure.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.redisstreams.config.StreamListenerEndpoint;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.test.RecordingContainerFactory;
import io.github.redisstreams.test.StubCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyCollection;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * The endpoint where what it asks hangs or fails in ways that a server would not.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisStreamsEndpointTests {

	private final CountDownLatch open = new CountDownLatch(1);

	private final Semaphore hanging = new Semaphore(0);

	private final AtomicBoolean auditFails = new AtomicBoolean();

	private final DeadLetters deadLetters = mock(DeadLetters.class);

	private final RecordingContainerFactory factory = new RecordingContainerFactory();

	private final StreamListenerRegistry registry = new StreamListenerRegistry();

	private final RedisStreamsEndpoint endpoint = new RedisStreamsEndpoint(this.registry, new HangingCommands(),
			this.deadLetters, (event) -> {
				if (this.auditFails.get()) {
					throw new IllegalStateException("as asked");
				}
			}, List.of(), Show.NEVER, Duration.ofMinutes(1));

	@BeforeEach
	void register() {
		this.registry.register(StreamListenerEndpoint.of("events", (deliveries) -> {
		}), this.factory);
	}

	@AfterEach
	void close() {
		this.open.countDown();
		this.endpoint.destroy();
		this.factory.close();
	}

	@Test
	void takesNoMoreRequestsThanItHasThreads() {
		for (int i = 0; i < BoundedCalls.MOST_THREADS; i++) {
			Thread reader = new Thread(() -> this.endpoint.listener("events"));
			reader.setDaemon(true);
			reader.start();
		}
		await().until(() -> this.hanging.availablePermits() == BoundedCalls.MOST_THREADS);
		assertThat(this.endpoint.listener("events")).isNotNull()
			.satisfies((details) -> assertThat(details.errors())
				.isEqualTo(Map.of("redis", "Too much is under way. Try again later")));
		assertThatExceptionOfType(ActionFailedException.class)
			.isThrownBy(() -> this.endpoint.perform("events", Map.of("action", "pause"), null))
			.withMessage("Too much is under way. Try again later")
			.satisfies((ex) -> assertThat(ex.isUnavailable()).isTrue());
		assertThat(this.endpoint.listeners().listeners().get("events")).isNotNull()
			.satisfies((listener) -> assertThat(listener.underWay()).isEmpty());
	}

	@Test
	void doesWhatWasAskedForThoughTheAuditEventIsNotTaken(CapturedOutput output) {
		this.auditFails.set(true);
		assertThat(this.endpoint.perform("events", "pause", null, null, null, null, null, null).outcome())
			.isEqualTo(ActionDescriptor.Outcome.DONE);
		assertThat(output)
			.contains("The audit event of {listener=events, action=pause, outcome=success} was not taken");
	}

	@Test
	void saysWhatIsWrongWhateverItIs() {
		given(this.deadLetters.redrive(eq("events"), any())).willThrow(new UnsupportedOperationException("not here"));
		assertThatExceptionOfType(ActionFailedException.class)
			.isThrownBy(() -> this.endpoint.perform("events", "redrive", null, null, null, null, null, null))
			.withMessage("not here")
			.satisfies((ex) -> assertThat(ex.isUnavailable()).isFalse());
	}

	@Test
	void tellsWhatWasPurgedThoughTheRestCannotBeCounted() {
		given(this.deadLetters.purge(eq("events"), anyCollection())).willReturn(2L);
		given(this.deadLetters.count("events"))
			.willThrow(new org.springframework.dao.QueryTimeoutException("no reply to XLEN"));
		assertThat(this.endpoint.perform("events", "purge", "1-1,2-2", null, null, null, null, null).result())
			.isEqualTo(Map.of("purged", 2L));
	}

	/**
	 * A Redis that does not answer.
	 */
	private final class HangingCommands extends StubCommands {

		@Override
		public long length(String stream) {
			RedisStreamsEndpointTests.this.hanging.release();
			try {
				RedisStreamsEndpointTests.this.open.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			throw new UnsupportedOperationException();
		}

	}

}
