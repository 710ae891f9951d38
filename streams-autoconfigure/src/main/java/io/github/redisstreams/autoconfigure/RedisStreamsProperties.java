package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.listener.AckMode;
import io.github.redisstreams.listener.OnSuccess;
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

	@NestedConfigurationProperty
	private final PublisherProperties publisher = new PublisherProperties();

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

	public PublisherProperties getPublisher() {
		return this.publisher;
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

		/**
		 * For how long Redis may fail a listener before it is down. 0 for not at all.
		 */
		private Duration downAfter = Duration.ofSeconds(5);

		/**
		 * Lag of its group above which a listener is behind, which is no reason to
		 * restart it. Unset for any.
		 */
		private @Nullable Long maxLag;

		/**
		 * Age of the oldest pending entry of its group above which a listener is behind.
		 * Unset for any.
		 */
		private @Nullable Duration maxOldestPending;

		public Duration getMaxPollAge() {
			return this.maxPollAge;
		}

		public void setMaxPollAge(Duration maxPollAge) {
			this.maxPollAge = maxPollAge;
		}

		public Duration getDownAfter() {
			return this.downAfter;
		}

		public void setDownAfter(Duration downAfter) {
			this.downAfter = downAfter;
		}

		public @Nullable Long getMaxLag() {
			return this.maxLag;
		}

		public void setMaxLag(@Nullable Long maxLag) {
			this.maxLag = maxLag;
		}

		public @Nullable Duration getMaxOldestPending() {
			return this.maxOldestPending;
		}

		public void setMaxOldestPending(@Nullable Duration maxOldestPending) {
			this.maxOldestPending = maxOldestPending;
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
		 * How long an entry must have been pending without a sign of life before it may
		 * be claimed. A live process gives one for what it holds three times within it,
		 * so handlers may take longer. At least poll-timeout.
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

		/**
		 * How often an entry is delivered at most before it goes to the dead letters.
		 */
		private @Nullable Integer maxDeliveries;

		/**
		 * What becomes of an entry as it is acknowledged.
		 */
		private @Nullable OnSuccess onSuccess;

		/**
		 * How long a consumer of the group must have been inactive, with nothing pending,
		 * to be removed from it. 0 for never.
		 */
		private @Nullable Duration consumerExpiry;

		/**
		 * After how long with nothing to do the listener publishes a ListenerIdleEvent,
		 * and how often it repeats that. 0 for never.
		 */
		private @Nullable Duration idleEventInterval;

		/**
		 * Name of the FailureHandler bean that decides what becomes of failed entries.
		 * Defaults to the only or the primary FailureHandler bean, if there is one.
		 */
		private @Nullable String failureHandler;

		private final Retry retry = new Retry();

		private final DeadLetter deadLetter = new DeadLetter();

		private final Circuit circuit = new Circuit();

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

		public @Nullable Integer getMaxDeliveries() {
			return this.maxDeliveries;
		}

		public void setMaxDeliveries(@Nullable Integer maxDeliveries) {
			this.maxDeliveries = maxDeliveries;
		}

		public @Nullable OnSuccess getOnSuccess() {
			return this.onSuccess;
		}

		public void setOnSuccess(@Nullable OnSuccess onSuccess) {
			this.onSuccess = onSuccess;
		}

		public @Nullable Duration getConsumerExpiry() {
			return this.consumerExpiry;
		}

		public void setConsumerExpiry(@Nullable Duration consumerExpiry) {
			this.consumerExpiry = consumerExpiry;
		}

		public @Nullable Duration getIdleEventInterval() {
			return this.idleEventInterval;
		}

		public void setIdleEventInterval(@Nullable Duration idleEventInterval) {
			this.idleEventInterval = idleEventInterval;
		}

		public @Nullable String getFailureHandler() {
			return this.failureHandler;
		}

		public void setFailureHandler(@Nullable String failureHandler) {
			this.failureHandler = failureHandler;
		}

		public Retry getRetry() {
			return this.retry;
		}

		public DeadLetter getDeadLetter() {
			return this.deadLetter;
		}

		public Circuit getCircuit() {
			return this.circuit;
		}

		/**
		 * When failed entries are delivered again. What is not set is left to the next
		 * lower level.
		 */
		public static class Retry {

			/**
			 * Delay before the second delivery.
			 */
			private @Nullable Duration initialInterval;

			/**
			 * By how much each delay is longer than the one before.
			 */
			private @Nullable Double multiplier;

			/**
			 * The longest delay.
			 */
			private @Nullable Duration maxInterval;

			/**
			 * By what part of it a delay may be shorter or longer, from 0 to 1.
			 */
			private @Nullable Double jitter;

			/**
			 * Exceptions to retry, wherever they stand among the causes. If there are
			 * any, no others are retried.
			 */
			private @Nullable List<Class<? extends Throwable>> includes;

			/**
			 * Exceptions never to retry, wherever they stand among the causes.
			 */
			private @Nullable List<Class<? extends Throwable>> excludes;

			public @Nullable Duration getInitialInterval() {
				return this.initialInterval;
			}

			public void setInitialInterval(@Nullable Duration initialInterval) {
				this.initialInterval = initialInterval;
			}

			public @Nullable Double getMultiplier() {
				return this.multiplier;
			}

			public void setMultiplier(@Nullable Double multiplier) {
				this.multiplier = multiplier;
			}

			public @Nullable Duration getMaxInterval() {
				return this.maxInterval;
			}

			public void setMaxInterval(@Nullable Duration maxInterval) {
				this.maxInterval = maxInterval;
			}

			public @Nullable Double getJitter() {
				return this.jitter;
			}

			public void setJitter(@Nullable Double jitter) {
				this.jitter = jitter;
			}

			public @Nullable List<Class<? extends Throwable>> getIncludes() {
				return this.includes;
			}

			public void setIncludes(@Nullable List<Class<? extends Throwable>> includes) {
				this.includes = includes;
			}

			public @Nullable List<Class<? extends Throwable>> getExcludes() {
				return this.excludes;
			}

			public void setExcludes(@Nullable List<Class<? extends Throwable>> excludes) {
				this.excludes = excludes;
			}

		}

		/**
		 * Where entries go that are not to be delivered again. What is not set is left to
		 * the next lower level.
		 */
		public static class DeadLetter {

			/**
			 * Whether entries go to a dead-letter stream. Otherwise they are delivered
			 * again for ever.
			 */
			private @Nullable Boolean enabled;

			/**
			 * Key of the dead-letter stream. Defaults to the stream's key in braces, with
			 * :dlq at the end. On a cluster it must be in the stream's slot.
			 */
			private @Nullable String stream;

			/**
			 * About how many entries the dead-letter stream may have, the oldest being
			 * dropped.
			 */
			private @Nullable Long maxLength;

			/**
			 * Whether to keep the stack trace of the exception.
			 */
			private @Nullable Boolean stackTrace;

			public @Nullable Boolean getEnabled() {
				return this.enabled;
			}

			public void setEnabled(@Nullable Boolean enabled) {
				this.enabled = enabled;
			}

			public @Nullable String getStream() {
				return this.stream;
			}

			public void setStream(@Nullable String stream) {
				this.stream = stream;
			}

			public @Nullable Long getMaxLength() {
				return this.maxLength;
			}

			public void setMaxLength(@Nullable Long maxLength) {
				this.maxLength = maxLength;
			}

			public @Nullable Boolean getStackTrace() {
				return this.stackTrace;
			}

			public void setStackTrace(@Nullable Boolean stackTrace) {
				this.stackTrace = stackTrace;
			}

		}

		/**
		 * When the listener is suspended because nearly everything fails. What is not set
		 * is left to the next lower level.
		 */
		public static class Circuit {

			/**
			 * Whether the listener is ever suspended.
			 */
			private @Nullable Boolean enabled;

			/**
			 * How far back handled entries count.
			 */
			private @Nullable Duration window;

			/**
			 * How many entries must have failed within the window.
			 */
			private @Nullable Integer minimumFailures;

			/**
			 * What part of the entries handled within the window must have failed, above
			 * 0 to 1.
			 */
			private @Nullable Double failureRate;

			/**
			 * How long the listener is suspended at first.
			 */
			private @Nullable Duration initialPause;

			/**
			 * How long the listener is suspended at most.
			 */
			private @Nullable Duration maxPause;

			public @Nullable Boolean getEnabled() {
				return this.enabled;
			}

			public void setEnabled(@Nullable Boolean enabled) {
				this.enabled = enabled;
			}

			public @Nullable Duration getWindow() {
				return this.window;
			}

			public void setWindow(@Nullable Duration window) {
				this.window = window;
			}

			public @Nullable Integer getMinimumFailures() {
				return this.minimumFailures;
			}

			public void setMinimumFailures(@Nullable Integer minimumFailures) {
				this.minimumFailures = minimumFailures;
			}

			public @Nullable Double getFailureRate() {
				return this.failureRate;
			}

			public void setFailureRate(@Nullable Double failureRate) {
				this.failureRate = failureRate;
			}

			public @Nullable Duration getInitialPause() {
				return this.initialPause;
			}

			public void setInitialPause(@Nullable Duration initialPause) {
				this.initialPause = initialPause;
			}

			public @Nullable Duration getMaxPause() {
				return this.maxPause;
			}

			public void setMaxPause(@Nullable Duration maxPause) {
				this.maxPause = maxPause;
			}

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
