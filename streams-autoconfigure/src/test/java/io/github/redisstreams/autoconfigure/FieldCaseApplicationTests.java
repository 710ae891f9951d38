package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.listener.Acknowledgment;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
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

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Field cases that take a whole application.
 */
@Tag("slow")
@RealRedis
@ExtendWith(OutputCaptureExtension.class)
class FieldCaseApplicationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static ApplicationContextRunner on(RedisServer redis) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					RedisStreamsAutoConfiguration.class))
			.withPropertyValues("spring.application.name=billing", "redis.streams.consumer=one",
					"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port());
	}

	private static String awaitBlocked(RedisServer redis) {
		return await().atMost(PATIENCE).until(redis::blockedClients, (clients) -> clients.size() == 1).get(0);
	}

	@Test
	@DisplayName("C17 spring.data.redis.timeout=1s with poll-timeout=5s works")
	void readsForLongerThanTheTimeoutOfTheApplication(RedisServer redis, CapturedOutput output) {
		on(redis)
			.withPropertyValues("spring.data.redis.timeout=1s", "redis.streams.listener.poll-timeout=5s",
					"redis.streams.listener.claim-interval=1m")
			.withUserConfiguration(Recorder.class)
			.run((context) -> {
				String reader = awaitBlocked(redis);
				await().atMost(PATIENCE)
					.until(() -> redis.clients()
						.stream()
						.anyMatch((client) -> client.startsWith("id=" + reader + " ")
								&& client.matches(".* idle=[3-5] .*")));
				String during = redis.add("events", "payload", "during");
				Recorder recorder = context.getBean(Recorder.class);
				await().atMost(PATIENCE).until(() -> recorder.ids.contains(during));
				// And one that runs out
				awaitBlocked(redis);
				long polls = polls(redis);
				await().atMost(PATIENCE).until(() -> polls(redis) > polls);
				assertThat(awaitBlocked(redis)).as("on the same connection").isEqualTo(reader);
				assertThat(recorder.ids).containsExactly(during);
			});
		assertThat(output.getOut().lines()).noneMatch((line) -> line.matches(".*(WARN|ERROR).*redisstreams.*"));
	}

	private static long polls(RedisServer redis) {
		return redis.info("cmdstat_xreadgroup")
			.map((stat) -> Long.parseLong(stat.substring("calls=".length(), stat.indexOf(','))))
			.orElse(0L);
	}

	@Test
	@DisplayName("C21 an ack or a publish does not wait for the BLOCK that a loop sits in")
	void acknowledgesAndPublishesAtOnceWhileAReadBlocks(RedisServer redis) {
		on(redis)
			.withPropertyValues("redis.streams.listener.poll-timeout=30s", "redis.streams.listener.min-idle=1h",
					"redis.streams.listener.claim-interval=1h", "redis.streams.listener.ack-mode=manual")
			.withUserConfiguration(Manual.class)
			.run((context) -> {
				int count = 20;
				redis.addPipelined("events", count);
				Manual listener = context.getBean(Manual.class);
				await().atMost(PATIENCE).until(() -> listener.acknowledgments.size() == count);
				awaitBlocked(redis);
				long polls = polls(redis);
				StreamTemplate template = context.getBean(StreamTemplate.class);
				List<Duration> publishes = new ArrayList<>();
				List<Duration> acks = new ArrayList<>();
				for (int i = 0; i < count; i++) {
					long start = System.nanoTime();
					template.send("elsewhere", "published");
					long published = System.nanoTime();
					publishes.add(Duration.ofNanos(published - start));
					listener.acknowledgments.get(i).acknowledge();
					int left = count - 1 - i;
					await().pollInterval(Duration.ofMillis(1))
						.atMost(PATIENCE)
						.until(() -> redis.pending("events", "billing") == left);
					acks.add(Duration.ofNanos(System.nanoTime() - published));
				}
				assertThat(redis.blockedClients()).hasSize(1);
				assertThat(polls(redis)).as("all during one read").isEqualTo(polls);
				// Had they to wait for the read, not even the fastest could be so fast
				assertThat(publishes.stream().min(Duration::compareTo)).get()
					.matches(FieldCaseApplicationTests::isQuick);
				assertThat(acks.stream().min(Duration::compareTo)).get().matches(FieldCaseApplicationTests::isQuick);
			});
	}

	private static boolean isQuick(Duration duration) {
		return duration.compareTo(Duration.ofMillis(50)) < 0;
	}

	@Test
	@DisplayName("C51 the context closes with 10 handlers in flight: it waits, acks what finishes, leaves the rest pending")
	void waitsAtACloseAndAcknowledgesWhatFinishesInTime(RedisServer redis, CapturedOutput output) {
		Duration timeout = Duration.ofSeconds(3);
		List<String> ids = new ArrayList<>();
		List<String> finishing = new ArrayList<>();
		on(redis)
			.withPropertyValues("redis.streams.listener.concurrency=10",
					"redis.streams.listener.shutdown-timeout=" + timeout.toMillis() + "ms")
			.withUserConfiguration(Slow.class)
			.run((context) -> {
				ids.addAll(redis.addPipelined("events", 10));
				Slow listener = context.getBean(Slow.class);
				await().atMost(PATIENCE).until(() -> listener.started.size() == 10);
				finishing.addAll(ids.subList(0, 6));
				listener.finishing.addAll(finishing);
				long start = System.nanoTime();
				CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close,
						(task) -> new Thread(task).start());
				await().atMost(PATIENCE).until(() -> redis.blockedClients().isEmpty());
				listener.release.countDown();
				assertThat(closed).succeedsWithin(30, TimeUnit.SECONDS);
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(timeout);
				assertThat(listener.finished).containsExactlyInAnyOrderElementsOf(finishing);
				assertThat(listener.interrupted).containsExactlyInAnyOrderElementsOf(ids.subList(6, 10));
			});
		assertThat(redis.pendingEntries("events", "billing")).containsOnlyKeys(ids.subList(6, 10));
		assertThat(output.getOut().lines()).noneMatch((line) -> line.contains(" ERROR "));
	}

	@Configuration(proxyBeanMethods = false)
	static class Recorder {

		final List<String> ids = new CopyOnWriteArrayList<>();

		@StreamListener("events")
		void handle(RecordId id) {
			this.ids.add(id.getValue());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Manual {

		final List<Acknowledgment> acknowledgments = new CopyOnWriteArrayList<>();

		@StreamListener("events")
		void handle(RecordId id, Acknowledgment acknowledgment) {
			this.acknowledgments.add(acknowledgment);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Slow {

		final Set<String> started = ConcurrentHashMap.newKeySet();

		final Set<String> finishing = ConcurrentHashMap.newKeySet();

		final Set<String> finished = ConcurrentHashMap.newKeySet();

		final Set<String> interrupted = ConcurrentHashMap.newKeySet();

		final CountDownLatch release = new CountDownLatch(1);

		@StreamListener("events")
		void handle(RecordId id) throws InterruptedException {
			this.started.add(id.getValue());
			try {
				this.release.await();
				if (!this.finishing.contains(id.getValue())) {
					new CountDownLatch(1).await();
				}
				this.finished.add(id.getValue());
			}
			catch (InterruptedException ex) {
				this.interrupted.add(id.getValue());
				throw ex;
			}
		}

	}

}
