package io.github.redisstreams.test.autoconfigure;

import java.nio.file.Path;

import io.github.redisstreams.test.EmbeddedRedis;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration of an {@link EmbeddedRedis} for a test.
 *
 * @see AutoConfigureEmbeddedRedis
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class,
		afterName = "org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration")
@Conditional(OnReplaceableRedis.class)
@ConditionalOnMissingBean({ DataRedisConnectionDetails.class, RedisConnectionFactory.class })
public final class EmbeddedRedisAutoConfiguration {

	@Bean
	EmbeddedRedis embeddedRedis(Environment environment) {
		String executable = environment.getProperty("redis.streams.test.embedded-redis.executable");
		return StringUtils.hasText(executable) ? EmbeddedRedis.start(Path.of(executable)) : EmbeddedRedis.start();
	}

	// Boot takes from the URL whether to use TLS, whatever the connection details say
	@Bean
	static BeanPostProcessor embeddedRedisUrlRemover() {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				if (bean instanceof DataRedisProperties properties) {
					properties.setUrl(null);
				}
				return bean;
			}

		};
	}

	// The connection factory depends on this bean, so the server outlives its connections
	@Bean
	DataRedisConnectionDetails embeddedRedisConnectionDetails(EmbeddedRedis redis) {
		return new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of(redis.host(), redis.port());
			}

		};
	}

}
