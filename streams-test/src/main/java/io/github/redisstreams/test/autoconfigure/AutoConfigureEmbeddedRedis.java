package io.github.redisstreams.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.redisstreams.test.EmbeddedRedis;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.PropertyMapping;

/**
 * Gives a test a Redis of its own, an {@link EmbeddedRedis}, unless the test says which
 * one to use. Each application context has one, which ends with it; tests that share a
 * context share its Redis.
 * <p>
 * The server is that of the library {@code org.signal:embedded-redis}, which must be on
 * the test's class path, or the one whose path the property
 * {@code redis.streams.test.embedded-redis.executable} tells.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@PropertyMapping("redis.streams.test.embedded-redis")
public @interface AutoConfigureEmbeddedRedis {

	/**
	 * Which Redis is replaced by one of the test's own. One that a
	 * {@code RedisConnectionFactory} bean of the application connects to never is.
	 * @return what to replace
	 */
	Replace replace() default Replace.NON_TEST;

	/**
	 * Which Redis is replaced.
	 */
	enum Replace {

		/**
		 * The one that the application's {@code application.properties} or YAML name, or
		 * the default of {@code localhost}. Not one that is named for the test: by a
		 * {@code @ServiceConnection}, or by a {@code spring.data.redis} property of the
		 * test, of a {@code @DynamicPropertySource}, of the environment or of the JVM.
		 */
		NON_TEST,

		/**
		 * None: the test uses the Redis that the application uses.
		 */
		NONE

	}

}
