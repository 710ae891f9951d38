package io.github.redisstreams.listener;

/**
 * Why a container has stopped. A failure is no reason: no error of Redis or of a handler
 * ends a container.
 */
public enum StopReason {

	/**
	 * Somebody has stopped this container.
	 */
	REQUESTED,

	/**
	 * All listeners stop, as a rule since the application does.
	 */
	SHUTDOWN

}
