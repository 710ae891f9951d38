package io.github.redisstreams.autoconfigure.metrics;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.metrics.StreamMetrics;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
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
	void needsAMeterRegistry(RedisServer redis) {
		on(redis).run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(StreamMetrics.class)
			.hasSingleBean(StreamListenerRegistry.class));
	}

	@Test
	void withoutMicrometerTheListenersStillWork(RedisServer redis) {
		on(redis).withClassLoader(new FilteredClassLoader("io.micrometer")).run((context) -> {
			assertThat(context).hasNotFailed();
			redis.add("events", "payload", "one");
			await().until(() -> context.getBean(Listeners.class).payload != null);
		});
	}

	@Test
	void isOffWithTheListeners(RedisServer redis) {
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("redis.streams.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(StreamMetrics.class));
	}

	@Test
	void leavesTheUsersMetricsInPlace(RedisServer redis) {
		StreamMetrics own = mock(StreamMetrics.class);
		on(redis).withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(StreamMetrics.class, () -> own)
			.run((context) -> assertThat(context).getBean(StreamMetrics.class).isSameAs(own));
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
