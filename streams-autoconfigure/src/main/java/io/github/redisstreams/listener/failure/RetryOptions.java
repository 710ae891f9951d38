package io.github.redisstreams.listener.failure;

import java.time.Duration;
import java.util.List;

/**
 * When a failed entry is delivered again: after an interval that grows with each attempt.
 *
 * @param initialInterval the delay before the second delivery
 * @param multiplier by how much each delay is longer than the one before
 * @param maxInterval the longest delay
 * @param jitter by what part of it a delay may be shorter or longer, from 0 to 1
 * @param includes exceptions to retry; if there are any, no others are
 * @param excludes exceptions never to retry, even if included
 */
public record RetryOptions(Duration initialInterval, double multiplier, Duration maxInterval, double jitter,
		List<Class<? extends Throwable>> includes, List<Class<? extends Throwable>> excludes) {

	/**
	 * The documented defaults: after 1, 2, 4 ... seconds, a fifth more or less, at most a
	 * minute; every exception but those that cannot go away.
	 */
	public static final RetryOptions DEFAULTS = new RetryOptions(Duration.ofSeconds(1), 2, Duration.ofMinutes(1), 0.2,
			List.of(), List.of());

	public RetryOptions {
		includes = List.copyOf(includes);
		excludes = List.copyOf(excludes);
	}

	/**
	 * The delay before the next delivery.
	 * @param deliveries how often the entry has been delivered, at least once
	 * @param random a number from 0 to 1, which jitter depends on
	 * @return the delay
	 */
	Duration delay(long deliveries, double random) {
		double longest = this.maxInterval.toMillis();
		double middle = this.initialInterval.toMillis() * Math.pow(this.multiplier, Math.max(0, deliveries - 1));
		middle = Math.min(middle, longest);
		double from = middle * (1 - this.jitter);
		// Spread below the longest delay, not cut off at it: that would be no spread
		double to = Math.min(middle * (1 + this.jitter), longest);
		return Duration.ofMillis(Math.round(from + (to - from) * random));
	}

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

		private Duration initialInterval;

		private double multiplier;

		private Duration maxInterval;

		private double jitter;

		private List<Class<? extends Throwable>> includes;

		private List<Class<? extends Throwable>> excludes;

		private Builder(RetryOptions options) {
			this.initialInterval = options.initialInterval;
			this.multiplier = options.multiplier;
			this.maxInterval = options.maxInterval;
			this.jitter = options.jitter;
			this.includes = options.includes;
			this.excludes = options.excludes;
		}

		/**
		 * The delay before the second delivery. Default: 1 second.
		 * @param initialInterval zero or more
		 * @return this builder
		 */
		public Builder initialInterval(Duration initialInterval) {
			this.initialInterval = initialInterval;
			return this;
		}

		/**
		 * By how much each delay is longer than the one before. Default: 2.
		 * @param multiplier at least 1
		 * @return this builder
		 */
		public Builder multiplier(double multiplier) {
			this.multiplier = multiplier;
			return this;
		}

		/**
		 * The longest delay. Default: 1 minute.
		 * @param maxInterval at least the initial interval
		 * @return this builder
		 */
		public Builder maxInterval(Duration maxInterval) {
			this.maxInterval = maxInterval;
			return this;
		}

		/**
		 * By what part of it a delay may be shorter or longer. Default: 0.2.
		 * @param jitter from 0 to 1
		 * @return this builder
		 */
		public Builder jitter(double jitter) {
			this.jitter = jitter;
			return this;
		}

		/**
		 * Exceptions to retry, subclasses too, wherever they stand among the causes. If
		 * there are any, no others are retried, and these are even if they would count as
		 * fatal. Default: none.
		 * @param includes the exceptions
		 * @return this builder
		 */
		public Builder includes(List<Class<? extends Throwable>> includes) {
			this.includes = includes;
			return this;
		}

		/**
		 * Exceptions never to retry, subclasses too, wherever they stand among the
		 * causes. Default: none.
		 * @param excludes the exceptions
		 * @return this builder
		 */
		public Builder excludes(List<Class<? extends Throwable>> excludes) {
			this.excludes = excludes;
			return this;
		}

		/**
		 * Make the options final.
		 * @return the options
		 */
		public RetryOptions build() {
			return new RetryOptions(this.initialInterval, this.multiplier, this.maxInterval, this.jitter, this.includes,
					this.excludes);
		}

	}

}
