package io.github.redisstreams.autoconfigure.maintenance;

import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.maintenance.ConsumerReaper;
import io.github.redisstreams.maintenance.EvictionCheck;
import io.github.redisstreams.redis.StreamCommands;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for what keeps groups tidy and watches the server's settings.
 */
@AutoConfiguration(after = RedisStreamsAutoConfiguration.class)
@ConditionalOnBean({ StreamCommands.class, StreamListenerRegistry.class })
public final class RedisStreamsMaintenanceAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	ConsumerReaper streamConsumerReaper(StreamCommands commands, StreamListenerRegistry registry) {
		return new ConsumerReaper(commands, registry);
	}

	@Bean
	@ConditionalOnMissingBean
	EvictionCheck streamEvictionCheck(StreamCommands commands, StreamListenerRegistry registry) {
		return new EvictionCheck(commands, registry);
	}

}
