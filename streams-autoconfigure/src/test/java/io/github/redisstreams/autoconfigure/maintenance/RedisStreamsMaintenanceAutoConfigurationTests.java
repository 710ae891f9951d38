package io.github.redisstreams.autoconfigure.maintenance;

import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.maintenance.ConsumerReaper;
import io.github.redisstreams.maintenance.EvictionCheck;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Each condition of the auto-configuration of maintenance.
 */
@RealRedis
class RedisStreamsMaintenanceAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				RedisStreamsAutoConfiguration.class, RedisStreamsMaintenanceAutoConfiguration.class));

	private ApplicationContextRunner on(RedisServer redis) {
		return this.runner.withPropertyValues("spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + redis.port());
	}

	@Test
	void startsWithTheApplication(RedisServer redis) {
		on(redis).run((context) -> {
			assertThat(context.getBean(ConsumerReaper.class).isRunning()).isTrue();
			assertThat(context.getBean(EvictionCheck.class).isRunning()).isTrue();
		});
	}

	@Test
	void isOffWithTheListeners(RedisServer redis) {
		on(redis).withPropertyValues("redis.streams.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(ConsumerReaper.class)
				.doesNotHaveBean(EvictionCheck.class));
	}

	@Test
	void leavesTheUsersBeansInPlace(RedisServer redis) {
		ConsumerReaper reaper = mock(ConsumerReaper.class);
		EvictionCheck check = mock(EvictionCheck.class);
		on(redis).withBean(ConsumerReaper.class, () -> reaper)
			.withBean(EvictionCheck.class, () -> check)
			.run((context) -> {
				assertThat(context).getBean(ConsumerReaper.class).isSameAs(reaper);
				assertThat(context).getBean(EvictionCheck.class).isSameAs(check);
			});
	}

	@Test
	void needsThePort() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(RedisStreamsMaintenanceAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(ConsumerReaper.class)
				.doesNotHaveBean(EvictionCheck.class));
	}

}
