package io.github.redisstreams.listener;

/**
 * When the container acknowledges an entry.
 */
public enum AckMode {

	/**
	 * After the handler has succeeded. A failed entry stays pending and is delivered
	 * again.
	 */
	ON_SUCCESS,

	/**
	 * After the handler has returned or thrown. A failed entry is logged and not
	 * delivered again, but one whose process dies is.
	 */
	ALWAYS,

	/**
	 * Only when the handler calls {@link Acknowledgment#acknowledge()}. An entry whose
	 * handler returns without that stays pending and is delivered again after
	 * {@code min-idle}.
	 */
	MANUAL

}
