package io.github.redisstreams.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.redisstreams.test.StreamTester;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Gives a test a {@link StreamTester} bean, such as beside {@code @SpringBootTest}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureStreamTester {

}
