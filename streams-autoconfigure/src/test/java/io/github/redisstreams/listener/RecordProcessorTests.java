package io.github.redisstreams.listener;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

class RecordProcessorTests {

	private final RecordingCommands commands = new RecordingCommands();

	/**
	 * One container's worth of collaborators around a handler.
	 */
	private final class Fixture {

		private final ListenerOptions options;

		private final InFlightLimiter limiter;

		private final AckBatcher acks;

		private final RecordProcessor processor;

		Fixture(AckMode ackMode, EntryHandler handler) {
			this.options = ListenerOptions.builder()
				.stream("s")
				.group("g")
				.consumer("c")
				.ackMode(ackMode)
				.build("id", "test");
			this.limiter = new InFlightLimiter(this.options, false);
			this.acks = new AckBatcher(RecordProcessorTests.this.commands, this.options, this.limiter,
					mock(ScheduledExecutorService.class));
			this.processor = new RecordProcessor("id", this.options, handler, this.limiter, this.acks);
		}

		List<Delivery> process(int count) {
			List<Delivery> deliveries = new ArrayList<>();
			for (int i = 1; i <= count; i++) {
				EntryId id = new EntryId(1, i);
				this.limiter.hold(id);
				deliveries
					.add(new Delivery(this.options, new StreamEntry(id, 1, bytes("n"), bytes("v")), this.acks::add));
			}
			this.processor.process(deliveries);
			this.processor.ranDry();
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
	void leavesWhatFailedPending(Throwable failure) {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS, throwing(failure));
		fixture.process(1);
		assertThat(this.commands.acks).isEmpty();
		assertThat(fixture.limiter.inFlight()).as("may be claimed again here").isZero();
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
	void leavesOnlyThoseEntriesOfABatchThatFailed() {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS, (deliveries) -> {
			throw new EntriesFailedException(Map.of(new EntryId(1, 2), new IllegalStateException("second")));
		});
		fixture.process(3);
		assertThat(this.commands.acknowledged()).containsExactly(new EntryId(1, 1), new EntryId(1, 3));
		assertThat(fixture.limiter.inFlight()).isEqualTo(2);
	}

	@Test
	void leavesAWholeBatchThatFailed() {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS, throwing(new IllegalStateException("all")));
		fixture.process(3);
		assertThat(this.commands.acks).isEmpty();
		assertThat(fixture.limiter.inFlight()).isZero();
	}

	@Test
	void tellsTheThreadThatItsHandlerWasInterrupted() {
		Fixture fixture = new Fixture(AckMode.ON_SUCCESS, throwing(new InterruptedException()));
		fixture.process(1);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.commands.acks).isEmpty();
	}

}
