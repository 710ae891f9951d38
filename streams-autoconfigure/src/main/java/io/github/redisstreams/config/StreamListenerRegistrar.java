package io.github.redisstreams.config;

import java.util.ArrayList;
import java.util.List;

/**
 * Takes endpoints that are registered in code.
 *
 * @see StreamListenerConfigurer
 */
public final class StreamListenerRegistrar {

	private final List<StreamListenerEndpoint> endpoints = new ArrayList<>();

	/**
	 * Register a listener.
	 * @param endpoint the listener
	 */
	public void register(StreamListenerEndpoint endpoint) {
		this.endpoints.add(endpoint);
	}

	/**
	 * What was registered.
	 * @return the endpoints in the order of their registration
	 */
	public List<StreamListenerEndpoint> getEndpoints() {
		return List.copyOf(this.endpoints);
	}

}
