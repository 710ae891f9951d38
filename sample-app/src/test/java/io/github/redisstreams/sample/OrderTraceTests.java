package io.github.redisstreams.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.deadletter.Redrive;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The trace of an order, from the client that sent it over HTTP to each attempt to handle
 * it, in two instances of the service that share nothing but Redis.
 */
class OrderTraceTests {

	private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

	private static final String CLIENT_SPAN = "b7ad6b7169203331";

	private static ConfigurableApplicationContext start(WebApplicationType type, String... properties) {
		// As arguments, which win over application.yml
		String[] common = { "--server.port=0", "--server.address=127.0.0.1", "--sample.generator.enabled=false",
				"--sample.handling-time=0ms", "--sample.failure-rate=1", "--sample.reminder-delay=1h",
				"--management.tracing.sampling.probability=1", "--redis.streams.listeners.events.min-idle=1s",
				"--redis.streams.listener.poll-timeout=200ms", "--redis.streams.listener.retry.initial-interval=1h",
				"--redis.streams.listener.retry.max-interval=1h" };
		return new SpringApplicationBuilder(SampleApplication.class, Exporting.class).web(type)
			.run(Stream.concat(Stream.of(common), Stream.of(properties)).toArray(String[]::new));
	}

	private static ConfigurableApplicationContext startFirst() {
		return start(WebApplicationType.SERVLET, "--redis.streams.consumer=one");
	}

	private static ConfigurableApplicationContext startSecond(ConfigurableApplicationContext first) {
		Standalone redis = requireNonNull(first.getBean(DataRedisConnectionDetails.class).getStandalone());
		return start(WebApplicationType.NONE, "--redis.streams.consumer=two",
				"--spring.data.redis.host=" + redis.getHost(), "--spring.data.redis.port=" + redis.getPort());
	}

	private static void order(ConfigurableApplicationContext service, int quantity)
			throws IOException, InterruptedException {
		String port = requireNonNull(service.getEnvironment().getProperty("local.server.port"));
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/orders"))
			.header("Content-Type", "application/json")
			.header("traceparent", "00-" + TRACE + "-" + CLIENT_SPAN + "-01")
			.POST(HttpRequest.BodyPublishers
				.ofString("{\"customer\":\"ada\",\"product\":\"tea\",\"quantity\":" + quantity + "}"))
			.build();
		HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
		assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
	}

	private static List<SpanData> awaitSpans(ConfigurableApplicationContext service, String name, int count) {
		InMemorySpanExporter exporter = service.getBean(InMemorySpanExporter.class);
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(named(exporter, name)).hasSize(count));
		return named(exporter, name);
	}

	private static List<SpanData> named(InMemorySpanExporter exporter, String name) {
		return exporter.getFinishedSpanItems().stream().filter((span) -> span.getName().equals(name)).toList();
	}

	@Test
	void oneTraceLeadsFromTheRequestToTheRetryInAnotherInstance() throws Exception {
		try (ConfigurableApplicationContext first = startFirst()) {
			order(first, 2);
			SpanData http = awaitSpans(first, "http post /orders", 1).get(0);
			SpanData send = awaitSpans(first, "app:events send", 1).get(0);
			SpanData failed = awaitSpans(first, "app:events process", 1).get(0);
			assertThat(http.getKind()).isEqualTo(SpanKind.SERVER);
			assertThat(http.getParentSpanId()).isEqualTo(CLIENT_SPAN);
			assertThat(send.getParentSpanId()).isEqualTo(http.getSpanId());
			assertThat(failed.getParentSpanId()).isEqualTo(send.getSpanId());
			first.getBean(StreamListenerRegistry.class).stop();
			try (ConfigurableApplicationContext second = startSecond(first)) {
				SpanData handled = awaitSpans(second, "app:events process", 1).get(0);
				assertThat(handled.getParentSpanId()).isEqualTo(send.getSpanId());
				assertThat(List.of(http, send, failed, handled)).extracting(SpanData::getTraceId).containsOnly(TRACE);
				assertThat(second.getBean(OrderStats.class).counts().handled()).isOne();
				// The commands in between are no spans
				assertThat(second.getBean(InMemorySpanExporter.class).getFinishedSpanItems())
					.filteredOn((span) -> span.getKind() != SpanKind.INTERNAL)
					.containsExactly(handled);
			}
		}
	}

	@Test
	void oneTraceLeadsFromTheRequestThroughTheDeadLetters() throws Exception {
		try (ConfigurableApplicationContext first = startFirst()) {
			order(first, 500);
			SpanData send = awaitSpans(first, "app:events send", 1).get(0);
			SpanData rejected = awaitSpans(first, "app:events process", 1).get(0);
			await().until(() -> first.getBean(DeadLetters.class).count("events") == 1);
			first.getBean(StreamListenerRegistry.class).stop();
			try (ConfigurableApplicationContext second = startSecond(first)) {
				second.getBean(DeadLetters.class).redrive("events", Redrive.builder().build());
				SpanData again = awaitSpans(second, "app:events process", 1).get(0);
				assertThat(again.getParentSpanId()).isEqualTo(send.getSpanId());
				assertThat(List.of(send, rejected, again)).extracting(SpanData::getTraceId).containsOnly(TRACE);
			}
		}
	}

	@TestConfiguration(proxyBeanMethods = false)
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

}
