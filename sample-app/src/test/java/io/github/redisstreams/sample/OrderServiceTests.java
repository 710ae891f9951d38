package io.github.redisstreams.sample;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.test.StreamTester;
import io.github.redisstreams.test.autoconfigure.AutoConfigureStreamTester;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The whole service, over HTTP, with the Redis that it starts for itself.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "sample.generator.enabled=false", "sample.failure-rate=0", "sample.handling-time=0ms",
				"sample.reminder-delay=1h", "redis.streams.metrics.interval=200ms",
				"redis.streams.listeners.events.concurrency=1" })
@AutoConfigureRestTestClient
@AutoConfigureStreamTester
class OrderServiceTests {

	private final RestTestClient client;

	private final OrderStats stats;

	private final StringRedisTemplate redis;

	private final StreamTester tester;

	OrderServiceTests(@Autowired RestTestClient client, @Autowired OrderStats stats,
			@Autowired StringRedisTemplate redis, @Autowired StreamTester tester) {
		this.client = client;
		this.stats = stats;
		this.redis = redis;
		this.tester = tester;
	}

	@Test
	void acceptsOrderAndHandlesIt() {
		long before = this.stats.counts().handled();
		this.client.post()
			.uri("/orders")
			.body(new Order("ada", "tea", 2))
			.exchange()
			.expectStatus()
			.isAccepted()
			.expectBody()
			.jsonPath("$.id")
			.value(String.class, (id) -> assertThat(id).matches("\\d+-\\d+"));
		this.tester.awaitDrained("events");
		this.client.get()
			.uri("/orders/stats")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.handled")
			.isEqualTo(before + 1);
	}

	@Test
	void rejectsInvalidOrderAndSaysWhatIsWrong() {
		this.client.post()
			.uri("/orders")
			.body(Map.of("customer", " ", "product", "tea", "quantity", 0))
			.exchange()
			.expectStatus()
			.isBadRequest()
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo("customer must not be blank, quantity must be greater than or equal to 1");
	}

	@Test
	void movesInvalidOrderThatAnotherWriterPublishedToTheDeadLetters() {
		long before = this.stats.counts().handled();
		this.redis.opsForStream().add("app:events", Map.of("customer", "", "product", "ink", "quantity", "1"));
		this.redis.opsForStream().add("app:events", Map.of("customer", "ada", "product", "tea", "quantity", "1"));
		this.tester.awaitDrained("events");
		assertThat(this.stats.counts().handled()).isEqualTo(before + 1);
		assertThat(this.tester.stream("events")).deadLetters()
			.anySatisfy((letter) -> assertThat(letter.text("product")).isEqualTo("ink"));
	}

	@Test
	void movesOrderThatCanNeverBeBilledToTheDeadLettersAtOnce() {
		this.client.post().uri("/orders").body(new Order("ada", "lamp", 500)).exchange().expectStatus().isAccepted();
		this.tester.awaitDrained("events");
		assertThat(this.tester.stream("events")).deadLetters().anySatisfy((letter) -> {
			assertThat(letter.reason()).isEqualTo("There are no 500 of lamp");
			assertThat(letter.deliveryCount()).isEqualTo(1);
			assertThat(letter.text("source")).isEqualTo("http");
		});
	}

	@Test
	void remindsOfOrderWhenTheTimeHasCome(@Autowired StreamTemplate streams) {
		long before = this.stats.counts().reminders();
		OrderController.Accepted order = order();
		expectReminder(order, "SCHEDULED", 0);
		assertThat(streams.reschedule("reminders", order.id(), Instant.now())).isTrue();
		await().untilAsserted(() -> expectReminder(order, "COMPLETED", 1));
		assertThat(this.stats.counts().reminders()).isEqualTo(before + 1);
		this.client.delete()
			.uri(order.reminder())
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.CONFLICT)
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo("It is too late to cancel the reminder, which is COMPLETED");
	}

	@Test
	void cancelsReminder() {
		OrderController.Accepted order = order();
		this.client.delete().uri(order.reminder()).exchange().expectStatus().isNoContent();
		this.client.get().uri(order.reminder()).exchange().expectStatus().isNotFound();
		this.client.delete().uri(order.reminder()).exchange().expectStatus().isNotFound();
	}

	@Test
	void knowsNoReminderOfAnOrderThatNobodyHasPlaced() {
		this.client.get()
			.uri("/orders/1-1/reminder")
			.exchange()
			.expectStatus()
			.isNotFound()
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	private OrderController.Accepted order() {
		return Objects.requireNonNull(this.client.post()
			.uri("/orders")
			.body(new Order("ada", "tea", 2))
			.exchange()
			.returnResult(OrderController.Accepted.class)
			.getResponseBody());
	}

	private void expectReminder(OrderController.Accepted order, String state, int attempts) {
		this.client.get()
			.uri(order.reminder())
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.state")
			.isEqualTo(state)
			.jsonPath("$.attempts")
			.isEqualTo(attempts)
			.jsonPath("$.due")
			.isNotEmpty();
	}

	@Test
	void showsLagAndPendingToPrometheus() {
		await().untilAsserted(() -> this.client.get()
			.uri("/actuator/prometheus")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(String.class)
			.value((body) -> assertThat(body).containsPattern(gauge("redis_streams_group_lag"))
				.containsPattern(gauge("redis_streams_group_pending"))
				.containsPattern(gauge("redis_streams_group_oldest_pending_seconds"))
				.containsPattern(gauge("redis_streams_group_oldest_undelivered_seconds"))
				.containsPattern(gauge("redis_streams_acknowledged_total"))
				.contains("redis_streams_dead_letters{stream=\"app:events\"}")
				.contains("redis_streams_delayed{stream=\"app:reminders\"}")));
	}

	private static String gauge(String name) {
		return name + "\\{(group=\"billing\",stream=\"app:events\"|stream=\"app:events\",group=\"billing\")} \\d";
	}

	@Test
	void isHealthyAndShowsDetails() {
		this.client.get()
			.uri("/actuator/health")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.status")
			.isEqualTo("UP")
			.jsonPath("$.components.redis.details.version")
			.isEqualTo("7.0.15")
			.jsonPath("$.components.redisStreams.components.events.status")
			.isEqualTo("UP")
			.jsonPath("$.components.redisStreams.components.events.details.group")
			.isEqualTo("billing");
	}

	@Test
	void showsItsListenersAtTheActuator() {
		this.client.get()
			.uri("/actuator/redisstreams/events")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.listener.stream")
			.isEqualTo("app:events")
			.jsonPath("$.groups[0].name")
			.isEqualTo("billing")
			.jsonPath("$.deadLetters.stream")
			.isEqualTo("{app:events}:dlq");
	}

	@Test
	void publishesNothingItselfWhereTheGeneratorIsOff(@Autowired ObjectProvider<OrderGenerator> generator) {
		assertThat(generator.getIfAvailable()).isNull();
	}

}
