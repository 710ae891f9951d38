package io.github.redisstreams.autoconfigure.metrics;

import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.metrics.DeliveryDelay;
import io.github.redisstreams.metrics.PublishMeters;
import io.github.redisstreams.metrics.StreamMetrics;
import io.github.redisstreams.metrics.StreamSampler;
import io.github.redisstreams.redis.StreamCommands;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration for the meters of Redis Streams.
 */
@AutoConfiguration(after = RedisStreamsAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, StreamCommands.class, StreamListenerRegistry.class })
@Import(StreamSamplerConfiguration.class)
public final class RedisStreamsMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	StreamMetrics streamMetrics(StreamSampler sampler, StreamListenerRegistry registry, MeterRegistry meterRegistry) {
		return new StreamMetrics(sampler, registry, meterRegistry);
	}

	@Bean
	@ConditionalOnMissingBean
	PublishMeters streamPublishMeters(MeterRegistry meterRegistry) {
		return new PublishMeters(meterRegistry);
	}

	@Bean
	@ConditionalOnMissingBean
	DeliveryDelay streamDeliveryDelay(MeterRegistry meterRegistry) {
		return new DeliveryDelay(meterRegistry);
	}

}
