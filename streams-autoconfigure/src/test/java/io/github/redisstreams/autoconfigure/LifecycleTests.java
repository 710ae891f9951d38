package io.github.redisstreams.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.metrics.RedisStreamsMetricsAutoConfiguration;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Starting and stopping with the application, on a server that has its own troubles.
 */
@RealRedis(own = true)
@ExtendWith(OutputCaptureExtension.class)
class LifecycleTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				RedisStreamsAutoConfiguration.class, RedisStreamsMetricsAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withPropertyValues("spring.application.name=billing", "redis.streams.consumer=one");

	private ApplicationContextRunner on(RedisServer redis) {
		return this.runner.withPropertyValues("spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + redis.port());
	}

	@Test
	void aStopWaitsForRunningHandlersAndSendsTheirAcknowledgements(RedisServer redis, CapturedOutput output) {
		Blocking.reset();
		on(redis).withPropertyValues("redis.streams.listener.concurrency=3")
			.withUserConfiguration(Blocking.class)
			.run((context) -> {
				redis.addPipelined("events", 3);
				await().until(() -> Blocking.started.getCount() == 0);
				Thread stop = new Thread(context::close);
				stop.start();
				await().until(() -> redis.blockedClients().isEmpty());
				assertThat(stop.isAlive()).isTrue();
				assertThat(redis.pending("events", "billing")).isEqualTo(3);
				Blocking.release.countDown();
				stop.join(TimeUnit.SECONDS.toMillis(10));
				assertThat(stop.isAlive()).isFalse();
				assertThat(redis.pending("events", "billing")).isZero();
			});
		assertThat(output).doesNotContain("ERROR").doesNotContain("WARN");
	}

	@Test
	void aStopGivesUpAfterShutdownTimeoutAndLeavesTheEntryPending(RedisServer redis, CapturedOutput output) {
		Blocking.reset();
		on(redis)
			.withPropertyValues("redis.streams.listener.shutdown-timeout=200ms", "redis.streams.listener.concurrency=3")
			.withUserConfiguration(Blocking.class)
			.run((context) -> {
				redis.addPipelined("events", 3);
				await().until(() -> Blocking.started.getCount() == 0);
				context.close();
				assertThat(redis.pending("events", "billing")).isEqualTo(3);
			});
		assertThat(output).contains("still run after shutdown-timeout").doesNotContain("ERROR");
	}

	@Test
	void startsWithoutRedisAndReadsOnceItIsThere(RedisServer redis, CapturedOutput output) {
		redis.stop();
		on(redis).withUserConfiguration(Recorder.class).run((context) -> {
			assertThat(context).hasNotFailed();
			await().until(() -> output.getAll().contains("No connection to Redis"));
			redis.start();
			redis.add("events", "payload", "one");
			await().until(() -> context.getBean(Recorder.class).payloads.contains("one"));
			await().until(() -> output.getAll().contains("again, after"));
			assertThat(output.getAll().split("cannot read stream", -1)).hasSize(2);
			assertThat(output).doesNotContain("ERROR");
		});
	}

	@Test
	void outOfMemoryAGroupThatIsThereIsReadAllTheSame(RedisServer redis) {
		redis.add("events", "payload", "one");
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		redis.command("CONFIG", "SET", "maxmemory", "1");
		try {
			on(redis).withUserConfiguration(Recorder.class).run((context) -> {
				await().until(() -> context.getBean(Recorder.class).payloads.contains("one"));
				await().until(() -> redis.pending("events", "billing") == 0);
			});
		}
		finally {
			redis.command("CONFIG", "SET", "maxmemory", "0");
		}
	}

	@Test
	void outOfMemoryAMissingGroupIsReportedAndCreatedLater(RedisServer redis, CapturedOutput output) {
		redis.command("CONFIG", "SET", "maxmemory", "1");
		try {
			on(redis).withUserConfiguration(Recorder.class).run((context) -> {
				await().until(() -> output.getAll().contains("OOM command not allowed"));
				redis.command("CONFIG", "SET", "maxmemory", "0");
				redis.add("events", "payload", "one");
				await().until(() -> context.getBean(Recorder.class).payloads.contains("one"));
			});
		}
		finally {
			redis.command("CONFIG", "SET", "maxmemory", "0");
		}
	}

	@Test
	void goesOnAfterARestartOfRedisAndHandlesWhatWasAdded(RedisServer redis, CapturedOutput output) {
		on(redis).withUserConfiguration(Recorder.class).run((context) -> {
			Recorder recorder = context.getBean(Recorder.class);
			redis.add("events", "payload", "before");
			await().until(() -> recorder.payloads.contains("before"));
			await().until(() -> redis.pending("events", "billing") == 0);
			redis.restart();
			redis.add("events", "payload", "after");
			await().until(() -> recorder.payloads.contains("after"));
			await().until(() -> redis.pending("events", "billing") == 0);
			assertThat(recorder.payloads).containsExactly("before", "after");
			assertThat(output).doesNotContain("ERROR");
		});
	}

	@Test
	void canBeStoppedAndStartedAgainAtRunTime(RedisServer redis) {
		on(redis).withUserConfiguration(Recorder.class).run((context) -> {
			Recorder recorder = context.getBean(Recorder.class);
			StreamListenerRegistry registry = context.getBean(StreamListenerRegistry.class);
			registry.stop();
			redis.add("events", "payload", "while stopped");
			assertThat(registry.getContainers()).noneMatch((container) -> container.isRunning());
			registry.start();
			await().until(() -> recorder.payloads.contains("while stopped"));
		});
	}

	@Test
	void handlersRunOnPlatformThreadsNamedAfterTheListener(RedisServer redis) {
		on(redis).withUserConfiguration(Recorder.class).run((context) -> {
			redis.add("events", "payload", "one");
			Recorder recorder = context.getBean(Recorder.class);
			await().until(() -> !recorder.threads.isEmpty());
			assertThat(recorder.threads.get(0).getName()).startsWith("streams-events-");
			assertThat(recorder.threads.get(0).toString()).doesNotContain("VirtualThread");
		});
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void handlersRunOnVirtualThreadsWhereTheApplicationWantsThem(RedisServer redis) {
		on(redis).withPropertyValues("spring.threads.virtual.enabled=true")
			.withUserConfiguration(Recorder.class)
			.run((context) -> {
				redis.add("events", "payload", "one");
				Recorder recorder = context.getBean(Recorder.class);
				await().until(() -> !recorder.threads.isEmpty());
				assertThat(recorder.threads.get(0).getName()).startsWith("streams-events-");
				assertThat(recorder.threads.get(0).toString()).contains("VirtualThread");
			});
	}

	@Test
	void idleListenersKeepOneThreadAndOneConnectionEach(RedisServer redis) {
		on(redis).withUserConfiguration(Recorder.class, SecondRecorder.class).run((context) -> {
			await().until(() -> redis.blockedClients().size() == 2);
			// Two readers and the shared connection
			assertThat(redis.clients()).hasSize(3);
			assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
				.filteredOn((name) -> name.startsWith("streams-poller"))
				.containsExactlyInAnyOrder("streams-poller-events", "streams-poller-second");
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Blocking {

		static volatile CountDownLatch started = new CountDownLatch(3);

		static volatile CountDownLatch release = new CountDownLatch(1);

		static void reset() {
			started = new CountDownLatch(3);
			release = new CountDownLatch(1);
		}

		@StreamListener("events")
		void handle(String payload) throws InterruptedException {
			started.countDown();
			release.await();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Recorder {

		final List<String> payloads = new CopyOnWriteArrayList<>();

		final List<Thread> threads = new CopyOnWriteArrayList<>();

		@StreamListener("events")
		void handle(String payload) {
			this.threads.add(Thread.currentThread());
			this.payloads.add(payload);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SecondRecorder {

		@StreamListener("second")
		void handle(String payload) {
		}

	}

}
