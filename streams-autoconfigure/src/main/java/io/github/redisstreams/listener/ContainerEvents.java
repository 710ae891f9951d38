package io.github.redisstreams.listener;

import java.time.Duration;

/**
 * Is told what happens to listener containers, by the thread that it happens on, in the
 * order in which it happens to each of them. Must return at once: the thread may be the
 * one that reads, one that handles, or one of a connection to Redis. So it must not
 * start, stop or pause a container by itself, which may wait for just that thread. What
 * is thrown is logged and changes nothing.
 */
public interface ContainerEvents {

	/**
	 * Takes no notice.
	 */
	ContainerEvents NONE = new ContainerEvents() {
	};

	/**
	 * A container was started. Whether it reads is for its state to tell.
	 * @param container the container
	 */
	default void started(StreamListenerContainer container) {
	}

	/**
	 * A container has stopped.
	 * @param container the container
	 * @param reason why
	 */
	default void stopped(StreamListenerContainer container, StopReason reason) {
	}

	/**
	 * A container is in another state than before. One that it was in only for a moment
	 * may have been passed over.
	 * @param container the container
	 * @param from the state that it was in
	 * @param to the state that it is in
	 */
	default void stateChanged(StreamListenerContainer container, ContainerState from, ContainerState to) {
	}

	/**
	 * A container has moved an entry to the dead letters.
	 * @param container the container
	 * @param entry the entry and why
	 */
	default void deadLettered(StreamListenerContainer container, DeadLetteredEntry entry) {
	}

	/**
	 * A container has had nothing to do for its {@code idleEventInterval}, or for as long
	 * again since it was last told: it reads, but is given nothing and holds nothing.
	 * @param container the container
	 * @param idleFor for how long
	 */
	default void idle(StreamListenerContainer container, Duration idleFor) {
	}

}
