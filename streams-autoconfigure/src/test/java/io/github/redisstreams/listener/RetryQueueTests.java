package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.Redelivery;
import io.github.redisstreams.redis.StreamConsumer;
import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.StubCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.RedisConnectionFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class RetryQueueTests {

	private final ListenerOptions options = ListenerOptions.builder()
		.stream("s")
		.group("g")
		.consumer("me")
		.build("me", "test");

	private final ScheduledExecutorService timer = Executors
		.newSingleThreadScheduledExecutor((task) -> new Thread(task, "timer"));

	private final ScheduledExecutorService connection = Executors
		.newSingleThreadScheduledExecutor((task) -> new Thread(task, "connection"));

	@AfterEach
	void close() {
		this.timer.shutdownNow();
		this.connection.shutdownNow();
	}

	// It may have to connect first, and would wait for itself there
	@Test
	void asksOnNoThreadOfAConnection() {
		List<String> askers = new CopyOnWriteArrayList<>();
		StubCommands commands = new StubCommands() {

			@Override
			public CompletionStage<Redelivery> redeliver(StreamConsumer consumer, Map<EntryId, Long> counts) {
				askers.add(Thread.currentThread().getName());
				CompletableFuture<Redelivery> reply = new CompletableFuture<>();
				RetryQueueTests.this.connection.schedule(
						() -> reply.completeExceptionally(new RedisConnectionFailureException("lost")), 100,
						TimeUnit.MILLISECONDS);
				return reply;
			}

		};
		ContainerCounters counters = new ContainerCounters();
		RetryQueue queue = new RetryQueue(this.options, commands, new InFlightLimiter(this.options, false),
				new FailureCircuit("me", this.options.circuit(), counters, () -> {
				}), counters, this.timer, (entries) -> {
				});
		List<Delivery> deliveries = new ArrayList<>();
		for (int i = 0; i < 250; i++) {
			deliveries.add(new Delivery(this.options, Entries.entry(i, "n", "1"), (delivery, outcome) -> {
			}));
		}
		deliveries.forEach((delivery) -> queue.add(delivery, Duration.ZERO, delivery.entry().id().sequence() % 2 == 0));
		await().until(() -> askers.size() >= 4);
		assertThat(askers).containsOnly("timer");
	}

}
