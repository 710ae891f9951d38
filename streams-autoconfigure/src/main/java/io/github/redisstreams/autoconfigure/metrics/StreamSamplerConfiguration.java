package io.github.redisstreams.autoconfigure.metrics;

import io.github.redisstreams.autoconfigure.RedisStreamsProperties;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.metrics.StreamSampler;
import io.github.redisstreams.publish.PublisherSettings;
import io.github.redisstreams.redis.StreamCommands;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The one {@link StreamSampler} of all that shows its figures. Imported by each, so that
 * nobody asks Redis where nothing shows them. Needs nothing of Micrometer.
 */
@Configuration(proxyBeanMethods = false)
public class StreamSamplerConfiguration {

	@Bean
	@ConditionalOnMissingBean
	StreamSampler streamSampler(StreamCommands commands, StreamListenerRegistry registry, PublisherSettings settings,
			RedisStreamsProperties properties) {
		return new StreamSampler(commands, registry,
				properties.getPublisher().getPromote().stream().map(settings::streamKey).toList(),
				properties.getMetrics().getInterval());
	}

}
