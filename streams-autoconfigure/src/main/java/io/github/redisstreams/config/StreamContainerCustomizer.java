package io.github.redisstreams.config;

import io.github.redisstreams.listener.ListenerOptions;

/**
 * For beans that change the options of listeners in code. Called for every container
 * before it is created; what it sets wins over annotation and configuration.
 */
@FunctionalInterface
public interface StreamContainerCustomizer {

	/**
	 * Change options.
	 * @param endpoint the listener
	 * @param options its options so far
	 */
	void customize(StreamListenerEndpoint endpoint, ListenerOptions.Builder options);

}
