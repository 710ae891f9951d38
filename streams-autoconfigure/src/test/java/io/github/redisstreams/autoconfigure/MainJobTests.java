package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.support.StreamHeaders;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.WorkerProcess;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The main job, end to end on a real server.
 */
@Tag("core")
@RealRedis
@ExtendWith(OutputCaptureExtension.class)
class MainJobTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				RedisStreamsAutoConfiguration.class))
		.withPropertyValues("spring.application.name=billing", "redis.streams.consumer=one");

	private ApplicationContextRunner on(RedisServer redis) {
		return this.runner.withPropertyValues("spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + redis.port());
	}

	@Test
	void handlesEachOfTenThousandEntriesOfThreeShapesOnce(RedisServer redis) {
		redis.addPipelined("events", 10_000, (n) -> switch (n % 3) {
			case 0 -> new String[] { "number", "" + n, "item", "plain" };
			case 1 -> new String[] { "payload", "{\"number\":" + n + ",\"item\":\"json\"}" };
			default -> new String[] { "_class", "com.example.Order", "number", "" + n, "item", "hash" };
		});
		on(redis).withUserConfiguration(OrderCounter.class).run((context) -> {
			Map<Order, AtomicInteger> handled = context.getBean(OrderCounter.class).handled;
			await().atMost(Duration.ofSeconds(30)).until(() -> handled.size() == 10_000);
			await().until(() -> redis.pending("events", "billing") == 0);
			assertThat(handled.values()).allMatch((count) -> count.get() == 1);
			assertThat(handled.keySet()).extracting(Order::number).hasSize(10_000).doesNotHaveDuplicates();
			assertThat(handled.keySet()).extracting(Order::item).containsOnly("plain", "json", "hash");
			assertThat(lag(redis)).isZero();
		});
	}

	@Test
	@DisplayName("C25 after SIGKILL entries are taken over within min-idle plus one claim interval")
	void takesOverTheEntriesOfAKilledProcess(RedisServer redis) throws Exception {
		Duration minIdle = Duration.ofSeconds(2);
		Duration claimInterval = Duration.ofMillis(200);
		redis.command("XGROUP", "CREATE", "events", "billing", "0", "MKSTREAM");
		redis.addPipelined("events", 20);
		long killedAt;
		Map<String, RedisServer.Pending> left;
		try (WorkerProcess worker = WorkerProcess.start(Worker.class, "--spring.application.name=billing",
				"--redis.streams.consumer=killed", "--redis.streams.listener.concurrency=5",
				"--redis.streams.listener.min-idle=2s", "--spring.data.redis.host=127.0.0.1",
				"--spring.data.redis.port=" + redis.port())) {
			worker.awaitLine("handling", Duration.ofSeconds(30));
			await().until(() -> worker.lines().stream().filter((line) -> line.startsWith("handling")).count() == 5);
			worker.kill();
			killedAt = System.nanoTime();
			left = redis.pendingEntries("events", "billing");
		}
		assertThat(left).hasSizeGreaterThanOrEqualTo(5);
		on(redis)
			.withPropertyValues("redis.streams.listener.min-idle=" + minIdle.toMillis() + "ms",
					"redis.streams.listener.poll-timeout=1s",
					"redis.streams.listener.claim-interval=" + claimInterval.toMillis() + "ms")
			.withUserConfiguration(DeliveryRecorder.class)
			.run((context) -> {
				DeliveryRecorder recorder = context.getBean(DeliveryRecorder.class);
				await().until(() -> recorder.ids().containsAll(left.keySet()));
				assertThat(Duration.ofNanos(System.nanoTime() - killedAt))
					.isLessThan(minIdle.plus(claimInterval).plusSeconds(5));
				assertThat(recorder.deliveries).filteredOn((delivery) -> left.containsKey(delivery.id()))
					.allSatisfy((delivery) -> assertThat(delivery.count()).isEqualTo(2));
				await().until(() -> redis.pending("events", "billing") == 0);
				assertThat(recorder.ids()).hasSize(20).doesNotHaveDuplicates();
			});
	}

	@Test
	void afterARestartItsOwnUnfinishedEntriesComeAtOnceAndFirst(RedisServer redis) {
		redis.command("XGROUP", "CREATE", "events", "billing", "0", "MKSTREAM");
		redis.addPipelined("events", 5);
		List<String> unfinished = redis.deliver("events", "billing", "one", 5);
		redis.addPipelined("events", 5);
		on(redis).withPropertyValues("redis.streams.listener.min-idle=1h")
			.withUserConfiguration(DeliveryRecorder.class)
			.run((context) -> {
				DeliveryRecorder recorder = context.getBean(DeliveryRecorder.class);
				await().atMost(Duration.ofSeconds(5)).until(() -> recorder.deliveries.size() == 10);
				assertThat(recorder.ids()).startsWith(unfinished.toArray(String[]::new));
				assertThat(recorder.deliveries.subList(0, 5)).extracting(Delivered::count).containsOnly(2L);
				assertThat(recorder.deliveries.subList(5, 10)).extracting(Delivered::count).containsOnly(1L);
			});
	}

	@Test
	void anExistingGroupGoesOnWhereItWas(RedisServer redis) {
		List<String> ids = redis.addPipelined("events", 10);
		redis.command("XGROUP", "CREATE", "events", "billing", ids.get(6));
		assertThat(handledWith(redis, 3, "start-from=earliest")).containsExactlyElementsOf(ids.subList(7, 10));
	}

	@Test
	void aNewGroupIsGivenTheBacklog(RedisServer redis) {
		List<String> ids = redis.addPipelined("events", 10);
		assertThat(handledWith(redis, 10, "start-from=earliest")).containsExactlyElementsOf(ids);
	}

	@Test
	void aNewGroupAfterAnEntryIsGivenWhatFollows(RedisServer redis) {
		List<String> ids = redis.addPipelined("events", 10);
		assertThat(handledWith(redis, 5, "start-from=" + ids.get(4))).containsExactlyElementsOf(ids.subList(5, 10));
	}

	@Test
	void aNewGroupAtTheEndIsGivenNewEntriesOnly(RedisServer redis) {
		redis.addPipelined("events", 10);
		on(redis).withPropertyValues("redis.streams.listener.start-from=latest")
			.withUserConfiguration(DeliveryRecorder.class)
			.run((context) -> {
				// The group is there when the context has started, so nothing added now
				// is missed
				List<String> ids = redis.addPipelined("events", 3);
				DeliveryRecorder recorder = context.getBean(DeliveryRecorder.class);
				await().until(() -> recorder.deliveries.size() >= 3);
				assertThat(recorder.ids()).containsExactlyElementsOf(ids);
			});
	}

	private List<String> handledWith(RedisServer redis, int count, String property) {
		List<String> handled = new ArrayList<>();
		on(redis).withPropertyValues("redis.streams.listener." + property)
			.withUserConfiguration(DeliveryRecorder.class)
			.run((context) -> {
				DeliveryRecorder recorder = context.getBean(DeliveryRecorder.class);
				await().until(() -> recorder.deliveries.size() >= count);
				await().until(() -> redis.pending("events", "billing") == 0 && lag(redis) == 0);
				handled.addAll(recorder.ids());
			});
		return handled;
	}

	@Test
	void tenInstancesThatStartAtOnceMakeOneGroupAndLogNoError(RedisServer redis, CapturedOutput output) {
		CyclicBarrier start = new CyclicBarrier(10);
		CountDownLatch added = new CountDownLatch(1);
		CyclicBarrier started = new CyclicBarrier(11);
		AtomicInteger handled = new AtomicInteger();
		List<CompletableFuture<Void>> instances = IntStream.range(0, 10)
			.mapToObj((n) -> CompletableFuture.runAsync(() -> {
				pass(start);
				on(redis).withPropertyValues("redis.streams.consumer=instance-" + n)
					.withUserConfiguration(DeliveryRecorder.class)
					.run((context) -> {
						assertThat(context).hasNotFailed();
						pass(started);
						assertThat(added.await(10, TimeUnit.SECONDS)).isTrue();
						await().until(() -> redis.pending("events", "billing") == 0 && lag(redis) == 0);
						handled.addAndGet(context.getBean(DeliveryRecorder.class).deliveries.size());
					});
			}, (task) -> new Thread(task).start()))
			.toList();
		pass(started);
		assertThat(redis.list("XINFO", "GROUPS", "events")).hasSize(1);
		redis.addPipelined("events", 100);
		added.countDown();
		instances.forEach(CompletableFuture::join);
		assertThat(handled.get()).isEqualTo(100);
		assertThat(output.getAll().split("created group", -1)).hasSize(2);
		assertThat(output).doesNotContain("ERROR").doesNotContain("BUSYGROUP");
	}

	private static void pass(CyclicBarrier barrier) {
		try {
			barrier.await(20, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void opensNoConnectionPerPoll(RedisServer redis) {
		redis.command("CONFIG", "RESETSTAT");
		on(redis).withPropertyValues("redis.streams.listener.poll-timeout=1ms", "redis.streams.listener.min-idle=100ms")
			.withUserConfiguration(DeliveryRecorder.class)
			.run((context) -> {
				await().until(() -> polls(redis) > 2);
				String before = redis.info("total_connections_received").orElseThrow();
				long pollsBefore = polls(redis);
				await().atMost(Duration.ofSeconds(30)).until(() -> polls(redis) > pollsBefore + 30);
				assertThat(redis.info("total_connections_received")).contains(before);
			});
	}

	private static long polls(RedisServer redis) {
		String calls = redis.text("INFO", "commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_xreadgroup:"))
			.findFirst()
			.orElse("cmdstat_xreadgroup:calls=0,");
		return Long.parseLong(calls.substring(calls.indexOf('=') + 1, calls.indexOf(',')));
	}

	@Test
	void stopsQuicklyWhileAReadBlocks(RedisServer redis) {
		on(redis)
			.withPropertyValues("redis.streams.listener.poll-timeout=50s", "redis.streams.listener.claim-interval=50s")
			.withUserConfiguration(DeliveryRecorder.class)
			.run((context) -> {
				await().until(() -> !redis.blockedClients().isEmpty());
				long start = System.nanoTime();
				context.close();
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
			});
	}

	@Test
	void aFailedEntryIsLoggedOnceStaysPendingAndIsRetriedAfterMinIdle(RedisServer redis, CapturedOutput output) {
		on(redis)
			.withPropertyValues("redis.streams.listener.min-idle=300ms", "redis.streams.listener.poll-timeout=100ms")
			.withUserConfiguration(FailsAtFirst.class)
			.run((context) -> {
				String id = redis.add("events", "payload", "one");
				FailsAtFirst handler = context.getBean(FailsAtFirst.class);
				await().until(() -> handler.attempts.size() == 2);
				await().until(() -> redis.pending("events", "billing") == 0);
				assertThat(handler.attempts).containsExactly(1L, 2L);
				assertThat(Duration.ofNanos(handler.times.get(1) - handler.times.get(0)))
					.isGreaterThanOrEqualTo(Duration.ofMillis(290));
				assertThat(output.getAll().split("IllegalStateException: not yet", -1)).hasSize(2);
				assertThat(output).contains("entry " + id + " of stream 'events' (group 'billing', attempt 1)");
			});
	}

	// Counted, since not every server tells it
	private static long lag(RedisServer redis) {
		List<?> group = (List<?>) redis.list("XINFO", "GROUPS", "events").get(0);
		String last = (String) group.get(group.indexOf("last-delivered-id") + 1);
		return redis.list("XRANGE", "events", "(" + last, "+").size();
	}

	@Configuration(proxyBeanMethods = false)
	static class OrderCounter {

		final Map<Order, AtomicInteger> handled = new ConcurrentHashMap<>();

		@StreamListener("events")
		void handle(Order order) {
			this.handled.computeIfAbsent(order, (key) -> new AtomicInteger()).incrementAndGet();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DeliveryRecorder {

		final List<Delivered> deliveries = new CopyOnWriteArrayList<>();

		@StreamListener("events")
		void handle(RecordId id, @Header(StreamHeaders.DELIVERY_COUNT) long count) {
			this.deliveries.add(new Delivered(id.getValue(), count));
		}

		List<String> ids() {
			return this.deliveries.stream().map(Delivered::id).toList();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FailsAtFirst {

		final List<Long> attempts = new CopyOnWriteArrayList<>();

		final List<Long> times = new CopyOnWriteArrayList<>();

		@StreamListener("events")
		void handle(String payload, @Header(StreamHeaders.DELIVERY_COUNT) long attempt) {
			this.times.add(System.nanoTime());
			this.attempts.add(attempt);
			if (attempt == 1) {
				throw new IllegalStateException("not yet");
			}
		}

	}

	record Order(int number, String item) {

	}

	record Delivered(String id, long count) {

	}

}
