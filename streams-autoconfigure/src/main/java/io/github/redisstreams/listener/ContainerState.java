package io.github.redisstreams.listener;

/**
 * What a container is doing, as health and events show it.
 */
public enum ContainerState {

	/**
	 * Not started, or stopped.
	 */
	STOPPED,

	/**
	 * Started, and has not read yet.
	 */
	STARTING,

	/**
	 * Reading; all is well.
	 */
	POLLING,

	/**
	 * Redis does not serve. Tries again, with growing delays; mends itself.
	 */
	BACKING_OFF,

	/**
	 * The group is gone and is being created again.
	 */
	RECREATING,

	/**
	 * Reads nothing until it is resumed.
	 */
	PAUSED,

	/**
	 * Reads nothing for a while, since nearly everything that it handled has failed.
	 * Tries one entry now and then; mends itself.
	 */
	SUSPENDED,

	/**
	 * Cannot read until somebody mends the cause, such as a key that is no stream. Looks
	 * now and then whether somebody has.
	 */
	FAILED

}
