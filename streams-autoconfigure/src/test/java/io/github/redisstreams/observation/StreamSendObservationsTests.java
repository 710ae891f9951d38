package io.github.redisstreams.observation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.listener.Delivery;
import io.github.redisstreams.listener.HandlerObserver;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.publish.SendObserver;
import io.github.redisstreams.publish.TaskActiveException;
import io.github.redisstreams.redis.TaskState;
import io.github.redisstreams.test.Entries;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is observed of a send, and what its entries carry.
 */
class StreamSendObservationsTests {

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final Map<String, String> trace = new LinkedHashMap<>(Map.of("traceparent", "ours"));

	private final SendObserver observer = new StreamSendObservations(this.registry, null);

	StreamSendObservationsTests() {
		this.registry.observationConfig().observationHandler(new ObservationHandler<StreamSendContext>() {

			@Override
			public boolean supportsContext(Observation.Context context) {
				return context instanceof StreamSendContext;
			}

			@Override
			public void onStart(StreamSendContext context) {
				StreamSendObservationsTests.this.trace
					.forEach((name, value) -> context.getSetter().set(context.getCarrier(), name, value));
			}

		});
	}

	@Test
	void hasTheTagsOfItsStream() {
		this.observer.begin("app:events", 1).end(null);
		TestObservationRegistryAssert.assertThat(this.registry)
			.hasSingleObservationThat()
			.hasBeenStarted()
			.hasBeenStopped()
			.hasNameEqualTo("redis.streams.send")
			.hasContextualNameEqualTo("app:events send")
			.hasLowCardinalityKeyValue("stream", "app:events")
			.hasLowCardinalityKeyValue("outcome", "sent")
			.hasLowCardinalityKeyValue("exception", "none")
			.hasKeyValuesCount(3)
			.doesNotHaveError();
	}

	@Test
	void tellsAFailure() {
		IllegalStateException failure = new IllegalStateException("broken");
		this.observer.begin("app:events", 3).end(failure);
		TestObservationRegistryAssert.assertThat(this.registry)
			.hasSingleObservationThat()
			.hasLowCardinalityKeyValue("outcome", "failed")
			.hasLowCardinalityKeyValue("exception", "IllegalStateException")
			.hasHighCardinalityKeyValue("messaging.batch.message_count", "3")
			.hasError(failure);
	}

	@Test
	void tellsARefusal() {
		this.observer.begin("app:events", 1).end(new TaskActiveException("app:events", "k", TaskState.RUNNING));
		TestObservationRegistryAssert.assertThat(this.registry)
			.hasSingleObservationThat()
			.hasLowCardinalityKeyValue("outcome", "refused")
			.hasLowCardinalityKeyValue("exception", "TaskActiveException");
	}

	@Test
	void tellsWhatARollbackDrops() {
		this.observer.begin("app:events", 1).dropped();
		TestObservationRegistryAssert.assertThat(this.registry)
			.hasSingleObservationThat()
			.hasBeenStopped()
			.hasLowCardinalityKeyValue("outcome", "dropped")
			.doesNotHaveError();
	}

	@Test
	void isAChildOfWhatTheSenderIsAtAndNotTheCurrentOne() {
		Observation.createNotStarted("request", this.registry).observe(() -> {
			Observation request = this.registry.getCurrentObservation();
			SendObserver.Send send = this.observer.begin("app:events", 1);
			assertThat(this.registry.getCurrentObservation()).isSameAs(request);
			send.end(null);
		});
		TestObservationRegistryAssert.assertThat(this.registry)
			.hasObservationWithNameEqualTo("redis.streams.send")
			.that()
			.hasParentObservationContextMatching((parent) -> "request".equals(parent.getName()));
	}

	@Test
	void anEntryCarriesTheTrace() {
		SendObserver.Send send = this.observer.begin("app:events", 1);
		assertThat(send.complete(Map.of())).isEqualTo(Map.of("traceparent", "ours"));
		assertThat(send.complete(Map.of("source", "http"))).isEqualTo(Map.of("source", "http", "traceparent", "ours"));
	}

	@Test
	void withoutATracerAnEntryIsWrittenAsItIs() {
		this.trace.clear();
		Map<String, Object> headers = Map.of("source", "http");
		assertThat(this.observer.begin("app:events", 1).complete(headers)).isSameAs(headers);
		assertThat(this.observer.begin("app:events", 1).complete(Map.of())).isEmpty();
	}

	@Test
	void whatTheSenderGivesWins() {
		this.trace.put("baggage", "user=ours");
		SendObserver.Send send = this.observer.begin("app:events", 1);
		assertThat(send.complete(Map.of("traceparent", "theirs")))
			.isEqualTo(Map.of("traceparent", "theirs", "baggage", "user=ours"));
		assertThat(send.complete(Map.of("baggage", "user=theirs")))
			.isEqualTo(Map.of("traceparent", "ours", "baggage", "user=theirs"));
	}

	@Test
	void theStateOfATraceDoesNotGoIntoAnother() {
		this.trace.put("tracestate", "vendor=ours");
		SendObserver.Send send = this.observer.begin("app:events", 1);
		assertThat(send.complete(Map.of())).isEqualTo(this.trace);
		assertThat(send.complete(Map.of("traceparent", "theirs"))).isEqualTo(Map.of("traceparent", "theirs"));
	}

	@Test
	void whatAHandlerPassesOnOfItsEntryIsNotGiven() {
		ListenerOptions options = ListenerOptions.builder().stream("s").group("g").consumer("c").build("id", "test");
		Delivery delivery = new Delivery(options,
				Entries.payload("x", "traceparent", "received", "baggage", "user=received"), (settled, outcome) -> {
				});
		this.trace.put("baggage", "user=ours");
		HandlerObserver.Call call = new StreamListenerObservations(this.registry, null).observe("id", options)
			.begin(List.of(delivery));
		Observation.createNotStarted("within", this.registry).observe(() -> {
			SendObserver.Send send = this.observer.begin("app:events", 1);
			assertThat(send.complete(Map.of("traceparent", "received", "baggage", "user=received")))
				.isEqualTo(this.trace);
			assertThat(send.complete(Map.of("traceparent", "theirs")))
				.isEqualTo(Map.of("traceparent", "theirs", "baggage", "user=ours"));
			send.end(null);
		});
		call.end();
	}

	@Test
	void aConventionReplacesNamesAndTags() {
		StreamSendObservationConvention own = new DefaultStreamSendObservationConvention() {

			@Override
			public String getName() {
				return "own.name";
			}

			@Override
			public KeyValues getLowCardinalityKeyValues(StreamSendContext context) {
				return KeyValues.of("kind", "own");
			}

		};
		new StreamSendObservations(this.registry, own).begin("app:events", 1).end(null);
		TestObservationRegistryAssert.assertThat(this.registry)
			.hasSingleObservationThat()
			.hasNameEqualTo("own.name")
			.hasLowCardinalityKeyValue("kind", "own")
			.doesNotHaveLowCardinalityKeyValueWithKey("stream");
	}

	@Test
	void nothingIsObservedWhereNobodyListens() {
		for (ObservationRegistry nobody : List.of(ObservationRegistry.NOOP, ObservationRegistry.create())) {
			assertThat(new StreamSendObservations(nobody, null).begin("app:events", 1))
				.isSameAs(SendObserver.Send.UNOBSERVED);
		}
	}

	@Test
	void nothingIsObservedThatIsSwitchedOff() {
		this.registry.observationConfig().observationPredicate((name, context) -> !name.equals("redis.streams.send"));
		SendObserver.Send send = this.observer.begin("app:events", 1);
		assertThat(send.complete(Map.of())).isEmpty();
		send.end(null);
		TestObservationRegistryAssert.assertThat(this.registry).doesNotHaveAnyObservation();
	}

}
