package io.github.redisstreams.listener;

import java.io.IOException;
import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class RecordProcessorTests {

	private final RecordingCommands commands = new RecordingCommands();

	/**
	 * One container's worth of collaborators around a handler.
	 */
	private final class Fixture {

		private final ListenerOptions options;

		private final InFlightLimiter limiter;

		private final AckBatcher acks;

		private final RetryQueue retries;

		private final RedisSettlement settlement;

		private final RecordProcessor processor;

		Fixture(AckMode ackMode, EntryHandler handler) {
			this.options = ListenerOptions.builder()
				.stream("s")
				.group("g")
				.consumer("c")
				.ackMode(ackMode)
				.build("id", "test");
			this.limiter = new InFlightLimiter(this.options, false);
			ContainerCounters counters = new ContainerCounters();
			ScheduledExecutorService timer = mock();
			RecordingCommands commands = RecordProcessorTests.this.commands;
			FailureCircuit circuit = new FailureCircuit("id", this.options.circuit(), counters, () -> {
			});
			this.acks = new AckBatcher(commands, this.options, this.limiter, counters, timer);
			this.retries = new RetryQueue(this.options, commands, this.limiter, circuit, counters, timer,
					(redelivered) -> {
					});
			TaskNotes tasks = new TaskNotes(this.options, commands, timer);
			this.settlement = new RedisSettlement(this.options, this.limiter, this.acks, this.retries,
					new DeadLetterWriter("id", this.options, commands, this.limiter, counters, timer, (entry) -> {
					}), tasks, timer);
			this.processor = new RecordProcessor("id", this.options, handler,
					(deliveries) -> HandlerObserver.Call.UNOBSERVED, this.limiter, circuit, tasks);
		}

		List<Delivery> process(int count) {
			List<Delivery> deliveries = new ArrayList<>();
			for (int i = 1; i <= count; i++) {
				EntryId id = new EntryId(1, i);
				Lease lease = Objects.requireNonNull(this.limiter.hold(id));
				deliveries.add(new Delivery(this.options, new StreamEntry(id, 1, bytes("n"), bytes("v")), lease,
						this.settlement));
			}
			this.processor.process(deliveries);
			this.acks.flush();
			return deliveries;
		}

	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	static Stream<Throwable> failures() {
		return Stream.of(new IllegalStateException("runtime"), new IOException("checked"),
				new NoClassDefFoundError("error"));
	}

	private static EntryHandler throwing(Throwable failure) {
		return (deliveries) -> {
			if (failure instanceof Error error) {
				throw error;
			}
			throw (Exception) failure;
		};
	}

	@ParameterizedTest
	@EnumSource(value = AckMode.class, names = { "ON_SUCCESS", "ALWAYS" })
	void acknowledgesWhatSucceeded(AckMode ackMode) {
		Fixture fixture = new Fixture(ackMode, (deliveries) -> {
		});
		fixture.process(2);
		assertThat(this.commands.acknowledged()).containsExactly(new EntryId(1, 1), new EntryId(1, 2));
		assertThat(fixture.limiter.inFlight()).isEqualTo(2);
		this.commands.last().confirm();
		assertThat(fixture.limiter.inFlight()).isZero();
	}

	@ParameterizedTest
	@MethodSource("failures")
	void retriesWhatFailed(Throwable failure) {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS, throwing(failure));
		fixture.process(1);
		assertThat(this.commands.acks).isEmpty();
		assertThat(fixture.retries.size()).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("failures")
	void acknowledgesWhatFailedInModeAlways(Throwable failure) {
		new Fixture(AckMode.ALWAYS, throwing(failure)).process(1);
		assertThat(this.commands.acknowledged()).containsExactly(new EntryId(1, 1));
	}

	@Test
	void leavesItToTheHandlerInModeManual() {
		Fixture fixture = new Fixture(AckMode.MANUAL, (deliveries) -> {
		});
		List<Delivery> deliveries = fixture.process(1);
		assertThat(this.commands.acks).isEmpty();
		assertThat(fixture.limiter.inFlight()).isZero();
		deliveries.get(0).acknowledge();
		deliveries.get(0).acknowledge();
		fixture.acks.flush();
		assertThat(this.commands.acknowledged()).containsExactly(new EntryId(1, 1));
	}

	@ParameterizedTest
	@EnumSource(AckMode.class)
	void acknowledgesOnceWhatTheHandlerAcknowledgesItself(AckMode ackMode) {
		Fixture fixture = new Fixture(ackMode, (deliveries) -> {
			deliveries.get(0).acknowledge();
			deliveries.get(0).acknowledge();
		});
		fixture.process(1);
		assertThat(this.commands.acknowledged()).containsExactly(new EntryId(1, 1));
		assertThat(fixture.limiter.inFlight()).as("held until confirmed").isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource(AckMode.class)
	void acknowledgesWhatTheHandlerAcknowledgedBeforeItFailed(AckMode ackMode) {
		Fixture fixture = new Fixture(ackMode, (deliveries) -> {
			deliveries.get(0).acknowledge();
			throw new IllegalStateException("after the acknowledgement");
		});
		fixture.process(1);
		assertThat(this.commands.acknowledged()).containsExactly(new EntryId(1, 1));
		assertThat(fixture.limiter.inFlight()).isEqualTo(1);
	}

	@Test
	void retriesOnlyThoseEntriesOfABatchThatFailed() {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS, (deliveries) -> {
			throw new EntriesFailedException(Map.of(new EntryId(1, 2), new IllegalStateException("second")));
		});
		fixture.process(3);
		assertThat(this.commands.acknowledged()).containsExactly(new EntryId(1, 1), new EntryId(1, 3));
		assertThat(fixture.retries.size()).isEqualTo(1);
	}

	@Test
	void retriesAWholeBatchThatFailed() {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS, throwing(new IllegalStateException("all")));
		fixture.process(3);
		assertThat(this.commands.acks).isEmpty();
		assertThat(fixture.retries.size()).isEqualTo(3);
	}

	static Stream<Map<EntryId, Throwable>> failuresOfOthers() {
		IllegalStateException failure = new IllegalStateException("not of this call");
		return Stream.of(Map.of(new EntryId(9, 9), failure),
				Map.of(new EntryId(9, 9), failure, new EntryId(1, 2), failure), Map.of(new EntryId(1, 1), failure,
						new EntryId(1, 2), failure, new EntryId(1, 3), failure, new EntryId(1, 4), failure));
	}

	@ParameterizedTest
	@MethodSource("failuresOfOthers")
	void retriesAWholeBatchIfSomeOfTheFailedEntriesAreNotOfIt(Map<EntryId, Throwable> failures, CapturedOutput output) {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS, batch(new EntriesFailedException(failures)));
		fixture.process(3);
		assertThat(this.commands.acks).isEmpty();
		assertThat(fixture.retries.size()).isEqualTo(3);
		assertThat(output).contains("failed on entry 1-1 of stream 's'")
			.contains("failed on entry 1-2 of stream 's'")
			.contains("failed on entry 1-3 of stream 's'");
	}

	@Test
	void retriesTheEntryOfAHandlerOfSingleEntriesThatNamesAnother(CapturedOutput output) {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS,
				throwing(new EntriesFailedException(Map.of(new EntryId(9, 9), new IllegalStateException("other")))));
		fixture.process(1);
		assertThat(this.commands.acks).isEmpty();
		assertThat(fixture.retries.size()).isEqualTo(1);
		assertThat(output).contains("failed on entry 1-1 of stream 's'").contains("IllegalStateException: other");
	}

	@Test
	void retriesTheEntryOfAHandlerOfSingleEntriesThatNamesIt() {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS,
				throwing(new EntriesFailedException(Map.of(new EntryId(1, 1), new IllegalStateException("it")))));
		fixture.process(1);
		assertThat(this.commands.acks).isEmpty();
		assertThat(fixture.retries.size()).isEqualTo(1);
	}

	@Test
	void needsAFailedEntryToSayThatEntriesFailed() {
		assertThatIllegalArgumentException().isThrownBy(() -> new EntriesFailedException(Map.of()));
	}

	static Stream<Throwable> unspeakableFailures() {
		return Stream.of(new UnspeakableException(() -> {
			throw new IllegalStateException("no message");
		}), new UnspeakableException(() -> {
			throw new StackOverflowError("no message");
		}), new UnspeakableException(() -> {
			throw new NoClassDefFoundError("no message");
		}), new RuntimeException("Failed") {

			@Serial
			private static final long serialVersionUID = 1L;

			@Override
			public String toString() {
				throw new IllegalStateException("no text");
			}

		}, new RuntimeException("Failed") {

			@Serial
			private static final long serialVersionUID = 1L;

			@Override
			public synchronized Throwable getCause() {
				throw new IllegalStateException("no cause");
			}

		});
	}

	@ParameterizedTest
	@MethodSource("unspeakableFailures")
	void settlesTheWholeBatchThoughAFailureCannotBeShown(Throwable failure, CapturedOutput output) {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS, batch(new EntriesFailedException(
				Map.of(new EntryId(1, 2), failure, new EntryId(1, 4), new IllegalStateException("speakable")))));
		processWhateverItThrows(fixture, 5);
		assertThat(this.commands.acknowledged()).containsExactly(new EntryId(1, 1), new EntryId(1, 3),
				new EntryId(1, 5));
		this.commands.last().confirm();
		assertThat(fixture.retries.size()).isEqualTo(2);
		assertThat(output).contains("failed on entry 1-2 of stream 's'")
			.contains("failed on entry 1-4 of stream 's'")
			.contains("IllegalStateException: speakable");
	}

	@ParameterizedTest
	@MethodSource("unspeakableFailures")
	void retriesWhatFailedInAWayThatCannotBeShown(Throwable failure, CapturedOutput output) {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS, throwing(failure));
		processWhateverItThrows(fixture, 1);
		assertThat(this.commands.acks).isEmpty();
		assertThat(fixture.retries.size()).isEqualTo(1);
		assertThat(output).contains("failed on entry 1-1 of stream 's'");
	}

	// What remains to be seen is what has become of the entries
	private static void processWhateverItThrows(Fixture fixture, int count) {
		try {
			fixture.process(count);
		}
		catch (Throwable ex) {
			fixture.acks.flush();
		}
	}

	private static EntryHandler batch(Exception failure) {
		return new EntryHandler() {

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				throw failure;
			}

			@Override
			public boolean isBatch() {
				return true;
			}

		};
	}

	/**
	 * Cannot tell its message.
	 */
	private static final class UnspeakableException extends RuntimeException {

		@Serial
		private static final long serialVersionUID = 1L;

		private final transient Supplier<String> message;

		UnspeakableException(Supplier<String> message) {
			this.message = message;
		}

		@Override
		public String getMessage() {
			return this.message.get();
		}

	}

	@Test
	void tellsTheThreadThatItsHandlerWasInterrupted() {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS, throwing(new InterruptedException()));
		fixture.process(1);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.commands.acks).isEmpty();
	}

}
