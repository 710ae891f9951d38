package io.github.redisstreams.autoconfigure.observation;

import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.observation.StreamListenerObservationConvention;
import io.github.redisstreams.observation.StreamListenerObservations;
import io.github.redisstreams.observation.StreamListenerTracingHandler;
import io.github.redisstreams.observation.StreamSendObservationConvention;
import io.github.redisstreams.observation.StreamSendObservations;
import io.github.redisstreams.redis.StreamCommands;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration for the observations of Redis Streams.
 */
@AutoConfiguration(after = RedisStreamsAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration" })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ ObservationRegistry.class, StreamCommands.class })
public final class RedisStreamsObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	StreamListenerObservations streamListenerObservations(ObservationRegistry registry,
			ObjectProvider<StreamListenerObservationConvention> convention) {
		return new StreamListenerObservations(registry, convention.getIfAvailable());
	}

	@Bean
	@ConditionalOnMissingBean
	StreamSendObservations streamSendObservations(ObservationRegistry registry,
			ObjectProvider<StreamSendObservationConvention> convention) {
		return new StreamSendObservations(registry, convention.getIfAvailable());
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ Tracer.class, Propagator.class })
	@ConditionalOnBean({ Tracer.class, Propagator.class })
	static class TracingConfiguration {

		/** Before Boot's, which takes whatever is received, and has 1000. */
		private static final int ORDER = 900;

		@Bean
		@ConditionalOnMissingBean
		@Order(ORDER)
		StreamListenerTracingHandler streamListenerTracingHandler(Tracer tracer, Propagator propagator) {
			return new StreamListenerTracingHandler(tracer, propagator);
		}

	}

}
