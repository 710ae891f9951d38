package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.listener.failure.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What who watches a handler is told.
 */
@ExtendWith(OutputCaptureExtension.class)
class HandlerObserverTests {

	private final List<String> told = new ArrayList<>();

	private final List<Delivery> ended = new ArrayList<>();

	private SettlingFixture fixture = new SettlingFixture();

	private HandlerObserver recording(String name) {
		return (listenerId, options) -> {
			this.told.add(name + " watches " + listenerId + " of " + options.group());
			return (deliveries) -> {
				this.told.add(name + " begins " + deliveries.size());
				return () -> {
					this.told.add(name + " ends");
					this.ended.addAll(deliveries);
				};
			};
		};
	}

	private List<Delivery> process(int count, EntryHandler handler, HandlerObserver... observers) {
		SettlingFixture fixture = this.fixture;
		RecordProcessor processor = new RecordProcessor("id", fixture.options, handler,
				ObservedCalls.by(List.of(observers), "id", fixture.options), fixture.limiter, fixture.circuit,
				fixture.notes);
		List<Delivery> deliveries = new ArrayList<>();
		for (int i = 1; i <= count; i++) {
			Lease lease = Objects.requireNonNull(fixture.limiter.hold(SettlingFixture.id(i)));
			deliveries.add(new Delivery(fixture.options, SettlingFixture.entry(i, 1), lease, fixture.settlement));
		}
		processor.process(deliveries);
		return deliveries;
	}

	@Test
	void theCallIsWithinWhatEachObserverSees() {
		process(2, (deliveries) -> this.told.add("handled"), recording("first"), recording("second"));
		assertThat(this.told).containsExactly("first watches id of g", "second watches id of g", "first begins 2",
				"second begins 2", "handled", "second ends", "first ends");
	}

	static Stream<Arguments> outcomes() {
		EntryHandler failing = (deliveries) -> {
			throw new IllegalStateException("broken");
		};
		return Stream.of(Arguments.of(AckMode.ON_SUCCESS, (EntryHandler) (deliveries) -> {
		}, Outcome.Ack.class), Arguments.of(AckMode.ON_SUCCESS, failing, Outcome.Retry.class),
				Arguments.of(AckMode.ON_SUCCESS, (EntryHandler) (deliveries) -> {
					throw new DeadLetterException("because");
				}, Outcome.DeadLetter.class), Arguments.of(AckMode.MANUAL, (EntryHandler) (deliveries) -> {
				}, Outcome.Leave.class), Arguments.of(AckMode.ALWAYS, failing, Outcome.Ack.class),
				Arguments.of(AckMode.ON_SUCCESS,
						(EntryHandler) (deliveries) -> deliveries.get(0).retry(Duration.ofSeconds(1)),
						Outcome.Retry.class),
				Arguments.of(AckMode.ON_SUCCESS, (EntryHandler) (deliveries) -> deliveries.get(0).reject("because"),
						Outcome.DeadLetter.class),
				Arguments.of(AckMode.MANUAL, (EntryHandler) (deliveries) -> {
					deliveries.get(0).acknowledge();
					throw new IllegalStateException("broken");
				}, Outcome.Ack.class));
	}

	@ParameterizedTest
	@MethodSource("outcomes")
	void theEndIsToldWhenTheOutcomeIsKnown(AckMode ackMode, EntryHandler handler, Class<? extends Outcome> outcome) {
		this.fixture = new SettlingFixture(SettlingFixture.options().ackMode(ackMode));
		List<Class<?>> outcomes = new ArrayList<>();
		process(1, handler,
				(id, options) -> (deliveries) -> () -> outcomes.add(deliveries.get(0).outcome().getClass()));
		assertThat(outcomes).singleElement().isEqualTo(outcome);
	}

	@Test
	void whatFailedIsToldWithWhyAfterItIsLogged(CapturedOutput output) {
		IllegalStateException failure = new IllegalStateException("broken");
		List<Delivery> deliveries = process(2, (all) -> {
			throw EntriesFailedException.atPositions(Map.of(1, failure));
		}, recording("it"), (id, options) -> (all) -> () -> assertThat(output).contains("Listener 'id' failed on"));
		assertThat(output).doesNotContain("Observing listener");
		assertThat(this.ended).isEqualTo(deliveries);
		assertThat(this.ended).extracting(Delivery::failure).containsExactly(null, failure);
		assertThat(this.ended).extracting(Delivery::outcome)
			.hasExactlyElementsOfTypes(Outcome.Ack.class, Outcome.Retry.class);
	}

	@Test
	void whatIsNotHandledIsNotTold() {
		SettlingFixture fixture = this.fixture;
		RecordProcessor processor = new RecordProcessor("id", fixture.options, (deliveries) -> {
		}, ObservedCalls.by(List.of(recording("it")), "id", fixture.options), fixture.limiter, fixture.circuit,
				fixture.notes);
		Lease lease = Objects.requireNonNull(fixture.limiter.hold(SettlingFixture.id(1)));
		processor.process(List.of(new Delivery(fixture.options,
				SettlingFixture.entry(1, fixture.options.maxDeliveries() + 1), lease, fixture.settlement)));
		assertThat(this.told).containsExactly("it watches id of g");
		assertThat(fixture.commands.letters).hasSize(1);
	}

	@Test
	void anObserverThatFailsIsLoggedOnceAndChangesNothing(CapturedOutput output) {
		HandlerObserver failsAtTheBegin = (id, options) -> (deliveries) -> {
			throw new IllegalStateException("no begin");
		};
		HandlerObserver failsAtTheEnd = (id, options) -> (deliveries) -> () -> {
			throw new NoClassDefFoundError("no end");
		};
		process(1, (deliveries) -> this.told.add("handled"), failsAtTheBegin, failsAtTheEnd, recording("it"));
		assertThat(this.told).containsExactly("it watches id of g", "it begins 1", "handled", "it ends");
		assertThat(this.ended).extracting(Delivery::outcome).hasExactlyElementsOfTypes(Outcome.Ack.class);
		assertThat(output).contains("Observing listener 'id' failed, which does not keep it from its work")
			.contains("no begin")
			.contains("no end");
	}

	@Test
	void anObserverThatGoesOnFailingIsLoggedOnce(CapturedOutput output) {
		HandlerObserver.Calls calls = ObservedCalls.by(List.of((id, options) -> (deliveries) -> {
			throw new IllegalStateException("no begin");
		}), "id", this.fixture.options);
		calls.begin(List.of());
		calls.begin(List.of());
		assertThat(output).containsOnlyOnce("no begin");
	}

}
