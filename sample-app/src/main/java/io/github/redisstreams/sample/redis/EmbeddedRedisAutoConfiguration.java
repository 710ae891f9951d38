package io.github.redisstreams.sample.redis;

import java.util.List;

import io.github.redisstreams.StreamsConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Starts an {@link EmbeddedRedis} where neither a property nor a bean says which Redis to
 * use. An auto-configuration, since only those see what Testcontainers and the like have
 * added.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@ImportRuntimeHints(EmbeddedRedisAutoConfiguration.ServerHints.class)
@Conditional(OnUnconfiguredRedis.class)
@ConditionalOnMissingBean({ DataRedisConnectionDetails.class, RedisConnectionFactory.class })
public final class EmbeddedRedisAutoConfiguration {

	// The connection factory asks this bean where to connect to, so Spring creates it
	// before and closes it after
	@Bean
	EmbeddedRedis embeddedRedis(Environment environment) {
		List<String> configured = OnUnconfiguredRedis.configuredIn(environment);
		// What is processed ahead of time keeps the beans that it had then
		if (!configured.isEmpty()) {
			throw new StreamsConfigurationException(
					"This application was processed ahead of time with an embedded Redis, so that " + configured
							+ " comes too late",
					"Set an address of Redis, any, when it is processed, too.");
		}
		return EmbeddedRedis.start();
	}

	/**
	 * Keeps the servers that the library brings.
	 */
	static class ServerHints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("redis-server-*");
		}

	}

}
