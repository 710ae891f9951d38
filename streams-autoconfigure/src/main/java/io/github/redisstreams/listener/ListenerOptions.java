package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.regex.Pattern;

import io.github.redisstreams.StreamsConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * How one listener reads its stream. Immutable; made with {@link #builder()}.
 *
 * @param stream the stream's key
 * @param group the consumer group, created at startup where it is missing
 * @param consumer the name of this instance within the group
 * @param startFrom where a new group starts: {@code earliest}, {@code latest}, or the
 * entry id after which it starts
 * @param autoStartup whether the listener starts with the application
 * @param concurrency how many handlers run at once
 * @param batchSize the most entries that one read may fetch
 * @param pollTimeout how long one read waits for entries ({@code BLOCK})
 * @param minIdle how long an entry must have been pending before another consumer may
 * claim it
 * @param claimInterval how often to look for such entries
 * @param ackMode when entries are acknowledged
 * @param shutdownTimeout how long to wait at a stop for running handlers
 */
public record ListenerOptions(String stream, String group, String consumer, String startFrom, boolean autoStartup,
		int concurrency, int batchSize, Duration pollTimeout, Duration minIdle, Duration claimInterval, AckMode ackMode,
		Duration shutdownTimeout) {

	/**
	 * The {@code startFrom} of a group that is to be given the whole stream.
	 */
	public static final String EARLIEST = "earliest";

	/**
	 * The {@code startFrom} of a group that is to be given new entries only.
	 */
	public static final String LATEST = "latest";

	/**
	 * A builder with the documented defaults.
	 * @return a new builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * The id to create the group at.
	 */
	String groupStart() {
		return switch (this.startFrom) {
			case EARLIEST -> "0";
			case LATEST -> "$";
			default -> this.startFrom;
		};
	}

	/**
	 * Collects options, later values over earlier ones, and checks them together at the
	 * end. Setters change nothing else, so layers of configuration can be applied one
	 * after the other.
	 */
	public static final class Builder {

		private static final Pattern ENTRY_ID = Pattern.compile("\\d+(-\\d+)?");

		private static final Duration SHORTEST_CLAIM_INTERVAL = Duration.ofMillis(100);

		private static final Duration LONGEST_CLAIM_INTERVAL = Duration.ofSeconds(5);

		private @Nullable String stream;

		private @Nullable String group;

		private @Nullable String consumer;

		private String startFrom = EARLIEST;

		private boolean autoStartup = true;

		private int concurrency = 1;

		private int batchSize = 100;

		private Duration pollTimeout = Duration.ofSeconds(2);

		private Duration minIdle = Duration.ofSeconds(60);

		private @Nullable Duration claimInterval;

		private AckMode ackMode = AckMode.ON_SUCCESS;

		private Duration shutdownTimeout = Duration.ofSeconds(20);

		private Builder() {
		}

		/**
		 * The stream's key. Required.
		 * @param stream the key
		 * @return this builder
		 */
		public Builder stream(String stream) {
			this.stream = stream;
			return this;
		}

		/**
		 * The consumer group. Required.
		 * @param group the group's name
		 * @return this builder
		 */
		public Builder group(String group) {
			this.group = group;
			return this;
		}

		/**
		 * The name of this instance within the group. Required. Must be stable, so that a
		 * restarted process finds its unfinished entries, and no two live processes may
		 * share one.
		 * @param consumer the consumer's name
		 * @return this builder
		 */
		public Builder consumer(String consumer) {
			this.consumer = consumer;
			return this;
		}

		/**
		 * Where a group that does not exist yet starts. Default: {@code earliest}.
		 * @param startFrom {@code earliest}, {@code latest}, or the id of the entry after
		 * which to start
		 * @return this builder
		 */
		public Builder startFrom(String startFrom) {
			this.startFrom = startFrom;
			return this;
		}

		/**
		 * Whether the listener starts with the application. Default: {@code true}.
		 * @param autoStartup whether to start
		 * @return this builder
		 */
		public Builder autoStartup(boolean autoStartup) {
			this.autoStartup = autoStartup;
			return this;
		}

		/**
		 * How many handlers run at once. Default: 1.
		 * @param concurrency at least 1
		 * @return this builder
		 */
		public Builder concurrency(int concurrency) {
			this.concurrency = concurrency;
			return this;
		}

		/**
		 * The most entries that one read may fetch. Default: 100.
		 * @param batchSize at least 1
		 * @return this builder
		 */
		public Builder batchSize(int batchSize) {
			this.batchSize = batchSize;
			return this;
		}

		/**
		 * How long one read waits for entries. Default: 2 seconds.
		 * @param pollTimeout between 1 ms and 1 minute
		 * @return this builder
		 */
		public Builder pollTimeout(Duration pollTimeout) {
			this.pollTimeout = pollTimeout;
			return this;
		}

		/**
		 * How long an entry must have been pending before it counts as abandoned.
		 * Default: 60 seconds.
		 * @param minIdle longer than the poll timeout
		 * @return this builder
		 */
		public Builder minIdle(Duration minIdle) {
			this.minIdle = minIdle;
			return this;
		}

		/**
		 * How often to look for abandoned entries. Default: a tenth of {@code minIdle},
		 * between 100 ms and 5 seconds.
		 * @param claimInterval a positive duration
		 * @return this builder
		 */
		public Builder claimInterval(Duration claimInterval) {
			this.claimInterval = claimInterval;
			return this;
		}

		/**
		 * When entries are acknowledged. Default: {@link AckMode#ON_SUCCESS}.
		 * @param ackMode the mode
		 * @return this builder
		 */
		public Builder ackMode(AckMode ackMode) {
			this.ackMode = ackMode;
			return this;
		}

		/**
		 * How long a stop waits for running handlers. Default: 20 seconds.
		 * @param shutdownTimeout zero or more
		 * @return this builder
		 */
		public Builder shutdownTimeout(Duration shutdownTimeout) {
			this.shutdownTimeout = shutdownTimeout;
			return this;
		}

		/**
		 * Check the options and make them final.
		 * @param id the listener's id, under which errors say to set a property
		 * @param source where the listener comes from, such as its method
		 * @return the options
		 * @throws StreamsConfigurationException if they cannot work
		 */
		public ListenerOptions build(String id, String source) {
			Checks checks = new Checks(id, source);
			String stream = checks.required("stream", this.stream);
			String group = checks.required("group", this.group);
			String consumer = checks.required("consumer", this.consumer);
			checks.check(
					this.startFrom.equals(EARLIEST) || this.startFrom.equals(LATEST)
							|| ENTRY_ID.matcher(this.startFrom).matches(),
					"start-from", this.startFrom, "'earliest', 'latest' or an entry id such as 1700000000000-0");
			checks.check(this.concurrency >= 1, "concurrency", this.concurrency, "1 or more");
			checks.check(this.batchSize >= 1, "batch-size", this.batchSize, "1 or more");
			checks.check(this.pollTimeout.toMillis() >= 1 && this.pollTimeout.compareTo(Duration.ofMinutes(1)) <= 0,
					"poll-timeout", this.pollTimeout, "between 1ms and 1m");
			checks.check(this.minIdle.compareTo(this.pollTimeout) >= 0, "min-idle", this.minIdle,
					"at least as long as poll-timeout, which is " + Checks.text(this.pollTimeout));
			Duration claimInterval = (this.claimInterval != null) ? this.claimInterval : defaultClaimInterval();
			checks.check(claimInterval.toMillis() >= 1, "claim-interval", claimInterval, "1ms or more");
			checks.check(!this.shutdownTimeout.isNegative(), "shutdown-timeout", this.shutdownTimeout, "0 or more");
			return new ListenerOptions(stream, group, consumer, this.startFrom, this.autoStartup, this.concurrency,
					this.batchSize, this.pollTimeout, this.minIdle, claimInterval, this.ackMode, this.shutdownTimeout);
		}

		private Duration defaultClaimInterval() {
			Duration interval = this.minIdle.dividedBy(10);
			if (interval.compareTo(SHORTEST_CLAIM_INTERVAL) < 0) {
				return SHORTEST_CLAIM_INTERVAL;
			}
			return (interval.compareTo(LONGEST_CLAIM_INTERVAL) > 0) ? LONGEST_CLAIM_INTERVAL : interval;
		}

	}

	/**
	 * Says what is wrong with the options of one listener.
	 */
	private record Checks(String id, String source) {

		String required(String property, @Nullable String value) {
			if (value == null || value.isBlank()) {
				String otherwise = property.equals("group")
						? ", or give the application a name with spring.application.name, which is the default group."
						: ".";
				throw new StreamsConfigurationException(
						"Listener '" + this.id + "' (" + this.source + ") has no " + property,
						"Set " + ownProperty(property) + " or the annotation's attribute" + otherwise);
			}
			return value;
		}

		void check(boolean valid, String property, Object value, String allowed) {
			if (!valid) {
				throw new StreamsConfigurationException(
						"Listener '" + this.id + "' (" + this.source + ") cannot work with the " + property + " "
								+ text(value),
						"Set " + ownProperty(property) + ", redis.streams.listener." + property
								+ " or the annotation's attribute to " + allowed + ".");
			}
		}

		// As it must be written to be bound: a name with a colon, say, stands in brackets
		private String ownProperty(String property) {
			String name = this.id.matches("[\\w-]+") ? "." + this.id : "[" + this.id + "]";
			return "redis.streams.listeners" + name + "." + property;
		}

		static String text(Object value) {
			return (value instanceof Duration duration) ? duration.toMillis() + "ms" : "'" + value + "'";
		}

	}

}
