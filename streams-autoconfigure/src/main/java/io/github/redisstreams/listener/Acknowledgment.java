package io.github.redisstreams.listener;

/**
 * Lets a handler acknowledge what it was given, as a parameter of the handler method. May
 * be kept and used later, from any thread, while the listener runs. For a batch it stands
 * for all entries of the batch.
 */
public interface Acknowledgment {

	/**
	 * Acknowledge, so that the entry leaves the group's pending list ({@code XACK}). The
	 * command is sent with others within a few milliseconds and again after a fault of
	 * Redis. Calling this more than once does nothing more.
	 */
	void acknowledge();

}
