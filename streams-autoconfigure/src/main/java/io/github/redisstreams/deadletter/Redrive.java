package io.github.redisstreams.deadletter;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

import io.github.redisstreams.redis.EntryId;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.stream.RecordId;

/**
 * Which dead letters to put back into their stream, and how. Immutable.
 *
 * @param ids their ids in the dead-letter stream, in the order in which to put them back;
 * {@code null} to go by the range
 * @param range the range to go through, oldest first, if there are no ids
 * @param maximum the most entries to put back
 * @param rate how many to put back a second, {@link Double#POSITIVE_INFINITY} for as many
 * as go
 * @param dryRun whether to change nothing and only tell what would be done
 * @param maxRedrives an entry that was redriven this often is left where it is
 */
public record Redrive(@Nullable List<RecordId> ids, DeadLetterRange range, long maximum, double rate, boolean dryRun,
		int maxRedrives) {

	/**
	 * Create a new request.
	 * @throws IllegalArgumentException if a number is not positive or an id is no
	 * complete id
	 */
	public Redrive {
		positive(maximum > 0, "maximum", maximum);
		positive(rate > 0, "rate", rate);
		positive(maxRedrives > 0, "maxRedrives", maxRedrives);
		if (ids != null) {
			ids = List.copyOf(new LinkedHashSet<>(ids));
			ids.forEach((id) -> EntryId.parse(id.getValue()));
		}
	}

	private static void positive(boolean positive, String name, Object value) {
		if (!positive) {
			throw new IllegalArgumentException("The " + name + " of a redrive must be greater than 0, not " + value);
		}
	}

	/**
	 * A builder that starts from the defaults: the 1,000 oldest dead letters, as fast as
	 * it goes, but none that was redriven three times.
	 * @return a new builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Collects what a redrive is to do, later values over earlier ones.
	 */
	public static final class Builder {

		private @Nullable List<RecordId> ids;

		private DeadLetterRange range = DeadLetterRange.all();

		private long maximum = 1000;

		private double rate = Double.POSITIVE_INFINITY;

		private boolean dryRun;

		private int maxRedrives = 3;

		private Builder() {
		}

		/**
		 * Put back these dead letters, in this order, rather than a range.
		 * @param ids ids in the dead-letter stream; with none, nothing is put back
		 * @return this builder
		 */
		public Builder ids(RecordId... ids) {
			return ids(List.of(ids));
		}

		/**
		 * Put back these dead letters, in this order, rather than a range.
		 * @param ids ids in the dead-letter stream; with none, nothing is put back
		 * @return this builder
		 */
		public Builder ids(Collection<RecordId> ids) {
			this.ids = List.copyOf(ids);
			return this;
		}

		/**
		 * Put back the dead letters of a range, oldest first. Default: all.
		 * @param range the range, by when they became dead letters
		 * @return this builder
		 */
		public Builder range(DeadLetterRange range) {
			this.ids = null;
			this.range = range;
			return this;
		}

		/**
		 * The most entries to put back. Those that are refused or missing do not count.
		 * Default: 1,000.
		 * @param maximum at least 1
		 * @return this builder
		 */
		public Builder maximum(long maximum) {
			this.maximum = maximum;
			return this;
		}

		/**
		 * How many entries to put back a second. The calling thread waits in between,
		 * Redis does not. Default: no limit.
		 * @param perSecond greater than 0; {@code 0.5} is one in two seconds
		 * @return this builder
		 */
		public Builder rate(double perSecond) {
			this.rate = perSecond;
			return this;
		}

		/**
		 * Whether to change nothing and only tell what would be done. Default:
		 * {@code false}.
		 * @param dryRun whether to change nothing
		 * @return this builder
		 */
		public Builder dryRun(boolean dryRun) {
			this.dryRun = dryRun;
			return this;
		}

		/**
		 * The guard against entries that go round for ever: one that was redriven this
		 * often already, by {@link DeadLetterHeaders#REDRIVES}, stays a dead letter and
		 * is counted as refused. Default: 3.
		 * @param maxRedrives at least 1
		 * @return this builder
		 */
		public Builder maxRedrives(int maxRedrives) {
			this.maxRedrives = maxRedrives;
			return this;
		}

		/**
		 * Make the request final.
		 * @return the request
		 * @throws IllegalArgumentException if a number is not positive or an id is no
		 * complete id
		 */
		public Redrive build() {
			return new Redrive(this.ids, this.range, this.maximum, this.rate, this.dryRun, this.maxRedrives);
		}

	}

}
