package io.github.redisstreams.autoconfigure.health;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a probe and a person see at {@code /actuator/health} of a running application.
 */
@RealRedis(own = true)
class HealthOverHttpTests {

	private final HttpClient client = HttpClient.newHttpClient();

	private @Nullable ConfigurableApplicationContext application;

	@AfterEach
	void close() {
		if (this.application != null) {
			this.application.close();
		}
	}

	private void run(RedisServer redis, String... properties) {
		// Boot's own health of Redis would ask it, and wait
		List<String> arguments = new ArrayList<>(
				List.of("--server.port=0", "--server.address=127.0.0.1", "--spring.application.name=billing",
						"--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + redis.port(),
						"--management.health.redis.enabled=false", "--management.endpoint.health.show-details=always",
						"--management.endpoint.health.probes.enabled=true", "--redis.streams.metrics.interval=50ms",
						"--redis.streams.listener.poll-timeout=200ms", "--spring.main.banner-mode=off"));
		Arrays.stream(properties).map((property) -> "--" + property).forEach(arguments::add);
		this.application = new SpringApplicationBuilder(Application.class).run(arguments.toArray(String[]::new));
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		String port = Objects.requireNonNull(this.application).getEnvironment().getProperty("local.server.port");
		URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/health" + path);
		return this.client.send(HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(10)).build(),
				HttpResponse.BodyHandlers.ofString());
	}

	private JsonNode events() throws IOException, InterruptedException {
		return JsonMapper.shared().readTree(get("/redisStreams/events").body());
	}

	private void awaitStatus(int code, String status) {
		await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
			HttpResponse<String> response = get("/redisStreams/events");
			assertThat(response.body()).contains("\"status\":\"" + status + "\"");
			assertThat(response.statusCode()).isEqualTo(code);
		});
	}

	@Test
	void showsEachListenerWithItsFigures(RedisServer redis) {
		run(redis);
		redis.add("events", "payload", "one");
		await().untilAsserted(() -> {
			JsonNode details = events().path("details");
			assertThat(details.path("state").asString()).isEqualTo("POLLING");
			assertThat(Duration.parse(details.path("lastPollAge").asString())).isLessThan(Duration.ofSeconds(2));
			assertThat(details.path("lag").asInt(-1)).isZero();
			assertThat(details.path("pending").asInt(-1)).isZero();
			assertThat(details.path("inFlight").asInt(-1)).isZero();
			assertThat(details.path("stream").asString()).isEqualTo("events");
			assertThat(details.path("group").asString()).isEqualTo("billing");
		});
	}

	@Test
	@DisplayName("C01 over HTTP health is 503 while Redis is down, liveness and readiness are 200, and all is after that")
	void isDownWhileRedisIsDown(RedisServer redis) throws Exception {
		run(redis);
		awaitStatus(200, "UP");
		redis.kill();
		awaitStatus(503, "DOWN");
		assertThat(get("").statusCode()).isEqualTo(503);
		assertThat(get("/liveness").statusCode()).isEqualTo(200);
		assertThat(get("/readiness").statusCode()).isEqualTo(200);
		assertThat(events().path("details").path("lastError").asString()).contains("No connection to Redis");
		assertThat(events().path("details").has("lag")).as("lag of long ago").isFalse();
		redis.start();
		awaitStatus(200, "UP");
		assertThat(get("").statusCode()).isEqualTo(200);
	}

	@Test
	void answersAtOnceWhileRedisHangs(RedisServer redis) throws Exception {
		run(redis);
		await().until(() -> events().path("details").has("lag"));
		redis.pause();
		try {
			await().until(() -> !events().path("details").has("lag"));
			long start = System.nanoTime();
			assertThat(get("").body()).contains("\"redisStreams\"");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
		}
		finally {
			redis.resume();
		}
		await().atMost(Duration.ofSeconds(20)).until(() -> events().path("details").has("lag"));
		awaitStatus(200, "UP");
	}

	@Test
	void aLagMakesItNeitherDownNorUnready(RedisServer redis) throws Exception {
		redis.addPipelined("events", 500);
		run(redis, "redis.streams.listener.auto-startup=false", "redis.streams.health.max-lag=100",
				"management.endpoint.health.status.order=down, out-of-service, behind, up, unknown");
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		awaitStatus(200, "BEHIND");
		assertThat(events().path("details").path("lag").asInt()).isEqualTo(500);
		assertThat(events().path("details").path("behind").toString()).contains("The lag is 500, more than 100");
		HttpResponse<String> whole = get("");
		assertThat(whole.statusCode()).isEqualTo(200);
		assertThat(JsonMapper.shared().readTree(whole.body()).path("status").asString()).isEqualTo("BEHIND");
		assertThat(get("/liveness").statusCode()).isEqualTo(200);
		assertThat(get("/readiness").statusCode()).isEqualTo(200);
	}

	@Test
	void aThresholdCanMakeItUnavailableWhereThatIsWanted(RedisServer redis) throws Exception {
		redis.addPipelined("events", 500);
		run(redis, "redis.streams.listener.auto-startup=false", "redis.streams.health.max-lag=100",
				"management.endpoint.health.status.order=down, out-of-service, behind, up, unknown",
				"management.endpoint.health.status.http-mapping.behind=503",
				"management.endpoint.health.status.http-mapping.down=503");
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		awaitStatus(503, "BEHIND");
		assertThat(get("").statusCode()).isEqualTo(503);
		assertThat(get("/liveness").statusCode()).isEqualTo(200);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@StreamListener("events")
		void handle(String payload) {
		}

	}

}
