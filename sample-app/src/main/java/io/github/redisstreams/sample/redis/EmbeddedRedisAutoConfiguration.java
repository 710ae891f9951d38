package io.github.redisstreams.sample.redis;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Starts an {@link EmbeddedRedis} where neither a property nor a bean says which Redis to
 * use. An auto-configuration, since only those see what Testcontainers and the like have
 * added.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@Conditional(OnUnconfiguredRedis.class)
@ConditionalOnMissingBean({ DataRedisConnectionDetails.class, RedisConnectionFactory.class })
public final class EmbeddedRedisAutoConfiguration {

	// The connection factory asks this bean where to connect to, so Spring creates it
	// before and closes it after
	@Bean
	EmbeddedRedis embeddedRedis() {
		return EmbeddedRedis.start();
	}

}
