package io.github.redisstreams.test.autoconfigure;

import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.config.ListenerSettings;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.test.StreamTester;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration of a {@link StreamTester}.
 */
@AutoConfiguration(after = RedisStreamsAutoConfiguration.class)
@ConditionalOnBean(StreamCommands.class)
public final class StreamTesterAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	StreamTester streamTester(StreamListenerRegistry registry, ListenerSettings settings, StreamCommands commands,
			DeadLetters deadLetters, EntryMessageConverter converter, RedisConnectionFactory connectionFactory) {
		return new StreamTester(registry, settings, commands, deadLetters, converter, connectionFactory);
	}

}
