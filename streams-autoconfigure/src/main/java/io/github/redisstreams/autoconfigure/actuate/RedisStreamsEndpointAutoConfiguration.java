package io.github.redisstreams.autoconfigure.actuate;

import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.redis.StreamCommands;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the actuator endpoint of the listeners.
 */
@AutoConfiguration(after = RedisStreamsAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean({ StreamCommands.class, StreamListenerRegistry.class, DeadLetters.class })
@ConditionalOnAvailableEndpoint(RedisStreamsEndpoint.class)
@EnableConfigurationProperties(RedisStreamsEndpointProperties.class)
public final class RedisStreamsEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RedisStreamsEndpoint redisStreamsEndpoint(StreamListenerRegistry registry, StreamCommands commands,
			DeadLetters deadLetters, ApplicationEventPublisher events,
			ObjectProvider<SanitizingFunction> sanitizingFunctions, RedisStreamsEndpointProperties properties) {
		return new RedisStreamsEndpoint(registry, commands, deadLetters, events,
				sanitizingFunctions.orderedStream().toList(), properties.getShowValues(), properties.getTimeout());
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(RedisStreamsEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	RedisStreamsEndpointWebExtension redisStreamsEndpointWebExtension(RedisStreamsEndpoint endpoint,
			RedisStreamsEndpointProperties properties) {
		return new RedisStreamsEndpointWebExtension(endpoint, properties.getShowValues(), properties.getRoles());
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(RedisStreamsEndpointWebExtension.class)
	ActionArgumentsAdvisor redisStreamsActionArgumentsAdvisor() {
		return new ActionArgumentsAdvisor();
	}

}
