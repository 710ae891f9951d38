package io.github.redisstreams.listener;

/**
 * What becomes of an acknowledged entry.
 */
public enum OnSuccess {

	/**
	 * It stays in the stream until something trims it: {@code XACK}.
	 */
	KEEP,

	/**
	 * It is deleted as it is acknowledged, unless another group of the stream has still
	 * to be given it or has it pending: then it stays, and the last group to acknowledge
	 * it deletes it, if that deletes too. {@code XACKDEL ... ACKED} where the server has
	 * it (Redis 8.2), elsewhere a script that does the same.
	 */
	DELETE

}
