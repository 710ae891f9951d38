package io.github.redisstreams.autoconfigure.observation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetterHeaders;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.deadletter.Redrive;
import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.support.StreamHeaders;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.tracing.BaggageInScope;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.observation.LettuceObservationAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The spans that come of an entry, with the tracer that Spring Boot configures. Contexts
 * stand for processes: all that they share is Redis.
 */
@RealRedis
class TraceTests {

	private static final String FOREIGN_TRACE = "0af7651916cd43dd8448eb211c80319c";

	private static final String FOREIGN_SPAN = "b7ad6b7169203331";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
				LettuceObservationAutoConfiguration.class, JacksonAutoConfiguration.class,
				ObservationAutoConfiguration.class, OpenTelemetrySdkAutoConfiguration.class,
				OpenTelemetryTracingAutoConfiguration.class, MicrometerTracingAutoConfiguration.class,
				RedisStreamsAutoConfiguration.class, RedisStreamsObservationAutoConfiguration.class))
		.withUserConfiguration(Exporting.class)
		.withPropertyValues("spring.application.name=billing", "redis.streams.consumer=one",
				"management.tracing.sampling.probability=1", "redis.streams.listener.retry.initial-interval=10ms");

	private ApplicationContextRunner publisher(RedisServer redis) {
		return this.runner.withPropertyValues("spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + redis.port());
	}

	private ApplicationContextRunner listening(RedisServer redis) {
		return publisher(redis).withUserConfiguration(Listeners.class);
	}

	/**
	 * As a request that is observed would be handled.
	 */
	private static SpanData request(ApplicationContext context, Runnable work) {
		Observation.createNotStarted("request", context.getBean(ObservationRegistry.class)).observe(work);
		List<SpanData> requests = spans(context, "request");
		return requests.get(requests.size() - 1);
	}

	private static SpanData send(ApplicationContext context, String payload) {
		return request(context, () -> context.getBean(StreamTemplate.class).send("events", payload));
	}

	private static List<SpanData> spans(ApplicationContext context, String name) {
		return context.getBean(InMemorySpanExporter.class)
			.getFinishedSpanItems()
			.stream()
			.filter((span) -> span.getName().equals(name))
			.toList();
	}

	private static List<SpanData> awaitSpans(ApplicationContext context, String name, int count) {
		await().atMost(Duration.ofSeconds(20))
			.untilAsserted(() -> assertThat(spans(context, name)).hasSizeGreaterThanOrEqualTo(count));
		List<SpanData> spans = spans(context, name);
		assertThat(spans).hasSize(count);
		return spans;
	}

	private static SpanData awaitSpan(ApplicationContext context, String name) {
		return awaitSpans(context, name, 1).get(0);
	}

	private static void assertIsChild(SpanData child, SpanData parent) {
		assertThat(child.getTraceId()).isEqualTo(parent.getTraceId());
		assertThat(child.getParentSpanId()).isEqualTo(parent.getSpanId());
	}

	@Test
	void aTraceGoesFromTheRequestThroughTheStreamToTheHandler(RedisServer redis) {
		listening(redis).run((context) -> {
			SpanData request = send(context, "one");
			SpanData send = awaitSpan(context, "events send");
			SpanData process = awaitSpan(context, "events process");
			assertThat(send.getKind()).isEqualTo(SpanKind.PRODUCER);
			assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
			assertIsChild(send, request);
			assertIsChild(process, send);
			assertThat(context.getBean(InMemorySpanExporter.class).getFinishedSpanItems()).hasSize(3);
		});
	}

	@Test
	void theTraceIsInFieldsOfTheEntryBesideThePayload(RedisServer redis) {
		listening(redis).run((context) -> {
			SpanData request = request(context, () -> context.getBean(StreamTemplate.class)
				.send("maps", Map.of("n", "1"), Map.of("source", "web")));
			Listeners listeners = context.getBean(Listeners.class);
			await().until(() -> !listeners.maps.isEmpty());
			assertThat(listeners.maps.get(0)).isEqualTo(Map.of("n", "1"));
			SpanData send = awaitSpan(context, "maps send");
			assertThat(listeners.headers.get(0)).containsEntry("source", "web");
			assertThat(listeners.headers.get(0).get("traceparent")).asString()
				.startsWith("00-" + request.getTraceId() + "-" + send.getSpanId() + "-");
		});
	}

	@Test
	void anEntryOfAnotherWriterGoesOnWithItsTrace(RedisServer redis) {
		listening(redis).run((context) -> {
			redis.add("events", "payload", "one", "traceparent", "00-" + FOREIGN_TRACE + "-" + FOREIGN_SPAN + "-01");
			SpanData process = awaitSpan(context, "events process");
			assertThat(process.getTraceId()).isEqualTo(FOREIGN_TRACE);
			assertThat(process.getParentSpanId()).isEqualTo(FOREIGN_SPAN);
		});
	}

	@Test
	void anEntryWithoutATraceOrWithNonsenseBeginsOne(RedisServer redis) {
		listening(redis).run((context) -> {
			redis.add("events", "payload", "one");
			redis.add("events", "payload", "two", "traceparent", "00-nonsense");
			List<SpanData> spans = awaitSpans(context, "events process", 2);
			assertThat(spans).allSatisfy((span) -> assertThat(span.getParentSpanContext().isValid()).isFalse());
			assertThat(spans).extracting(SpanData::getTraceId).doesNotHaveDuplicates();
		});
	}

	@Test
	void aTraceGivenByTheSenderIsKept(RedisServer redis) {
		listening(redis).run((context) -> {
			request(context, () -> context.getBean(StreamTemplate.class)
				.send("events", "one", Map.of("traceparent", "00-" + FOREIGN_TRACE + "-" + FOREIGN_SPAN + "-01")));
			assertThat(awaitSpan(context, "events process").getTraceId()).isEqualTo(FOREIGN_TRACE);
		});
	}

	@Test
	void whatAHandlerSendsIsOfItsTrace(RedisServer redis) {
		listening(redis).run((context) -> {
			request(context, () -> context.getBean(StreamTemplate.class).send("forwarded", "one"));
			SpanData send = awaitSpan(context, "events send");
			assertIsChild(send, awaitSpan(context, "forwarded process"));
			// Though the message has the headers of the entry that it came in
			assertIsChild(awaitSpan(context, "events process"), send);
			assertIsChild(awaitSpan(context, "forwarded process"), awaitSpan(context, "forwarded send"));
		});
	}

	@Test
	void aRetryIsOfTheSameTrace(RedisServer redis) {
		listening(redis).run((context) -> {
			send(context, "fail once");
			List<SpanData> attempts = awaitSpans(context, "events process", 2);
			attempts.forEach((attempt) -> assertIsChild(attempt, awaitSpan(context, "events send")));
			assertThat(attempts.get(0).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
			assertThat(attempts.get(1).getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
		});
	}

	@Test
	void aClaimByAnotherProcessIsOfTheSameTrace(RedisServer redis) {
		publisher(redis).run((sender) -> {
			redis.command("XGROUP", "CREATE", "events", "billing", "0", "MKSTREAM");
			SpanData request = send(sender, "one");
			redis.deliver("events", "billing", "dead", 1);
			listening(redis)
				.withPropertyValues("redis.streams.listener.min-idle=1s", "redis.streams.listener.poll-timeout=200ms")
				.run((other) -> {
					SpanData process = awaitSpan(other, "events process");
					assertThat(other.getBean(StreamListenerRegistry.class)
						.getContainers()
						.stream()
						.mapToLong((container) -> container.getCounters().claimed())
						.sum()).isOne();
					assertThat(process.getTraceId()).isEqualTo(request.getTraceId());
					assertIsChild(process, awaitSpan(sender, "events send"));
				});
		});
	}

	@Test
	void aRetryThatAnotherProcessTakesOverIsOfTheSameTrace(RedisServer redis) {
		listening(redis)
			.withPropertyValues("redis.streams.listener.min-idle=1s", "redis.streams.listener.poll-timeout=200ms",
					"redis.streams.listener.retry.initial-interval=1m")
			.run((failing) -> {
				SpanData request = send(failing, "fail once");
				SpanData first = awaitSpan(failing, "events process");
				failing.getBean(StreamListenerRegistry.class).stop();
				listening(redis)
					.withPropertyValues("redis.streams.listener.min-idle=1s",
							"redis.streams.listener.poll-timeout=200ms", "redis.streams.consumer=two")
					.run((other) -> {
						SpanData second = awaitSpan(other, "events process");
						assertThat(second.getTraceId()).isEqualTo(first.getTraceId()).isEqualTo(request.getTraceId());
						assertIsChild(second, awaitSpan(failing, "events send"));
					});
			});
	}

	@Test
	void aDeadLetterThatIsPutBackIsOfTheSameTrace(RedisServer redis) {
		publisher(redis).run((sender) -> {
			SpanData request = send(sender, "reject once");
			listening(redis).run((context) -> {
				DeadLetters deadLetters = context.getBean(DeadLetters.class);
				await().until(() -> deadLetters.count("events") == 1);
				assertThat(deadLetters.redrive("events", Redrive.builder().build()).redriven()).isOne();
				assertThat(awaitSpans(context, "events process", 2)).allSatisfy((process) -> {
					assertThat(process.getTraceId()).isEqualTo(request.getTraceId());
					assertIsChild(process, awaitSpan(sender, "events send"));
				});
				assertThat(context.getBean(Listeners.class).handled).containsExactly("reject once");
			});
		});
	}

	@Test
	void aScheduledEntryIsOfTheTraceOfWhoScheduledIt(RedisServer redis) {
		publisher(redis).run((sender) -> {
			SpanData request = request(sender,
					() -> sender.getBean(StreamTemplate.class).sendAfter("events", "one", Duration.ofMillis(50)));
			listening(redis).run((context) -> {
				SpanData process = awaitSpan(context, "events process");
				assertThat(process.getTraceId()).isEqualTo(request.getTraceId());
				assertIsChild(process, awaitSpan(sender, "events send"));
				assertThat(context.getBean(InMemorySpanExporter.class).getFinishedSpanItems()).hasSize(1);
			});
		});
	}

	@Test
	void whatIsSentTogetherIsOfOneTrace(RedisServer redis) {
		listening(redis).run((context) -> {
			request(context,
					() -> context.getBean(StreamTemplate.class).sendAll("events", List.of("one", "two", "three")));
			awaitSpans(context, "events process", 3)
				.forEach((process) -> assertIsChild(process, awaitSpan(context, "events send")));
		});
	}

	@Test
	void anEntrySentAfterACommitIsOfTheTraceOfTheCall(RedisServer redis) {
		listening(redis).withPropertyValues("redis.streams.publisher.after-commit=true").run((context) -> {
			TransactionSynchronizationManager.initSynchronization();
			TransactionSynchronizationManager.setActualTransactionActive(true);
			try {
				SpanData request = send(context, "one");
				assertThat(redis.length("events")).isZero();
				TransactionSynchronizationUtils.triggerBeforeCompletion();
				Observation.createNotStarted("commit", context.getBean(ObservationRegistry.class))
					.observe(TransactionSynchronizationUtils::triggerAfterCommit);
				TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_COMMITTED);
				SpanData send = awaitSpan(context, "events send");
				assertIsChild(send, request);
				assertIsChild(awaitSpan(context, "events process"), send);
			}
			finally {
				TransactionSynchronizationManager.clear();
			}
			assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		});
	}

	@Test
	void aBatchOfOneTraceGoesOnWithIt(RedisServer redis) {
		publisher(redis).run((sender) -> {
			StreamTemplate template = sender.getBean(StreamTemplate.class);
			SpanData request = request(sender, () -> {
				template.send("batches", "one");
				template.sendAll("batches", List.of("two", "three"));
			});
			List<SpanData> sends = awaitSpans(sender, "batches send", 2);
			listening(redis).run((context) -> {
				SpanData process = awaitSpan(context, "batches process");
				assertThat(process.getTraceId()).isEqualTo(request.getTraceId());
				assertIsChild(process, sends.get(0));
				assertThat(process.getLinks()).singleElement()
					.satisfies((link) -> assertThat(link.getSpanContext().getSpanId())
						.isEqualTo(sends.get(1).getSpanId()));
			});
		});
	}

	@Test
	void aBatchOfSeveralTracesBeginsOneThatIsLinkedToAll(RedisServer redis) {
		publisher(redis).run((sender) -> {
			StreamTemplate template = sender.getBean(StreamTemplate.class);
			template.send("batches", "one");
			template.send("batches", "two");
			List<SpanData> sends = awaitSpans(sender, "batches send", 2);
			listening(redis).run((context) -> {
				SpanData process = awaitSpan(context, "batches process");
				assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
				assertThat(process.getParentSpanContext().isValid()).isFalse();
				assertThat(process.getTraceId()).isNotIn(sends.stream().map(SpanData::getTraceId).toList());
				assertThat(process.getLinks())
					.extracting((link) -> link.getSpanContext().getTraceId() + " " + link.getSpanContext().getSpanId())
					.containsExactlyElementsOf(
							sends.stream().map((send) -> send.getTraceId() + " " + send.getSpanId()).toList());
			});
		});
	}

	@Test
	void aReactiveHandlerIsOfItsTraceOnOtherThreadsTooAndCoveredUntilItCompletes(RedisServer redis) {
		listening(redis).run((context) -> {
			request(context, () -> context.getBean(StreamTemplate.class).send("reactive", "one"));
			SpanData process = awaitSpan(context, "reactive process");
			SpanData call = awaitSpan(context, "call");
			assertIsChild(process, awaitSpan(context, "reactive send"));
			assertIsChild(call, process);
			assertThat(process.getEndEpochNanos()).isGreaterThanOrEqualTo(call.getEndEpochNanos());
		});
	}

	@Test
	void whatIsSwitchedOffByPropertyMakesNoSpan(RedisServer redis) {
		listening(redis).withPropertyValues("management.observations.enable.redis.streams.listener=false")
			.run((context) -> {
				send(context, "one");
				await().until(() -> context.getBean(Listeners.class).handled.contains("one"));
				assertThat(spans(context, "events process")).isEmpty();
				assertThat(spans(context, "events send")).hasSize(1);
			});
	}

	@Test
	void withoutSamplingTheTraceStillTravels(RedisServer redis) {
		listening(redis).withPropertyValues("management.tracing.sampling.probability=0").run((context) -> {
			context.getBean(StreamTemplate.class).send("maps", Map.of("n", "1"));
			Listeners listeners = context.getBean(Listeners.class);
			await().until(() -> !listeners.headers.isEmpty());
			assertThat(listeners.headers.get(0).get("traceparent")).asString()
				.matches("00-[0-9a-f]{32}-[0-9a-f]{16}-0[02]");
			assertThat(context.getBean(InMemorySpanExporter.class).getFinishedSpanItems()).isEmpty();
		});
	}

	@Test
	void baggageTravelsToo(RedisServer redis) {
		listening(redis)
			.withPropertyValues("management.tracing.baggage.remote-fields=tenant",
					"management.tracing.baggage.correlation.enabled=false")
			.run((context) -> {
				Tracer tracer = context.getBean(Tracer.class);
				request(context, () -> {
					try (BaggageInScope baggage = tracer.createBaggageInScope("tenant", "acme")) {
						assertThat(baggage.get()).isEqualTo("acme");
						context.getBean(StreamTemplate.class).send("tenants", "one");
					}
				});
				Listeners listeners = context.getBean(Listeners.class);
				await().until(() -> !listeners.tenants.isEmpty());
				assertThat(listeners.tenants).containsExactly("acme");
			});
	}

	@Configuration(proxyBeanMethods = false)
	static class Exporting {

		@Bean
		InMemorySpanExporter exporter() {
			return InMemorySpanExporter.create();
		}

		@Bean
		SpanProcessor processor(InMemorySpanExporter exporter) {
			return SimpleSpanProcessor.create(exporter);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		private final List<Map<String, String>> maps = new CopyOnWriteArrayList<>();

		private final List<Map<String, Object>> headers = new CopyOnWriteArrayList<>();

		private final List<String> tenants = new CopyOnWriteArrayList<>();

		private final ObservationRegistry observations;

		private final Tracer tracer;

		Listeners(ObservationRegistry observations, Tracer tracer) {
			this.observations = observations;
			this.tracer = tracer;
		}

		@StreamListener("events")
		void handle(String payload, @Header(StreamHeaders.DELIVERY_COUNT) long attempt,
				@Header(name = DeadLetterHeaders.REDRIVES, required = false) @Nullable String redrives) {
			if (payload.equals("fail once") && attempt == 1) {
				throw new IllegalStateException("broken");
			}
			if (payload.equals("reject once") && redrives == null) {
				throw new DeadLetterException("because");
			}
			this.handled.add(payload);
		}

		@StreamListener("maps")
		void handle(Map<String, String> payload, @Headers Map<String, Object> headers) {
			this.headers.add(headers);
			this.maps.add(payload);
		}

		@StreamListener("forwarded")
		@SendTo("events")
		Message<String> forward(Message<String> message) {
			return message;
		}

		@StreamListener("batches")
		void handle(List<String> payloads) {
			this.handled.addAll(payloads);
		}

		@StreamListener("reactive")
		Mono<Void> handleReactively(String payload) {
			return Mono.deferContextual((context) -> {
				Observation current = context.get(ObservationThreadLocalAccessor.KEY);
				Observation.createNotStarted("call", this.observations)
					.parentObservation(current)
					.observe(() -> this.handled.add(payload));
				return Mono.<Void>empty();
			}).subscribeOn(Schedulers.boundedElastic());
		}

		@StreamListener("tenants")
		void handleTenant(String payload) {
			this.tenants.add(Objects.requireNonNull(this.tracer.getBaggage("tenant").get()));
		}

	}

}
