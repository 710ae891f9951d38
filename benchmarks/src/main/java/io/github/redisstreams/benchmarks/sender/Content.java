package io.github.redisstreams.benchmarks.sender;

import io.github.redisstreams.benchmarks.contestant.Order;
import tools.jackson.databind.json.JsonMapper;

/**
 * What is sent. In the end it is the same text.
 */
public enum Content {

	/**
	 * Text as it is.
	 */
	TEXT("a String", Order.JSON),

	/**
	 * A record that is to be written as JSON.
	 */
	RECORD("a record as JSON", Order.OBJECT);

	private final String title;

	private final Object payload;

	Content(String title, Object payload) {
		this.title = title;
		this.payload = payload;
	}

	/**
	 * What to call it.
	 * @return the title
	 */
	public String title() {
		return this.title;
	}

	Object payload() {
		return this.payload;
	}

	/**
	 * What the payload is written as by hand.
	 */
	String write() {
		return (this.payload instanceof String text) ? text : JsonMapper.shared().writeValueAsString(this.payload);
	}

}
