package io.github.redisstreams.autoconfigure.health;

import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.autoconfigure.RedisStreamsProperties;
import io.github.redisstreams.config.StreamListenerRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the health of the listeners.
 */
@AutoConfiguration(after = RedisStreamsAutoConfiguration.class)
@ConditionalOnClass({ CompositeHealthContributor.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean({ StreamListenerRegistry.class, RedisStreamsProperties.class })
public final class RedisStreamsHealthAutoConfiguration {

	@Bean
	@ConditionalOnEnabledHealthIndicator("redisstreams")
	@ConditionalOnMissingBean(name = "redisStreamsHealthContributor")
	CompositeHealthContributor redisStreamsHealthContributor(StreamListenerRegistry registry,
			RedisStreamsProperties properties) {
		return new ListenersHealthContributor(registry, properties.getHealth().getMaxPollAge());
	}

}
