package io.github.redisstreams.listener.adapter;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.deadletter.Redrive;
import io.github.redisstreams.listener.Acknowledgment;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.support.StreamHeaders;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Positive;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Annotated methods end to end on a real server: what becomes of the entries.
 */
@RealRedis
class ListenerMethodsOnRedisTests {

	private ApplicationContextRunner on(RedisServer redis, Class<?>... listeners) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					ValidationAutoConfiguration.class, RedisStreamsAutoConfiguration.class))
			.withUserConfiguration(listeners)
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port(),
					"redis.streams.listener.group=workers", "redis.streams.consumer=one");
	}

	private static List<?> fieldsIn(RedisServer redis, String stream) {
		return redis.list("XRANGE", stream, "-", "+").stream().map((entry) -> ((List<?>) entry).get(1)).toList();
	}

	@Test
	void ofABatchOnlyTheEntriesThatCannotBeConvertedGoToTheDeadLetters(RedisServer redis) {
		redis.add("batch", "number", "1");
		redis.add("batch", "number", "two");
		redis.add("batch", "number", "-3");
		redis.add("batch", "number", "4");
		on(redis, Batch.class).run((context) -> {
			await().until(() -> redis.length("{batch}:dlq") == 2);
			assertThat(redis.pending("batch", "workers")).isZero();
			assertThat(context.getBean(Batch.class).handled).containsExactly(new Order(1), new Order(4));
		});
	}

	@Test
	void anEntryThatCannotBeConvertedGoesToTheDeadLettersAndLaterOnesAreHandled(RedisServer redis) {
		redis.add("single", "number", "two");
		redis.add("single", "number", "3");
		on(redis, Single.class).run((context) -> {
			await().until(() -> redis.length("{single}:dlq") == 1);
			await().until(() -> redis.pending("single", "workers") == 0);
			assertThat(context.getBean(Single.class).handled).containsExactly(new Order(3));
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "stage", "mono", "flux" })
	void anEntryIsAcknowledgedOnlyWhenItsResultHasCome(String stream, RedisServer redis) {
		redis.add(stream, "payload", "x");
		on(redis, Later.class).run((context) -> {
			Later listener = context.getBean(Later.class);
			await().until(() -> listener.handled.size() == 1);
			// Acknowledgements are sent after 5 ms at the latest
			await().during(Duration.ofMillis(200)).until(() -> redis.pendingEntries(stream, "workers").size() == 1);
			listener.later.complete("done");
			await().until(() -> redis.pending(stream, "workers") == 0);
			assertThat(listener.handled).containsExactly("x");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "stage", "mono", "flux" })
	void anEntryWhoseResultFailsStaysPending(String stream, RedisServer redis) {
		String failed = redis.add(stream, "payload", "x");
		String next = redis.add(stream, "payload", "y");
		on(redis, Later.class).run((context) -> {
			Later listener = context.getBean(Later.class);
			listener.later.completeExceptionally(new IOException("disk full"));
			await().until(() -> listener.handled.size() == 2);
			await().during(Duration.ofMillis(200))
				.until(() -> redis.pendingEntries(stream, "workers").keySet().containsAll(List.of(failed, next)));
		});
	}

	@Test
	void anEntryIsAcknowledgedByHandAndFromAnotherThread(RedisServer redis) {
		String kept = redis.add("manual", "payload", "keep");
		redis.add("manual", "payload", "acknowledge");
		String later = redis.add("manual", "payload", "later");
		on(redis, Manual.class).run((context) -> {
			Manual listener = context.getBean(Manual.class);
			await().until(() -> listener.acknowledgments.size() == 3);
			await().untilAsserted(
					() -> assertThat(redis.pendingEntries("manual", "workers")).containsOnlyKeys(kept, later));
			listener.acknowledgments.get(2).acknowledge();
			await().untilAsserted(() -> assertThat(redis.pendingEntries("manual", "workers")).containsOnlyKeys(kept));
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "order-7" })
	void aTaskKeepsItsIdWhenItIsRedriven(String key, RedisServer redis) {
		on(redis, Tasks.class)
			.withPropertyValues("redis.streams.publisher.tracking.enabled=true",
					"redis.streams.listener.max-deliveries=1")
			.run((context) -> {
				Map<String, String> headers = key.isEmpty() ? Map.of() : Map.of(StreamHeaders.TASK_KEY, key);
				String sent = context.getBean(StreamTemplate.class).send("tasks", "x", headers).getValue();
				await().until(() -> redis.length("{tasks}:dlq") == 1);
				context.getBean(DeadLetters.class).redrive("tasks", Redrive.builder().build());
				Tasks listener = context.getBean(Tasks.class);
				await().until(() -> listener.ids.size() == 2);
				assertThat(listener.ids).containsOnly(key.isEmpty() ? sent : key);
			});
	}

	@Test
	void resultsAreSentToStreamsByNameOrKeyWithTheirHeaders(RedisServer redis) {
		redis.add("orders", "number", "7", "priority", "3");
		on(redis, Replying.class)
			.withPropertyValues("redis.streams.listeners.results.stream=app:results", "app.copies=copies")
			.run((context) -> {
				await().until(() -> redis.integer("XLEN", "copies") == 1);
				assertThat(fieldsIn(redis, "app:results"))
					.isEqualTo(List.of(List.of("payload", "{\"number\":8}", "priority", "3")));
				assertThat(fieldsIn(redis, "copies")).isEqualTo(fieldsIn(redis, "app:results"));
				assertThat(redis.integer("EXISTS", "results")).isZero();
				await().until(() -> redis.pending("orders", "workers") == 0);
			});
	}

	@Test
	void theAnnotationOfTheClassSaysWhereResultsGoUnlessTheMethodDoes(RedisServer redis) {
		redis.add("first", "payload", "a");
		redis.add("second", "payload", "b");
		redis.add("third", "payload", "c");
		on(redis, ReplyingClass.class).run((context) -> {
			await().until(() -> redis.integer("XLEN", "of-class") == 3 && redis.integer("XLEN", "of-method") == 1);
			assertThat(fieldsIn(redis, "of-method")).isEqualTo(List.of(List.of("payload", "B")));
			assertThat(fieldsIn(redis, "of-class")).asInstanceOf(InstanceOfAssertFactories.LIST)
				.containsExactlyInAnyOrder(List.of("payload", "A"), List.of("payload", "C1"), List.of("payload", "C2"));
		});
	}

	@Test
	void anEntryWhoseResultCannotBeSentStaysPending(RedisServer redis) {
		redis.command("SET", "refusing", "no stream");
		String failed = redis.add("events", "payload", "x");
		on(redis, ReplyingToNoStream.class).run((context) -> {
			ReplyingToNoStream listener = context.getBean(ReplyingToNoStream.class);
			await().until(() -> listener.handled.size() == 1);
			await().during(Duration.ofMillis(200))
				.until(() -> redis.pendingEntries("events", "workers").containsKey(failed));
		});
	}

	@Test
	void whatTheTemplateSendsArrivesWithItsHeaders(RedisServer redis) {
		on(redis, Everything.class).run((context) -> {
			context.getBean(StreamTemplate.class)
				.send("everything", new Order(7), Map.of("priority", 3, "id", "order-7"));
			Everything listener = context.getBean(Everything.class);
			await().until(() -> listener.handled.size() == 1);
			assertThat(listener.handled).containsExactly("Order[number=7] 3 order-7 everything 1");
		});
	}

	record Order(@Positive int number) {

	}

	static class Batch {

		private final List<Order> handled = new CopyOnWriteArrayList<>();

		@StreamListener("batch")
		void handle(@Valid List<Order> orders) {
			this.handled.addAll(orders);
		}

	}

	static class Single {

		private final List<Order> handled = new CopyOnWriteArrayList<>();

		@StreamListener("single")
		void handle(Order order) {
			this.handled.add(order);
		}

	}

	static class Later {

		private final CompletableFuture<String> later = new CompletableFuture<>();

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@StreamListener("stage")
		CompletableFuture<String> stage(String payload) {
			this.handled.add(payload);
			return this.later;
		}

		@StreamListener("mono")
		Mono<String> mono(String payload) {
			this.handled.add(payload);
			return Mono.fromFuture(this.later);
		}

		@StreamListener("flux")
		Flux<String> flux(String payload) {
			this.handled.add(payload);
			return Flux.just("first").concatWith(Mono.fromFuture(this.later));
		}

	}

	static class Tasks {

		final List<String> ids = new CopyOnWriteArrayList<>();

		@StreamListener("tasks")
		void handle(@Header(StreamHeaders.TASK) String id) {
			this.ids.add(id);
			if (this.ids.size() == 1) {
				throw new IllegalStateException("at first");
			}
		}

	}

	static class Manual {

		private final List<Acknowledgment> acknowledgments = new CopyOnWriteArrayList<>();

		@StreamListener(value = "manual", ackMode = "manual")
		void handle(String payload, Acknowledgment acknowledgment) {
			this.acknowledgments.add(acknowledgment);
			if (payload.equals("acknowledge")) {
				acknowledgment.acknowledge();
			}
		}

	}

	static class Replying {

		@StreamListener("orders")
		@SendTo({ "results", "${app.copies}" })
		Mono<Message<Order>> handle(Order order, @Header("priority") int priority) {
			return Mono.just(MessageBuilder.withPayload(new Order(order.number() + 1))
				.setHeader("priority", priority)
				.setHeader(StreamHeaders.STREAM, "orders")
				.build());
		}

	}

	@SendTo("of-class")
	static class ReplyingClass {

		@StreamListener("first")
		String first(String payload) {
			return payload.toUpperCase(Locale.ROOT);
		}

		@StreamListener("second")
		@SendTo("of-method")
		String second(String payload) {
			return payload.toUpperCase(Locale.ROOT);
		}

		@StreamListener("third")
		CompletableFuture<List<String>> third(String payload) {
			return CompletableFuture.supplyAsync(() -> List.of("C1", "C2"));
		}

	}

	static class ReplyingToNoStream {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@StreamListener("events")
		@SendTo("refusing")
		String handle(String payload) {
			this.handled.add(payload);
			return payload;
		}

	}

	static class Everything {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@StreamListener("everything")
		void handle(@Payload @Valid Order order, @Header("priority") int priority, @Header("id") String id,
				@Header(StreamHeaders.STREAM) String stream, @Header(StreamHeaders.DELIVERY_COUNT) long deliveries) {
			this.handled.add(order + " " + priority + " " + id + " " + stream + " " + deliveries);
		}

	}

}
