package io.github.redisstreams.benchmarks.startup;

import org.springframework.boot.CommandLineRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Uses Redis as the application starts.
 */
@Configuration(proxyBeanMethods = false)
class PingConfiguration {

	@Bean
	CommandLineRunner ping(RedisConnectionFactory factory) {
		return (arguments) -> {
			try (RedisConnection connection = factory.getConnection()) {
				connection.ping();
			}
		};
	}

}
