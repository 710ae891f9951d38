package io.github.redisstreams.listener;

import java.util.List;

/**
 * Who watches a container. What they throw is logged and changes nothing.
 *
 * @param events is told what happens to the container
 * @param handlers watch each call of its handler, the first around the others
 */
public record ContainerObservers(ContainerEvents events, List<HandlerObserver> handlers) {

	/**
	 * Nobody watches.
	 */
	public static final ContainerObservers NONE = new ContainerObservers(ContainerEvents.NONE, List.of());

	/**
	 * Create new observers.
	 * @param events is told what happens to the container
	 * @param handlers watch each call of its handler, the first around the others
	 */
	public ContainerObservers {
		handlers = List.copyOf(handlers);
	}

}
