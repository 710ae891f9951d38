package io.github.redisstreams.publish;

import java.time.Duration;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.TrimMode;
import io.github.redisstreams.redis.Trimming;

/**
 * How to write to a stream.
 *
 * @param trimming how to keep it from growing without end
 * @param tracking whether the server is to keep a record of each entry as a task
 * @param taskRetention for how long to keep the record of a task that is done, where
 * {@code tracking} is on, at least a millisecond
 * @param durability where an entry is to be before it counts as sent
 */
public record PublisherOptions(Trimming trimming, boolean tracking, Duration taskRetention, Durability durability) {

	/**
	 * About 10,000 entries, but whatever is unfinished; no records of tasks; in the
	 * memory of the master.
	 */
	public static final PublisherOptions DEFAULTS = new PublisherOptions(
			new Trimming(TrimMode.FINISHED, 10_000, Duration.ZERO), false, Duration.ofDays(1), Durability.NONE);

	/**
	 * Check that the options can work.
	 * @param property the name of the property that an option comes from, begins with
	 * this
	 * @return the options
	 * @throws StreamsConfigurationException if they cannot
	 */
	public PublisherOptions check(String property) {
		require(this.trimming.maxLength() >= 0, property + "max-length", this.trimming.maxLength(),
				"a number of entries, or to 0 for no such bound");
		require(this.trimming.retention().isZero() || this.trimming.retention().toMillis() >= 1, property + "retention",
				this.trimming.retention(), "1ms or more, such as 7d, or to 0 to keep entries however old they are");
		require(this.taskRetention.toMillis() >= 1, property + "tracking.retention", this.taskRetention,
				"1ms or more, such as 1d");
		require(this.durability.replicas() >= 0, property + "durability.replicas", this.durability.replicas(),
				"a number of replicas, or to 0 to wait for none");
		// WAIT 0 would wait for ever
		require(this.durability.timeout().toMillis() >= 1, property + "durability.timeout", this.durability.timeout(),
				"1ms or more, such as 1s");
		return this;
	}

	private static void require(boolean condition, String property, Object value, String mend) {
		if (!condition) {
			throw new StreamsConfigurationException("The property " + property + " is " + value,
					"Set " + property + " to " + mend + ".");
		}
	}

}
