package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.listener.failure.FailureHandler;
import io.github.redisstreams.listener.failure.RetryOptions;
import io.github.redisstreams.redis.StreamConsumer;
import io.github.redisstreams.redis.StreamKeys;
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
 * @param minIdle how long an entry must have been pending without a sign of life before
 * another consumer may claim it
 * @param claimInterval how often to look for such entries
 * @param maxDeliveries how often an entry is delivered at most before it goes to the dead
 * letters
 * @param ackMode when entries are acknowledged
 * @param onSuccess what becomes of an acknowledged entry
 * @param shutdownTimeout how long to wait at a stop for running handlers
 * @param consumerExpiry how long a consumer of the group must have been inactive, with
 * nothing pending, to be removed; zero for never
 * @param idleEventInterval after how long without anything to do to tell so, and how
 * often; zero for never
 * @param retry when failed entries are delivered again
 * @param deadLetter where entries go that are not to be delivered again
 * @param circuit when the listener is suspended because nearly everything fails
 * @param failureHandler decides what becomes of failed entries instead of the default
 */
public record ListenerOptions(String stream, String group, String consumer, String startFrom, boolean autoStartup,
		int concurrency, int batchSize, Duration pollTimeout, Duration minIdle, Duration claimInterval,
		int maxDeliveries, AckMode ackMode, OnSuccess onSuccess, Duration shutdownTimeout, Duration consumerExpiry,
		Duration idleEventInterval, RetryOptions retry, DeadLetterOptions deadLetter, CircuitOptions circuit,
		@Nullable FailureHandler failureHandler) {

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
	 * Who reads: what Redis knows this listener as.
	 * @return the consumer
	 */
	public StreamConsumer streamConsumer() {
		return new StreamConsumer(this.stream, this.group, this.consumer);
	}

	/**
	 * The key of the dead-letter stream, whether enabled or not.
	 * @return the configured key, or {@code {<stream>}:dlq}
	 */
	public String deadLetterStream() {
		String configured = this.deadLetter.stream();
		return (configured != null) ? configured : StreamKeys.deadLetters(this.stream);
	}

	/**
	 * Whether a new group is given only what is added once it is there.
	 * @return {@code true} with {@code start-from: latest}
	 */
	public boolean startsFromLatest() {
		return this.startFrom.equals(LATEST);
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

		private int maxDeliveries = 5;

		private OnSuccess onSuccess = OnSuccess.KEEP;

		private Duration consumerExpiry = Duration.ofDays(1);

		private Duration idleEventInterval = Duration.ZERO;

		private RetryOptions retry = RetryOptions.DEFAULTS;

		private DeadLetterOptions deadLetter = DeadLetterOptions.DEFAULTS;

		private CircuitOptions circuit = CircuitOptions.DEFAULTS;

		private @Nullable FailureHandler failureHandler;

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
		 * How long an entry must have been pending without a sign of life before it
		 * counts as abandoned. Default: 60 seconds.
		 * @param minIdle at least the poll timeout
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
		 * How often an entry is delivered at most before it goes to the dead letters, by
		 * the server's count. Default: 5.
		 * @param maxDeliveries at least 1
		 * @return this builder
		 */
		public Builder maxDeliveries(int maxDeliveries) {
			this.maxDeliveries = maxDeliveries;
			return this;
		}

		/**
		 * What becomes of an acknowledged entry. Default: {@link OnSuccess#KEEP}.
		 * @param onSuccess whether to keep or to delete it
		 * @return this builder
		 */
		public Builder onSuccess(OnSuccess onSuccess) {
			this.onSuccess = onSuccess;
			return this;
		}

		/**
		 * How long a consumer of the group must have been inactive, with nothing pending,
		 * to be removed from it. Default: 1 day.
		 * @param consumerExpiry zero for never
		 * @return this builder
		 */
		public Builder consumerExpiry(Duration consumerExpiry) {
			this.consumerExpiry = consumerExpiry;
			return this;
		}

		/**
		 * After how long without anything to do the listener says so, and how often it
		 * repeats that ({@link ContainerEvents#idle}). It looks once every poll, so it
		 * may be later by up to {@code pollTimeout}. Default: 0.
		 * @param idleEventInterval zero for never
		 * @return this builder
		 */
		public Builder idleEventInterval(Duration idleEventInterval) {
			this.idleEventInterval = idleEventInterval;
			return this;
		}

		/**
		 * Change when failed entries are delivered again.
		 * @param change sets what is to differ
		 * @return this builder
		 */
		public Builder retry(Consumer<RetryOptions.Builder> change) {
			RetryOptions.Builder builder = this.retry.mutate();
			change.accept(builder);
			this.retry = builder.build();
			return this;
		}

		/**
		 * Change where entries go that are not to be delivered again.
		 * @param change sets what is to differ
		 * @return this builder
		 */
		public Builder deadLetter(Consumer<DeadLetterOptions.Builder> change) {
			DeadLetterOptions.Builder builder = this.deadLetter.mutate();
			change.accept(builder);
			this.deadLetter = builder.build();
			return this;
		}

		/**
		 * Change when the listener is suspended because nearly everything fails.
		 * @param change sets what is to differ
		 * @return this builder
		 */
		public Builder circuit(Consumer<CircuitOptions.Builder> change) {
			CircuitOptions.Builder builder = this.circuit.mutate();
			change.accept(builder);
			this.circuit = builder.build();
			return this;
		}

		/**
		 * Who decides what becomes of failed entries. Default: nobody, so that the other
		 * options do.
		 * @param failureHandler decides
		 * @return this builder
		 */
		public Builder failureHandler(FailureHandler failureHandler) {
			this.failureHandler = failureHandler;
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
			checks.check(this.maxDeliveries >= 1, "max-deliveries", this.maxDeliveries, "1 or more");
			checks.check(!this.consumerExpiry.isNegative(), "consumer-expiry", this.consumerExpiry,
					"0 (for never) or more");
			checks.check(!this.idleEventInterval.isNegative(), "idle-event-interval", this.idleEventInterval,
					"0 (for never) or more");
			check(checks, this.retry);
			check(checks, this.circuit);
			checks.check(this.deadLetter.maxLength() >= 1, "dead-letter.max-length", this.deadLetter.maxLength(),
					"1 or more");
			checks.check(!this.deadLetter.enabled() || !stream.equals(this.deadLetter.stream()), "dead-letter.stream",
					stream, "another key than that of the stream itself");
			return new ListenerOptions(stream, group, consumer, this.startFrom, this.autoStartup, this.concurrency,
					this.batchSize, this.pollTimeout, this.minIdle, claimInterval, this.maxDeliveries, this.ackMode,
					this.onSuccess, this.shutdownTimeout, this.consumerExpiry, this.idleEventInterval, this.retry,
					this.deadLetter, this.circuit, this.failureHandler);
		}

		private static void check(Checks checks, RetryOptions retry) {
			checks.check(!retry.initialInterval().isNegative(), "retry.initial-interval", retry.initialInterval(),
					"0 or more");
			checks.check(retry.multiplier() >= 1, "retry.multiplier", retry.multiplier(), "1 or more");
			checks.check(retry.maxInterval().compareTo(retry.initialInterval()) >= 0, "retry.max-interval",
					retry.maxInterval(),
					"at least as long as retry.initial-interval, which is " + Checks.text(retry.initialInterval()));
			checks.check(retry.jitter() >= 0 && retry.jitter() <= 1, "retry.jitter", retry.jitter(),
					"a number from 0 to 1");
		}

		private static void check(Checks checks, CircuitOptions circuit) {
			checks.check(circuit.window().toMillis() >= 1, "circuit.window", circuit.window(), "1ms or more");
			checks.check(circuit.minimumFailures() >= 1, "circuit.minimum-failures", circuit.minimumFailures(),
					"1 or more");
			checks.check(circuit.failureRate() > 0 && circuit.failureRate() <= 1, "circuit.failure-rate",
					circuit.failureRate(), "a number above 0, at most 1");
			checks.check(circuit.initialPause().toMillis() >= 1, "circuit.initial-pause", circuit.initialPause(),
					"1ms or more");
			checks.check(circuit.maxPause().compareTo(circuit.initialPause()) >= 0, "circuit.max-pause",
					circuit.maxPause(),
					"at least as long as circuit.initial-pause, which is " + Checks.text(circuit.initialPause()));
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

		private static final Set<String> WITHOUT_ATTRIBUTE = Set.of("consumer-expiry", "idle-event-interval");

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
						"Set " + ownProperty(property) + (isAttribute(property) ? ", " : " or ")
								+ "redis.streams.listener." + property
								+ (isAttribute(property) ? " or the annotation's attribute to " : " to ") + allowed
								+ ".");
			}
		}

		private static boolean isAttribute(String property) {
			return property.equals("dead-letter.stream")
					|| !(property.contains(".") || WITHOUT_ATTRIBUTE.contains(property));
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
