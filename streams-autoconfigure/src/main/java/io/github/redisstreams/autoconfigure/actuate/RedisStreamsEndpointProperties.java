package io.github.redisstreams.autoconfigure.actuate;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties of the {@link RedisStreamsEndpoint}.
 */
@ConfigurationProperties("management.endpoint.redisstreams")
public class RedisStreamsEndpointProperties {

	/**
	 * When to show the content of dead letters and the messages of their exceptions.
	 */
	private Show showValues = Show.NEVER;

	/**
	 * Roles used to determine whether a user is authorized to be shown them. When empty,
	 * all authenticated users are authorized.
	 */
	private final Set<String> roles = new HashSet<>();

	/**
	 * How long a request waits for Redis, and for an action to be done.
	 */
	private Duration timeout = Duration.ofSeconds(5);

	public Show getShowValues() {
		return this.showValues;
	}

	public void setShowValues(Show showValues) {
		this.showValues = showValues;
	}

	public Set<String> getRoles() {
		return this.roles;
	}

	public Duration getTimeout() {
		return this.timeout;
	}

	public void setTimeout(Duration timeout) {
		this.timeout = timeout;
	}

}
