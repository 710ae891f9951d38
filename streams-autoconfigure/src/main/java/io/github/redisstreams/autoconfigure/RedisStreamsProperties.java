package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import io.github.redisstreams.listener.AckMode;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/**
 * Configuration properties for listeners and publisher of Redis Streams.
 */
@ConfigurationProperties("redis.streams")
public class RedisStreamsProperties {

	/**
	 * Whether listeners, publisher and meters are set up.
	 */
	private boolean enabled = true;

	/**
	 * Name of this instance within its consumer groups. Must stay the same over restarts
	 * and differ between live instances. Defaults to the host name.
	 */
	private @Nullable String consumer;

	/**
	 * Defaults for every listener.
	 */
	@NestedConfigurationProperty
	private final ListenerProperties listener = new ListenerProperties();

	/**
	 * Settings of single listeners by name or id: the stream's key, and all that can be
	 * set under redis.streams.listener.
	 */
	private final Map<String, NamedListenerProperties> listeners = new LinkedHashMap<>();

	private final Metrics metrics = new Metrics();

	private final Health health = new Health();

	public boolean isEnabled() {
		return this.enabled;
	}

	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	public @Nullable String getConsumer() {
		return this.consumer;
	}

	public void setConsumer(@Nullable String consumer) {
		this.consumer = consumer;
	}

	public ListenerProperties getListener() {
		return this.listener;
	}

	public Map<String, NamedListenerProperties> getListeners() {
		return this.listeners;
	}

	public Metrics getMetrics() {
		return this.metrics;
	}

	public Health getHealth() {
		return this.health;
	}

	/**
	 * Settings of the meters.
	 */
	public static class Metrics {

		/**
		 * How often to ask Redis for lag and pending entries.
		 */
		private Duration interval = Duration.ofSeconds(5);

		public Duration getInterval() {
			return this.interval;
		}

		public void setInterval(Duration interval) {
			this.interval = interval;
		}

	}

	/**
	 * Settings of the health of listeners.
	 */
	public static class Health {

		/**
		 * How long ago the last poll of a listener may be before it is down. Three times
		 * its poll-timeout where that is longer.
		 */
		private Duration maxPollAge = Duration.ofMinutes(1);

		public Duration getMaxPollAge() {
			return this.maxPollAge;
		}

		public void setMaxPollAge(Duration maxPollAge) {
			this.maxPollAge = maxPollAge;
		}

	}

	/**
	 * Settings of a listener. What is not set is left to the next lower level.
	 */
	public static class ListenerProperties {

		/**
		 * Consumer group, created at startup where it is missing. Defaults to
		 * spring.application.name.
		 */
		private @Nullable String group;

		/**
		 * Where a new group starts: earliest, latest, or the id of the entry after which
		 * to start.
		 */
		private @Nullable String startFrom;

		/**
		 * Whether the listener starts with the application.
		 */
		private @Nullable Boolean autoStartup;

		/**
		 * How many handlers run at once.
		 */
		private @Nullable Integer concurrency;

		/**
		 * The most entries that one read may fetch.
		 */
		private @Nullable Integer batchSize;

		/**
		 * How long one read waits for entries.
		 */
		private @Nullable Duration pollTimeout;

		/**
		 * How long an entry must have been pending before another consumer may claim it.
		 */
		private @Nullable Duration minIdle;

		/**
		 * How often to look for such entries. Defaults to a tenth of min-idle, between
		 * 100ms and 5s.
		 */
		private @Nullable Duration claimInterval;

		/**
		 * When entries are acknowledged.
		 */
		private @Nullable AckMode ackMode;

		/**
		 * How long a stop waits for running handlers.
		 */
		private @Nullable Duration shutdownTimeout;

		public @Nullable String getGroup() {
			return this.group;
		}

		public void setGroup(@Nullable String group) {
			this.group = group;
		}

		public @Nullable String getStartFrom() {
			return this.startFrom;
		}

		public void setStartFrom(@Nullable String startFrom) {
			this.startFrom = startFrom;
		}

		public @Nullable Boolean getAutoStartup() {
			return this.autoStartup;
		}

		public void setAutoStartup(@Nullable Boolean autoStartup) {
			this.autoStartup = autoStartup;
		}

		public @Nullable Integer getConcurrency() {
			return this.concurrency;
		}

		public void setConcurrency(@Nullable Integer concurrency) {
			this.concurrency = concurrency;
		}

		public @Nullable Integer getBatchSize() {
			return this.batchSize;
		}

		public void setBatchSize(@Nullable Integer batchSize) {
			this.batchSize = batchSize;
		}

		public @Nullable Duration getPollTimeout() {
			return this.pollTimeout;
		}

		public void setPollTimeout(@Nullable Duration pollTimeout) {
			this.pollTimeout = pollTimeout;
		}

		public @Nullable Duration getMinIdle() {
			return this.minIdle;
		}

		public void setMinIdle(@Nullable Duration minIdle) {
			this.minIdle = minIdle;
		}

		public @Nullable Duration getClaimInterval() {
			return this.claimInterval;
		}

		public void setClaimInterval(@Nullable Duration claimInterval) {
			this.claimInterval = claimInterval;
		}

		public @Nullable AckMode getAckMode() {
			return this.ackMode;
		}

		public void setAckMode(@Nullable AckMode ackMode) {
			this.ackMode = ackMode;
		}

		public @Nullable Duration getShutdownTimeout() {
			return this.shutdownTimeout;
		}

		public void setShutdownTimeout(@Nullable Duration shutdownTimeout) {
			this.shutdownTimeout = shutdownTimeout;
		}

	}

	/**
	 * Settings of the listener with a certain name or id.
	 */
	public static class NamedListenerProperties extends ListenerProperties {

		/**
		 * Key of the stream. Defaults to the listener's name.
		 */
		private @Nullable String stream;

		/**
		 * Name of this instance within the group. Defaults to redis.streams.consumer.
		 */
		private @Nullable String consumer;

		public @Nullable String getStream() {
			return this.stream;
		}

		public void setStream(@Nullable String stream) {
			this.stream = stream;
		}

		public @Nullable String getConsumer() {
			return this.consumer;
		}

		public void setConsumer(@Nullable String consumer) {
			this.consumer = consumer;
		}

	}

}
