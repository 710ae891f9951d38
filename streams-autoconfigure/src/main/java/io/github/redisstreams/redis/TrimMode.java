package io.github.redisstreams.redis;

/**
 * What writing to a stream may drop from its other end.
 */
public enum TrimMode {

	/**
	 * Only what every group of the stream has been given and has acknowledged. While a
	 * group lags behind or has old entries pending, the stream grows over its bounds. A
	 * stream without groups is trimmed as with {@link #STRICT}.
	 */
	FINISHED,

	/**
	 * Whatever is over the bounds, also what is still to be done.
	 */
	STRICT,

	/**
	 * Nothing.
	 */
	NONE

}
