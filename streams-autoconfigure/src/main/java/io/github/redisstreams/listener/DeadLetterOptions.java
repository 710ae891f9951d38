package io.github.redisstreams.listener;

import org.jspecify.annotations.Nullable;

/**
 * Where entries go that are not to be delivered again.
 *
 * @param enabled whether they go anywhere; otherwise they are delivered again for ever
 * @param stream the key of the dead-letter stream; {@code null} for the default,
 * {@code {<stream>}:dlq}
 * @param maxLength about how many entries it may have, the oldest being dropped
 * @param stackTrace whether to keep the stack trace of the exception
 */
public record DeadLetterOptions(boolean enabled, @Nullable String stream, long maxLength, boolean stackTrace) {

	/**
	 * The documented defaults.
	 */
	public static final DeadLetterOptions DEFAULTS = new DeadLetterOptions(true, null, 100_000, true);

	/**
	 * A builder that starts from these options.
	 * @return a new builder
	 */
	public Builder mutate() {
		return new Builder(this);
	}

	/**
	 * Collects options, later values over earlier ones.
	 */
	public static final class Builder {

		private boolean enabled;

		private @Nullable String stream;

		private long maxLength;

		private boolean stackTrace;

		private Builder(DeadLetterOptions options) {
			this.enabled = options.enabled;
			this.stream = options.stream;
			this.maxLength = options.maxLength;
			this.stackTrace = options.stackTrace;
		}

		/**
		 * Whether entries go to a dead-letter stream. Default: {@code true}. Otherwise
		 * they are delivered again for ever, at the longest retry interval.
		 * @param enabled whether they do
		 * @return this builder
		 */
		public Builder enabled(boolean enabled) {
			this.enabled = enabled;
			return this;
		}

		/**
		 * The key of the dead-letter stream. Default: {@code {<stream>}:dlq}. On a
		 * cluster it must be in the slot of the stream.
		 * @param stream the key; empty for the default
		 * @return this builder
		 */
		public Builder stream(String stream) {
			this.stream = stream.isEmpty() ? null : stream;
			return this;
		}

		/**
		 * About how many entries the dead-letter stream may have: {@code MAXLEN ~}. What
		 * is dropped is counted and logged. Default: 100,000.
		 * @param maxLength at least 1
		 * @return this builder
		 */
		public Builder maxLength(long maxLength) {
			this.maxLength = maxLength;
			return this;
		}

		/**
		 * Whether to keep the stack trace, cut at a few thousand characters. Default:
		 * {@code true}.
		 * @param stackTrace whether to keep it
		 * @return this builder
		 */
		public Builder stackTrace(boolean stackTrace) {
			this.stackTrace = stackTrace;
			return this;
		}

		/**
		 * Make the options final.
		 * @return the options
		 */
		public DeadLetterOptions build() {
			return new DeadLetterOptions(this.enabled, this.stream, this.maxLength, this.stackTrace);
		}

	}

}
