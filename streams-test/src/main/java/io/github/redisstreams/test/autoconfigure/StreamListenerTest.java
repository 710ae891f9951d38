package io.github.redisstreams.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.data.redis.test.autoconfigure.AutoConfigureDataRedis;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.Environment;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of {@code @StreamListener} methods, and of <strong>nothing but</strong> them:
 * real listeners on a real Redis, without the rest of the application.
 * <p>
 * The context has
 * <ul>
 * <li>of the application's components only those with {@code @StreamListener} methods, or
 * those of them that {@link #listeners} names, and those that change how listeners work:
 * {@code FailureHandler}, {@code StreamContainerCustomizer},
 * {@code StreamListenerConfigurer}, {@code PublishEvents}, and what customises Jackson.
 * What else they need are {@code @MockitoBean}s or {@code @Import}s of the test,</li>
 * <li>the auto-configurations of Redis, Jackson, validation and Redis Streams, and so a
 * {@code StreamTemplate} to send with,</li>
 * <li>an {@linkplain AutoConfigureEmbeddedRedis embedded Redis}, unless the test says
 * which Redis to use,</li>
 * <li>a {@link io.github.redisstreams.test.StreamTester} to wait for what is handled, and
 * to look at what became of it.</li>
 * </ul>
 * Retries come sooner and stops take less time than by default: while the application
 * configures nothing else, {@code redis.streams.listener} has a
 * {@code retry.initial-interval} of 50 ms, a {@code retry.max-interval} of 500 ms, a
 * {@code poll-timeout} of 500 ms and a {@code shutdown-timeout} of 2 s.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(StreamListenerTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(StreamListenerTypeExcludeFilter.class)
@AutoConfigureDataRedis
@AutoConfigureEmbeddedRedis
@AutoConfigureStreamTester
@ImportAutoConfiguration
public @interface StreamListenerTest {

	/**
	 * Properties in the form {@literal key=value} to add to the {@link Environment}
	 * before the test runs.
	 * @return the properties to add
	 */
	String[] properties() default {};

	/**
	 * The components with {@code @StreamListener} methods to test. Alias of
	 * {@link #listeners}.
	 * @return their classes; none for all that component scanning finds
	 */
	@AliasFor("listeners")
	Class<?>[] value() default {};

	/**
	 * The components with {@code @StreamListener} methods to test.
	 * @return their classes; none for all that component scanning finds
	 */
	@AliasFor("value")
	Class<?>[] listeners() default {};

	/**
	 * Whether the default filtering is used with
	 * {@link SpringBootApplication @SpringBootApplication}. By default only listeners are
	 * included.
	 * @return if default filters should be used
	 * @see #includeFilters()
	 * @see #excludeFilters()
	 */
	boolean useDefaultFilters() default true;

	/**
	 * Include filters, which add components that otherwise are left out.
	 * @return include filters to apply
	 */
	Filter[] includeFilters() default {};

	/**
	 * Exclude filters, which leave out components that otherwise are added.
	 * @return exclude filters to apply
	 */
	Filter[] excludeFilters() default {};

	/**
	 * Auto-configurations to leave out of this test.
	 * @return auto-configuration exclusions to apply
	 */
	@AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
	Class<?>[] excludeAutoConfiguration() default {};

}
