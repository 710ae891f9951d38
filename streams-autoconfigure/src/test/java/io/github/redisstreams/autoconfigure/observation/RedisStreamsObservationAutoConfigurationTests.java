package io.github.redisstreams.autoconfigure.observation;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.autoconfigure.metrics.RedisStreamsMetricsAutoConfiguration;
import io.github.redisstreams.listener.HandlerObserver;
import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.observation.DefaultStreamListenerObservationConvention;
import io.github.redisstreams.observation.DefaultStreamSendObservationConvention;
import io.github.redisstreams.observation.StreamListenerContext;
import io.github.redisstreams.observation.StreamListenerObservationConvention;
import io.github.redisstreams.observation.StreamListenerObservations;
import io.github.redisstreams.observation.StreamListenerTracingHandler;
import io.github.redisstreams.observation.StreamSendContext;
import io.github.redisstreams.observation.StreamSendObservationConvention;
import io.github.redisstreams.observation.StreamSendObservations;
import io.github.redisstreams.publish.SendObserver;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.observation.LettuceObservationAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * What an application with an {@code ObservationRegistry} has observed, and each
 * condition of the auto-configuration.
 */
@RealRedis
class RedisStreamsObservationAutoConfigurationTests {

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DataRedisAutoConfiguration.class, LettuceObservationAutoConfiguration.class,
						JacksonAutoConfiguration.class, RedisStreamsAutoConfiguration.class,
						RedisStreamsObservationAutoConfiguration.class, RedisStreamsMetricsAutoConfiguration.class))
		.withPropertyValues("spring.application.name=billing", "redis.streams.consumer=one",
				"redis.streams.listener.poll-timeout=100ms", "redis.streams.listener.claim-interval=100ms",
				"redis.streams.metrics.interval=50ms");

	private ApplicationContextRunner on(RedisServer redis) {
		return this.runner
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port())
			.withUserConfiguration(Listeners.class);
	}

	private ApplicationContextRunner observed(RedisServer redis) {
		return on(redis).withBean("observationRegistry", ObservationRegistry.class, () -> this.registry);
	}

	private void awaitObservations(String name, int count) {
		await().untilAsserted(() -> TestObservationRegistryAssert.assertThat(this.registry)
			.hasNumberOfObservationsWithNameEqualTo(name, count)
			.forAllObservationsWithNameEqualTo(name,
					(observation) -> observation.doesNotHaveLowCardinalityKeyValue("outcome", "unknown")));
	}

	@Test
	void observesEachSendAndEachCallOfAHandler(RedisServer redis) {
		observed(redis).run((context) -> {
			context.getBean(StreamTemplate.class).send("events", "one");
			awaitObservations("redis.streams.listener", 1);
			TestObservationRegistryAssert.assertThat(this.registry)
				.hasNumberOfObservationsEqualTo(2)
				.hasAnObservation((observation) -> observation.hasNameEqualTo("redis.streams.send")
					.hasLowCardinalityKeyValue("outcome", "sent"))
				.hasAnObservation((observation) -> observation.hasNameEqualTo("redis.streams.listener")
					.hasLowCardinalityKeyValue("listener", "events")
					.hasLowCardinalityKeyValue("outcome", "acknowledged"));
		});
	}

	@Test
	void observesFailuresAndWhatBecomesOfThem(RedisServer redis) {
		observed(redis).withPropertyValues("redis.streams.listener.retry.initial-interval=10ms").run((context) -> {
			redis.add("events", "payload", "fail once");
			awaitObservations("redis.streams.listener", 2);
			redis.add("events", "payload", "reject");
			awaitObservations("redis.streams.listener", 3);
			TestObservationRegistryAssert.assertThat(this.registry)
				.hasAnObservation((observation) -> observation.hasLowCardinalityKeyValue("outcome", "retried")
					.hasLowCardinalityKeyValue("exception", "IllegalStateException")
					.hasError())
				.hasAnObservation((observation) -> observation.hasLowCardinalityKeyValue("outcome", "acknowledged")
					.hasLowCardinalityKeyValue("exception", "none")
					.hasHighCardinalityKeyValue("redis.streams.delivery.count", "2"))
				.hasAnObservation((observation) -> observation.hasLowCardinalityKeyValue("outcome", "dead-lettered")
					.hasLowCardinalityKeyValue("exception", "DeadLetterException"));
		});
	}

	@Test
	void aBatchIsObservedOnce(RedisServer redis) {
		redis.addPipelined("batches", 5);
		observed(redis).run((context) -> {
			awaitObservations("redis.streams.listener", 1);
			TestObservationRegistryAssert.assertThat(this.registry)
				.hasAnObservation((observation) -> observation.hasLowCardinalityKeyValue("listener", "batches")
					.hasHighCardinalityKeyValue("messaging.batch.message_count", "5"));
		});
	}

	@Test
	void pollingIsNotObservedThoughTheApplicationsOwnCommandsAre(RedisServer redis) {
		observed(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			for (String command : List.of("xreadgroup", "xautoclaim", "zcard")) {
				long before = calls(redis, command);
				await().until(() -> calls(redis, command) > before + 3);
			}
			TestObservationRegistryAssert.assertThat(this.registry).doesNotHaveAnyObservation();
			context.getBean(StringRedisTemplate.class).opsForValue().get("key");
			await().untilAsserted(() -> TestObservationRegistryAssert.assertThat(this.registry)
				.hasAnObservation(
						(observation) -> observation.hasNameEqualTo("lettuce").hasContextualNameEqualTo("get")));
		});
	}

	private static long calls(RedisServer redis, String command) {
		return redis.commandStat(command)
			.map((stat) -> Long.parseLong(stat.replaceAll("calls=(\\d+),.*", "$1")))
			.orElse(0L);
	}

	@Test
	void needsAnObservationRegistry(RedisServer redis) {
		on(redis).run((context) -> {
			assertThat(context).hasNotFailed()
				.doesNotHaveBean(HandlerObserver.class)
				.doesNotHaveBean(SendObserver.class);
			assertHandles(context.getBean(StreamTemplate.class), context.getBean(Listeners.class));
		});
	}

	@Test
	void aRegistryThatDoesNothingChangesNothing(RedisServer redis) {
		on(redis).withBean(ObservationRegistry.class, () -> ObservationRegistry.NOOP).run((context) -> {
			assertThat(context).hasSingleBean(StreamListenerObservations.class);
			assertHandles(context.getBean(StreamTemplate.class), context.getBean(Listeners.class));
			assertThat(redis.list("XRANGE", "events", "-", "+").toString()).doesNotContain("traceparent");
		});
	}

	@Test
	void withoutMicrometerListenersAndPublisherStillWork(RedisServer redis) {
		on(redis).withClassLoader(new FilteredClassLoader("io.micrometer")).run((context) -> {
			assertThat(context).hasNotFailed();
			assertHandles(context.getBean(StreamTemplate.class), context.getBean(Listeners.class));
		});
	}

	@Test
	void withoutTracingCallsAreObserved(RedisServer redis) {
		observed(redis).withClassLoader(new FilteredClassLoader("io.micrometer.tracing")).run((context) -> {
			assertThat(context).hasNotFailed();
			assertHandles(context.getBean(StreamTemplate.class), context.getBean(Listeners.class));
			awaitObservations("redis.streams.listener", 1);
		});
	}

	private static void assertHandles(StreamTemplate template, Listeners listeners) {
		template.send("events", "one");
		await().until(() -> listeners.handled.contains("one"));
	}

	@Test
	void linksSpansWhereThereIsATracer(RedisServer redis) {
		observed(redis).withBean(Tracer.class, () -> Tracer.NOOP)
			.run((context) -> assertThat(context).doesNotHaveBean(StreamListenerTracingHandler.class));
		observed(redis).withBean(Tracer.class, () -> Tracer.NOOP)
			.withBean(Propagator.class, () -> Propagator.NOOP)
			.run((context) -> assertThat(context).hasSingleBean(StreamListenerTracingHandler.class));
	}

	@Test
	void usesConventionBeans(RedisServer redis) {
		StreamListenerObservationConvention listener = new DefaultStreamListenerObservationConvention() {

			@Override
			public String getContextualName(StreamListenerContext context) {
				return "own process";
			}

		};
		StreamSendObservationConvention send = new DefaultStreamSendObservationConvention() {

			@Override
			public String getContextualName(StreamSendContext context) {
				return "own send";
			}

		};
		observed(redis).withBean(StreamListenerObservationConvention.class, () -> listener)
			.withBean(StreamSendObservationConvention.class, () -> send)
			.run((context) -> {
				context.getBean(StreamTemplate.class).send("events", "one");
				awaitObservations("redis.streams.listener", 1);
				TestObservationRegistryAssert.assertThat(this.registry)
					.hasAnObservation((observation) -> observation.hasContextualNameEqualTo("own send"))
					.hasAnObservation((observation) -> observation.hasContextualNameEqualTo("own process"));
			});
	}

	@Test
	void leavesTheUsersObserversInPlace(RedisServer redis) {
		StreamListenerObservations listener = mock();
		StreamSendObservations send = mock();
		observed(redis).withBean(StreamListenerObservations.class, () -> listener)
			.withBean(StreamSendObservations.class, () -> send)
			.run((context) -> {
				assertThat(context).getBean(HandlerObserver.class).isSameAs(listener);
				assertThat(context).getBean(SendObserver.class).isSameAs(send);
			});
	}

	@Test
	void observersOfTheUsersComeBesideTheObservations(RedisServer redis) {
		HandlerObserver.Calls calls = mock();
		given(calls.begin(any())).willReturn(HandlerObserver.Call.UNOBSERVED);
		SendObserver sends = mock();
		given(sends.begin(any(), anyInt())).willReturn(SendObserver.Send.UNOBSERVED);
		observed(redis).withBean("calls", HandlerObserver.class, () -> (id, options) -> calls)
			.withBean("sends", SendObserver.class, () -> sends)
			.run((context) -> {
				context.getBean(StreamTemplate.class).send("events", "x");
				awaitObservations("redis.streams.listener", 1);
				awaitObservations("redis.streams.send", 1);
				then(sends).should().begin("events", 1);
				then(calls).should().begin(any());
			});
	}

	@Test
	void isOffWithTheListeners(RedisServer redis) {
		observed(redis).withPropertyValues("redis.streams.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(StreamCommands.class)
				.doesNotHaveBean(StreamListenerObservations.class)
				.doesNotHaveBean(StreamSendObservations.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@StreamListener("events")
		void handle(String payload) {
			boolean first = !this.handled.contains(payload);
			this.handled.add(payload);
			if (payload.equals("reject")) {
				throw new DeadLetterException("because");
			}
			if (payload.equals("fail once") && first) {
				throw new IllegalStateException("broken");
			}
		}

		@StreamListener("batches")
		void handle(List<String> payloads) {
			this.handled.addAll(payloads);
		}

	}

}
