package io.github.redisstreams.listener;

import java.time.Duration;

/**
 * When a listener is suspended because nearly everything it handles fails, as when a
 * database is down: rather than emptying the stream into the dead letters it waits, tries
 * one entry, and waits again. Failures that trying again cannot mend do not count.
 *
 * @param enabled whether it ever is
 * @param window how far back handlings count
 * @param minimumFailures how many of them must have failed
 * @param failureRate what part of them must have failed, above 0 to 1
 * @param initialPause how long it is suspended at first
 * @param maxPause how long it is suspended at most, the pause being doubled each time
 */
public record CircuitOptions(boolean enabled, Duration window, int minimumFailures, double failureRate,
		Duration initialPause, Duration maxPause) {

	/**
	 * The documented defaults: 20 failures, nine in ten handlings, within 10 seconds; a
	 * second at first, a minute at most.
	 */
	public static final CircuitOptions DEFAULTS = new CircuitOptions(true, Duration.ofSeconds(10), 20, 0.9,
			Duration.ofSeconds(1), Duration.ofMinutes(1));

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

		private Duration window;

		private int minimumFailures;

		private double failureRate;

		private Duration initialPause;

		private Duration maxPause;

		private Builder(CircuitOptions options) {
			this.enabled = options.enabled;
			this.window = options.window;
			this.minimumFailures = options.minimumFailures;
			this.failureRate = options.failureRate;
			this.initialPause = options.initialPause;
			this.maxPause = options.maxPause;
		}

		/**
		 * Whether the listener is ever suspended. Default: {@code true}.
		 * @param enabled whether it is
		 * @return this builder
		 */
		public Builder enabled(boolean enabled) {
			this.enabled = enabled;
			return this;
		}

		/**
		 * How far back handlings count. Default: 10 seconds.
		 * @param window a positive duration
		 * @return this builder
		 */
		public Builder window(Duration window) {
			this.window = window;
			return this;
		}

		/**
		 * How many entries must have failed within the window. Default: 20.
		 * @param minimumFailures at least 1
		 * @return this builder
		 */
		public Builder minimumFailures(int minimumFailures) {
			this.minimumFailures = minimumFailures;
			return this;
		}

		/**
		 * What part of the entries handled within the window must have failed. Default:
		 * 0.9.
		 * @param failureRate above 0, at most 1
		 * @return this builder
		 */
		public Builder failureRate(double failureRate) {
			this.failureRate = failureRate;
			return this;
		}

		/**
		 * How long the listener is suspended at first. Default: 1 second.
		 * @param initialPause a positive duration
		 * @return this builder
		 */
		public Builder initialPause(Duration initialPause) {
			this.initialPause = initialPause;
			return this;
		}

		/**
		 * How long the listener is suspended at most. Default: 1 minute.
		 * @param maxPause at least the initial pause
		 * @return this builder
		 */
		public Builder maxPause(Duration maxPause) {
			this.maxPause = maxPause;
			return this;
		}

		/**
		 * Make the options final.
		 * @return the options
		 */
		public CircuitOptions build() {
			return new CircuitOptions(this.enabled, this.window, this.minimumFailures, this.failureRate,
					this.initialPause, this.maxPause);
		}

	}

}
