package io.github.redisstreams.config;

import java.util.List;

import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;

/**
 * For beans that add to what annotations and configuration say. All methods do nothing
 * unless overridden.
 */
public interface StreamListenerConfigurer {

	/**
	 * Register listeners in code.
	 * @param registrar takes them
	 */
	default void registerEndpoints(StreamListenerRegistrar registrar) {
	}

	/**
	 * Add resolvers for further arguments of handler methods. They come after Spring
	 * messaging's annotations and before the stream listeners' own types.
	 * @param resolvers the list to add to
	 */
	default void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
	}

}
