package io.github.redisstreams.autoconfigure.metrics;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.metrics.DeliveryDelay;
import io.github.redisstreams.metrics.PublishMeters;
import io.github.redisstreams.metrics.StreamMetrics;
import io.github.redisstreams.metrics.StreamSampler;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Each condition of the meters' auto-configuration.
 */
@RealRedis
class RedisStreamsMetricsAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				RedisStreamsAutoConfiguration.class, RedisStreamsMetricsAutoConfiguration.class))
		.withPropertyValues("spring.application.name=billing", "redis.streams.metrics.interval=50ms");

	private ApplicationContextRunner on(RedisServer redis) {
		return this.runner
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port())
			.withUserConfiguration(Listeners.class);
	}

	@Test
	void registersTheGaugesOfEachListener(RedisServer redis) {
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			for (String name : new String[] { "redis.streams.group.lag", "redis.streams.group.pending" }) {
				await()
					.until(() -> meters.get(name).tag("stream", "events").tag("group", "billing").gauge().value() == 0);
			}
		});
	}

	@Test
	void metersWhatIsPublished(RedisServer redis) {
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			context.getBean(StreamTemplate.class).sendAfter("events", "one", Duration.ofMillis(50));
			await().until(() -> "one".equals(context.getBean(Listeners.class).payload));
			await()
				.until(() -> meters.get("redis.streams.delayed.lateness").tag("stream", "events").timer().count() == 1);
			assertThat(meters.get("redis.streams.trimmed.undelivered").tag("stream", "events").counter().count())
				.isZero();
			await().until(() -> meters.get("redis.streams.delayed").tag("stream", "events").gauge().value() == 0);
			context.getBean(StreamTemplate.class).sendAfter("events", "two", Duration.ofHours(1));
			await().until(() -> meters.get("redis.streams.delayed").tag("stream", "events").gauge().value() == 1);
		});
	}

	@Test
	void gaugesStreamsWhoseScheduledEntriesItMovesWithoutAListener(RedisServer redis) {
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("redis.streams.publisher.promote=reminders",
					"redis.streams.listeners.reminders.stream=app:reminders", "redis.streams.metrics.interval=50ms")
			.run((context) -> {
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				context.getBean(StreamTemplate.class).sendAfter("reminders", "later", Duration.ofHours(1));
				await().until(
						() -> meters.get("redis.streams.delayed").tag("stream", "app:reminders").gauge().value() == 1);
				context.getBean(StreamTemplate.class).send("reminders", "now");
				await().until(
						() -> meters.get("redis.streams.length").tag("stream", "app:reminders").gauge().value() == 1);
				assertThat(meters.find("redis.streams.dead.letters").tag("stream", "app:reminders").gauge()).isNull();
			});
	}

	@Test
	void countsWhatStrictTrimmingLoses(RedisServer redis) {
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("redis.streams.publisher.trim=strict", "redis.streams.publisher.max-length=100")
			.run((context) -> {
				redis.addPipelined("orders", 1000);
				redis.command("XGROUP", "CREATE", "orders", "shipping", "0");
				context.getBean(StreamTemplate.class).send("orders", "one");
				long lost = 1001 - redis.length("orders");
				assertThat(lost).isPositive();
				assertThat(context.getBean(MeterRegistry.class)
					.get("redis.streams.trimmed.undelivered")
					.tag("stream", "orders")
					.counter()
					.count()).isEqualTo(lost);
			});
	}

	@Test
	void timesHowLongEntriesWaitWithoutAnyObservation(RedisServer redis) {
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			assertThat(context).doesNotHaveBean(ObservationRegistry.class);
			Timer timer = context.getBean(MeterRegistry.class)
				.get("redis.streams.delivery.delay")
				.tag("stream", "events")
				.tag("group", "billing")
				.timer();
			assertThat(timer.count()).isZero();
			context.getBean(StreamTemplate.class).send("events", "one");
			await().until(() -> timer.count() == 1);
			assertThat(timer.max(TimeUnit.SECONDS)).isLessThan(10);
		});
	}

	@Test
	void countsTheDelayOfAScheduledEntryFromWhenItIsDue(RedisServer redis) {
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			context.getBean(StreamTemplate.class).sendAfter("events", "one", Duration.ofSeconds(2));
			Timer timer = context.getBean(MeterRegistry.class).get("redis.streams.delivery.delay").timer();
			await().until(() -> timer.count() == 1);
			assertThat(timer.max(TimeUnit.MILLISECONDS)).isLessThan(2000);
		});
	}

	@Test
	void leavesTheUsersDeliveryDelayInPlace(RedisServer redis) {
		MeterRegistry meters = new SimpleMeterRegistry();
		DeliveryDelay own = new DeliveryDelay(meters);
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(DeliveryDelay.class, () -> own)
			.run((context) -> {
				assertThat(context).getBean(DeliveryDelay.class).isSameAs(own);
				assertThat(meters.find(DeliveryDelay.DELAY).timer()).isNotNull();
			});
	}

	@Test
	void leavesTheUsersPublishMetersInPlace(RedisServer redis) {
		PublishMeters own = mock(PublishMeters.class);
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(PublishMeters.class, () -> own)
			.run((context) -> assertThat(context).getBean(PublishMeters.class).isSameAs(own));
	}

	@Test
	void needsAMeterRegistry(RedisServer redis) {
		on(redis).run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(StreamMetrics.class)
			.doesNotHaveBean(StreamSampler.class)
			.doesNotHaveBean(PublishMeters.class)
			.doesNotHaveBean(DeliveryDelay.class)
			.hasSingleBean(StreamListenerRegistry.class));
	}

	@Test
	void withoutMicrometerListenersAndPublisherStillWork(RedisServer redis) {
		on(redis).withClassLoader(new FilteredClassLoader("io.micrometer")).run((context) -> {
			assertThat(context).hasNotFailed();
			redis.add("events", "payload", "one");
			await().until(() -> "one".equals(context.getBean(Listeners.class).payload));
			context.getBean(StreamTemplate.class).sendAfter("events", "two", Duration.ofMillis(50));
			await().until(() -> "two".equals(context.getBean(Listeners.class).payload));
		});
	}

	@Test
	void isOffWithTheListeners(RedisServer redis) {
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("redis.streams.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(StreamMetrics.class)
				.doesNotHaveBean(PublishMeters.class));
	}

	@Test
	void leavesTheUsersMetricsInPlace(RedisServer redis) {
		StreamMetrics own = mock(StreamMetrics.class);
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(StreamMetrics.class, () -> own)
			.run((context) -> assertThat(context).getBean(StreamMetrics.class).isSameAs(own));
	}

	@Test
	void leavesTheUsersSamplerInPlace(RedisServer redis) {
		StreamSampler own = mock(StreamSampler.class);
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(StreamSampler.class, () -> own)
			.run((context) -> assertThat(context).getBean(StreamSampler.class).isSameAs(own));
	}

	@Test
	void needsThePort() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(RedisStreamsMetricsAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(StreamCommands.class)
				.doesNotHaveBean(StreamMetrics.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		private volatile @Nullable String payload;

		@StreamListener("events")
		void handle(String payload) {
			this.payload = payload;
		}

	}

}
