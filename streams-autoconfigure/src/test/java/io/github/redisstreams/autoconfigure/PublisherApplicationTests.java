package io.github.redisstreams.autoconfigure;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.publish.DelayedPromoter;
import io.github.redisstreams.publish.StreamTasks;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.TaskState;
import io.github.redisstreams.support.StreamHeaders;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The publisher of an application as its properties have set it up, on a real server.
 */
@Tag("core")
@RealRedis
class PublisherApplicationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				RedisStreamsAutoConfiguration.class))
		.withPropertyValues("spring.application.name=shop", "redis.streams.listeners.events.stream=app:events");

	private ApplicationContextRunner on(RedisServer redis) {
		return this.runner.withPropertyValues("spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + redis.port());
	}

	private static List<Thread> promoters() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("streams-promoter-"))
			.toList();
	}

	@Test
	void withoutAnyListenerEntriesOfTheNamedStreamsAreMovedUntilTheContextIsClosed(RedisServer redis) {
		on(redis).withPropertyValues("redis.streams.publisher.promote=events, orders").run((context) -> {
			StreamTemplate template = context.getBean(StreamTemplate.class);
			template.sendAfter("events", "one", Duration.ofMillis(50));
			template.sendAfter("app:events", "two", Duration.ofMillis(60));
			template.sendAfter("orders", "three", Duration.ofMillis(50));
			template.sendAfter("other", "four", Duration.ofMillis(50));
			await().until(() -> redis.length("app:events") == 2 && redis.length("orders") == 1);
			assertThat(redis.command("ZCARD", "{other}:delayed")).isEqualTo(1L);
			assertThat(promoters()).hasSize(1);
			context.close();
			await().until(() -> promoters().isEmpty());
		});
	}

	@Test
	void entriesScheduledByOthersAreMovedToo(RedisServer redis) {
		on(redis).withPropertyValues("redis.streams.publisher.promote=orders")
			.run((promoting) -> on(redis).run((sending) -> {
				sending.getBean(StreamTemplate.class).sendAfter("orders", "one", Duration.ofMillis(50));
				await().until(() -> redis.length("orders") == 1);
			}));
	}

	@Test
	void entriesOfAStreamWithAListenerAreMovedWhileThatIsRunning(RedisServer redis) {
		on(redis).withUserConfiguration(Listeners.class)
			.withPropertyValues("redis.streams.listener.auto-startup=false")
			.run((context) -> {
				StreamTemplate template = context.getBean(StreamTemplate.class);
				String id = template.sendAt("events", "one", Instant.now().plusMillis(50));
				assertThat(context.getBean(DelayedPromoter.class).isRunning()).isTrue();
				Objects.requireNonNull(context.getBean(StreamListenerRegistry.class).getContainer("events")).start();
				await().until(() -> context.getBean(Listeners.class).handled);
				assertThat(template.cancel("events", id)).isFalse();
			});
	}

	@Test
	void whereItIsTrackedATaskTellsWhatHasBecomeOfIt(RedisServer redis) {
		on(redis).withUserConfiguration(Listeners.class)
			.withPropertyValues("redis.streams.publisher.streams.events.tracking.enabled=true")
			.run((context) -> {
				StreamTemplate template = context.getBean(StreamTemplate.class);
				StreamTasks tasks = context.getBean(StreamTasks.class);
				String later = template.sendAfter("events", "later", Duration.ofHours(1));
				String now = template.send("events", "now").getValue();
				assertThat(tasks.find("events", later)).hasValueSatisfying((task) -> {
					assertThat(task.state()).isEqualTo(TaskState.SCHEDULED);
					assertThat(task.entry()).isNull();
				});
				await().until(() -> tasks.find("events", now)
					.filter((task) -> task.state() == TaskState.COMPLETED)
					.isPresent());
				assertThat(tasks.find("app:events", now)).isPresent();
				assertThat(tasks.find("events", "unknown")).isEmpty();
			});
	}

	@Test
	void aTaskThatIsDoneMayBeSentAgain(RedisServer redis) {
		on(redis).withUserConfiguration(Listeners.class).run((context) -> {
			StreamTemplate template = context.getBean(StreamTemplate.class);
			Map<String, Object> key = Map.of(StreamHeaders.TASK_KEY, "daily");
			template.send("events", "x", key);
			await().until(() -> context.getBean(StreamTasks.class).find("events", "daily").isEmpty());
			template.send("events", "x", key);
			assertThat(redis.length("app:events")).isEqualTo(2);
		});
	}

	@Test
	void nothingIsTrimmedBeforeTheApplicationsOwnListenersHaveTheirGroup(RedisServer redis) {
		on(redis).withUserConfiguration(Listeners.class, LateGroup.class)
			.withPropertyValues("redis.streams.publisher.max-length=100", "redis.streams.listener.concurrency=1")
			.run((context) -> {
				LateGroup group = context.getBean(LateGroup.class);
				CompletableFuture<List<RecordId>> sent = CompletableFuture.supplyAsync(
						() -> context.getBean(StreamTemplate.class).sendAll("events", Collections.nCopies(5000, "x")));
				await().until(() -> group.asked.getCount() == 0);
				assertThat(sent).isNotDone();
				assertThat(redis.length("app:events")).isZero();
				group.created.countDown();
				assertThat(sent.join()).hasSize(5000);
				await().until(() -> context.getBean(Listeners.class).count.get() == 5000);
			});
	}

	/**
	 * A server that takes its time to create a group.
	 */
	@Configuration(proxyBeanMethods = false)
	static class LateGroup {

		private final CountDownLatch asked = new CountDownLatch(1);

		private final CountDownLatch created = new CountDownLatch(1);

		@Bean
		StreamCommands streamCommands(RedisConnectionFactory connectionFactory) {
			LettuceStreamCommands commands = new LettuceStreamCommands(connectionFactory);
			return (StreamCommands) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { StreamCommands.class, AutoCloseable.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("createGroup")) {
							this.asked.countDown();
							this.created.await();
						}
						return ReflectionUtils.invokeMethod(method, commands, arguments);
					});
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		private final AtomicInteger count = new AtomicInteger();

		private volatile boolean handled;

		@StreamListener("events")
		void handle(String payload) {
			this.handled = true;
			this.count.incrementAndGet();
		}

	}

}
