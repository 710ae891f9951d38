package io.github.redisstreams;

import java.io.Serial;

import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup when a listener, a property or the Redis connection cannot work as
 * configured. The message says what is wrong and names the property or method;
 * {@link #getAction()} says how to mend it. Spring Boot prints both as its startup
 * failure report.
 */
public class StreamsConfigurationException extends IllegalStateException {

	@Serial
	private static final long serialVersionUID = 1L;

	private final String action;

	/**
	 * Create a new exception.
	 * @param description what is wrong, naming the property or the method
	 * @param action what the user can do about it
	 */
	public StreamsConfigurationException(String description, String action) {
		this(description, action, null);
	}

	/**
	 * Create a new exception.
	 * @param description what is wrong, naming the property or the method
	 * @param action what the user can do about it
	 * @param cause the reason, if another exception told it
	 */
	public StreamsConfigurationException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	/**
	 * What the user can do about it.
	 * @return one or more full sentences
	 */
	public String getAction() {
		return this.action;
	}

}
