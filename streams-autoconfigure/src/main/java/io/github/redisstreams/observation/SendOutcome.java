package io.github.redisstreams.observation;

import io.github.redisstreams.publish.TaskActiveException;

/**
 * What becomes of what is sent.
 */
public enum SendOutcome {

	/**
	 * There is no reply yet.
	 */
	UNKNOWN("unknown"),

	/**
	 * Redis has confirmed it.
	 */
	SENT("sent"),

	/**
	 * There is a task with that key already.
	 */
	REFUSED("refused"),

	/**
	 * It failed, or some of it.
	 */
	FAILED("failed"),

	/**
	 * It was not sent, since the transaction was rolled back that was to be committed
	 * first.
	 */
	DROPPED("dropped");

	private final String value;

	SendOutcome(String value) {
		this.value = value;
	}

	/**
	 * The outcome as a tag has it.
	 * @return the tag's value
	 */
	public String value() {
		return this.value;
	}

	static SendOutcome of(Throwable failure) {
		return (failure instanceof TaskActiveException) ? REFUSED : FAILED;
	}

}
