package io.github.redisstreams.autoconfigure.health;

import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.autoconfigure.RedisStreamsProperties;
import io.github.redisstreams.autoconfigure.metrics.StreamSamplerConfiguration;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.metrics.StreamSampler;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration for the health of the listeners.
 */
@AutoConfiguration(after = RedisStreamsAutoConfiguration.class)
@ConditionalOnClass({ CompositeHealthContributor.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean({ StreamListenerRegistry.class, RedisStreamsProperties.class })
public final class RedisStreamsHealthAutoConfiguration {

	/**
	 * Apart, since where the health module is missing its condition is, too.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnEnabledHealthIndicator("redisstreams")
	@Import(StreamSamplerConfiguration.class)
	static class ContributorConfiguration {

		@Bean
		@ConditionalOnMissingBean(name = "redisStreamsHealthContributor")
		CompositeHealthContributor redisStreamsHealthContributor(StreamListenerRegistry registry, StreamSampler sampler,
				RedisStreamsProperties properties) {
			return new ListenersHealthContributor(registry, sampler, HealthThresholds.of(properties.getHealth()));
		}

	}

}
