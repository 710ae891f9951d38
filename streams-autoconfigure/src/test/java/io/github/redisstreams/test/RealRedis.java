package io.github.redisstreams.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs the tests of a class against a real Redis, which they take as a parameter of type
 * {@link RedisServer}. It runs, and is empty, when a test begins.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Tag("server")
@ExtendWith(RealRedisExtension.class)
public @interface RealRedis {

	/**
	 * Whether the class has a server of its own, which it may stop, kill and configure.
	 * All other classes share one.
	 */
	boolean own() default false;

	/**
	 * Further arguments of the class's own server.
	 */
	String[] arguments() default {};

}
