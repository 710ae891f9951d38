package io.github.redisstreams.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Import;

/**
 * Turns on {@link StreamListener} in an application without Spring Boot; with it, the
 * auto-configuration does. Needs a
 * {@link io.github.redisstreams.config.StreamListenerContainerFactory} bean, and a
 * {@link io.github.redisstreams.publish.StreamTemplate} bean for {@code @SendTo}:
 * <pre class="code">
 * &#64;Configuration
 * &#64;EnableStreamListeners
 * class StreamsConfiguration {
 *
 *     &#64;Bean
 *     LettuceStreamCommands streamCommands(RedisConnectionFactory connectionFactory) {
 *         return new LettuceStreamCommands(connectionFactory);
 *     }
 *
 *     &#64;Bean
 *     StreamListenerContainerFactory streamListenerContainerFactory(StreamCommands commands) {
 *         return new StreamListenerContainerFactory(commands);
 *     }
 *
 * }
 * </pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Import(StreamListenersConfiguration.class)
public @interface EnableStreamListeners {

}
