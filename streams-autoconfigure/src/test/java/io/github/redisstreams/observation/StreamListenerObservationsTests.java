package io.github.redisstreams.observation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.redisstreams.listener.Delivery;
import io.github.redisstreams.listener.HandlerObserver;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.test.Entries;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.util.Assert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What is observed of one call of a handler. That the right failures and outcomes come
 * here is tested with the container.
 */
class StreamListenerObservationsTests {

	private static final ListenerOptions OPTIONS = ListenerOptions.builder()
		.stream("app:events")
		.group("billing")
		.consumer("one")
		.build("events", "test");

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final HandlerObserver.Calls calls = new StreamListenerObservations(this.registry, null).observe("events",
			OPTIONS);

	private static Delivery delivery(int sequence) {
		return new Delivery(OPTIONS, Entries.entry(sequence, "payload", "x"), (delivery, outcome) -> {
		});
	}

	private static void call(HandlerObserver.Calls calls, Delivery... deliveries) {
		HandlerObserver.Call call = calls.begin(List.of(deliveries));
		call.end();
	}

	@Test
	void hasTheTagsOfItsListener() {
		Delivery delivery = delivery(7);
		delivery.acknowledge();
		call(this.calls, delivery);
		TestObservationRegistryAssert.assertThat(this.registry)
			.hasSingleObservationThat()
			.hasBeenStarted()
			.hasBeenStopped()
			.hasNameEqualTo("redis.streams.listener")
			.hasContextualNameEqualTo("app:events process")
			.hasLowCardinalityKeyValue("stream", "app:events")
			.hasLowCardinalityKeyValue("group", "billing")
			.hasLowCardinalityKeyValue("listener", "events")
			.hasLowCardinalityKeyValue("outcome", "acknowledged")
			.hasLowCardinalityKeyValue("exception", "none")
			.hasHighCardinalityKeyValue("messaging.message.id", "1700000000000-7")
			.hasHighCardinalityKeyValue("redis.streams.delivery.count", "1")
			.hasHighCardinalityKeyValue("redis.streams.consumer", "one")
			.hasKeyValuesCount(8)
			.doesNotHaveError();
	}

	@Test
	void tellsEachOutcome() {
		List<String> outcomes = new ArrayList<>();
		Delivery retried = delivery(1);
		retried.retry(Duration.ofSeconds(1));
		Delivery rejected = delivery(2);
		rejected.reject("because");
		Delivery acknowledged = delivery(3);
		acknowledged.acknowledge();
		for (List<Delivery> deliveries : List.of(List.of(retried), List.of(rejected), List.of(acknowledged),
				List.of(delivery(4)), List.of(retried, retried), List.of(retried, acknowledged))) {
			outcomes.add(ListenerOutcome.of(deliveries).value());
		}
		assertThat(outcomes).containsExactly("retried", "dead-lettered", "acknowledged", "left", "retried", "mixed");
	}

	@Test
	void aBatchIsOneObservation() {
		call(this.calls, delivery(1), delivery(2), delivery(3));
		TestObservationRegistryAssert.assertThat(this.registry)
			.hasSingleObservationThat()
			.hasHighCardinalityKeyValue("messaging.batch.message_count", "3")
			.doesNotHaveHighCardinalityKeyValueWithKey("messaging.message.id")
			.hasLowCardinalityKeyValue("outcome", "left");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void leavesTheThreadAsItWasWhereAnObservationHandlerFails(boolean opening) {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		this.registry.observationConfig()
			.observationHandler(new DefaultMeterObservationHandler(meters))
			.observationHandler(new BrokenHandler(opening));
		try (Observation.Scope around = Observation.start("around", this.registry).openScope()) {
			assertThatIllegalStateException().isThrownBy(() -> call(this.calls, delivery(1)));
			assertThat(this.registry.getCurrentObservationScope()).isSameAs(around);
		}
		assertThat(this.registry.getCurrentObservation()).isNull();
		assertThat(meters.get("redis.streams.listener.active").longTaskTimer().activeTasks()).isZero();
	}

	@Test
	void isTheCurrentOneUntilItEnds() {
		HandlerObserver.Call call = this.calls.begin(List.of(delivery(1)));
		assertThat(this.registry.getCurrentObservation()).isNotNull()
			.extracting((observation) -> observation.getContext().getName())
			.isEqualTo("redis.streams.listener");
		call.end();
		assertThat(this.registry.getCurrentObservation()).isNull();
	}

	@Test
	void theMetersAlwaysHaveTheSameTagKeys() {
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		this.registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
		HandlerObserver.Call call = this.calls.begin(List.of(delivery(1)));
		assertThat(keys(meters, "redis.streams.listener.active"))
			.containsExactly(Set.of("stream", "group", "listener", "outcome", "exception"));
		call.end();
		call(this.calls, delivery(2), delivery(3));
		assertThat(keys(meters, "redis.streams.listener"))
			.containsOnly(Set.of("stream", "group", "listener", "outcome", "exception", "error"));
	}

	private static List<Set<String>> keys(SimpleMeterRegistry meters, String name) {
		return meters.find(name)
			.meters()
			.stream()
			.map(Meter::getId)
			.map((id) -> id.getTags().stream().map(Tag::getKey).collect(Collectors.toSet()))
			.toList();
	}

	@Test
	void namesAnExceptionOfAnAnonymousClassToo() {
		assertThat(ExceptionName.of(new IllegalStateException() {

			private static final long serialVersionUID = 1L;

		})).isEqualTo(StreamListenerObservationsTests.class.getName() + "$1");
		assertThat(ExceptionName.of(new IllegalStateException())).isEqualTo("IllegalStateException");
	}

	@Test
	void aConventionReplacesNamesAndTags() {
		StreamListenerObservationConvention own = new DefaultStreamListenerObservationConvention() {

			@Override
			public KeyValues getLowCardinalityKeyValues(StreamListenerContext context) {
				return super.getLowCardinalityKeyValues(context).and("shard", "7");
			}

			@Override
			public String getContextualName(StreamListenerContext context) {
				return "handle " + context.getListenerId();
			}

		};
		call(new StreamListenerObservations(this.registry, own).observe("events", OPTIONS), delivery(1));
		TestObservationRegistryAssert.assertThat(this.registry)
			.hasSingleObservationThat()
			.hasContextualNameEqualTo("handle events")
			.hasLowCardinalityKeyValue("shard", "7")
			.hasLowCardinalityKeyValue("stream", "app:events");
	}

	@Test
	void aConventionOfTheRegistryReplacesTheDefault() {
		this.registry.observationConfig()
			.observationConvention(new GlobalObservationConvention<StreamListenerContext>() {

				@Override
				public String getName() {
					return "own.name";
				}

				@Override
				public boolean supportsContext(Observation.Context context) {
					return context instanceof StreamListenerContext;
				}

			});
		call(this.calls, delivery(1));
		TestObservationRegistryAssert.assertThat(this.registry)
			.hasSingleObservationThat()
			.hasNameEqualTo("own.name")
			.hasNoKeyValues();
	}

	@Test
	void nothingIsObservedWhereNobodyListens() {
		for (ObservationRegistry nobody : List.of(ObservationRegistry.NOOP, ObservationRegistry.create())) {
			assertThat(new StreamListenerObservations(nobody, null).observe("e", OPTIONS).begin(List.of(delivery(1))))
				.isSameAs(HandlerObserver.Call.UNOBSERVED);
		}
	}

	@Test
	void nothingIsObservedThatIsSwitchedOff() {
		this.registry.observationConfig()
			.observationPredicate((name, context) -> !name.equals("redis.streams.listener"));
		call(this.calls, delivery(1));
		TestObservationRegistryAssert.assertThat(this.registry).doesNotHaveAnyObservation();
	}

	@Test
	void anEntryOfAnyWriterIsACarrier() {
		StreamListenerContext context = new StreamListenerContext("events", OPTIONS,
				List.of(new StreamEntry(new EntryId(1, 1), 1, Entries.bytes("traceparent"), Entries.bytes("t"),
						Entries.bytes("traceparent"), Entries.bytes("later"), Entries.NOT_UTF_8, Entries.NOT_UTF_8)));
		StreamEntry carrier = Objects.requireNonNull(context.getCarrier());
		assertThat(context.getGetter().get(carrier, "traceparent")).isEqualTo("t");
		assertThat(context.getGetter().get(carrier, "tracestate")).isNull();
	}

	/**
	 * Fails as a scope is opened, or closed.
	 */
	private record BrokenHandler(boolean opening) implements ObservationHandler<StreamListenerContext> {

		@Override
		public void onScopeOpened(StreamListenerContext context) {
			Assert.state(!this.opening, "broken");
		}

		@Override
		public void onScopeClosed(StreamListenerContext context) {
			Assert.state(this.opening, "broken");
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof StreamListenerContext;
		}

	}

}
