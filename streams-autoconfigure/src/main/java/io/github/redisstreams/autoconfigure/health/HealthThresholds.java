package io.github.redisstreams.autoconfigure.health;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.autoconfigure.RedisStreamsProperties;
import io.github.redisstreams.metrics.GroupReading;
import org.jspecify.annotations.Nullable;

/**
 * From when on something is wrong with a listener.
 *
 * @param maxPollAge how long ago its last poll may be
 * @param downAfter for how long Redis may fail it
 * @param maxLag how many entries its group may have still to be given, {@code null} for
 * any
 * @param maxOldestPending how old the oldest pending entry of its group may be,
 * {@code null} for any
 */
record HealthThresholds(Duration maxPollAge, Duration downAfter, @Nullable Long maxLag,
		@Nullable Duration maxOldestPending) {

	/**
	 * The thresholds of the properties.
	 * @throws StreamsConfigurationException if one is negative
	 */
	static HealthThresholds of(RedisStreamsProperties.Health properties) {
		check("max-poll-age", properties.getMaxPollAge());
		check("down-after", properties.getDownAfter());
		check("max-oldest-pending", properties.getMaxOldestPending());
		Long maxLag = properties.getMaxLag();
		check("max-lag", maxLag, maxLag != null && maxLag < 0);
		return new HealthThresholds(properties.getMaxPollAge(), properties.getDownAfter(), properties.getMaxLag(),
				properties.getMaxOldestPending());
	}

	private static void check(String property, @Nullable Duration value) {
		check(property, value, value != null && value.isNegative());
	}

	private static void check(String property, @Nullable Object value, boolean isNegative) {
		if (isNegative) {
			throw new StreamsConfigurationException("Health cannot have a " + property + " of " + value,
					"Set redis.streams.health." + property + " to 0 or more.");
		}
	}

	HealthThresholds withMaxPollAge(Duration maxPollAge) {
		return new HealthThresholds(maxPollAge, this.downAfter, this.maxLag, this.maxOldestPending);
	}

	/**
	 * In which ways a group is behind. What is not known exceeds nothing.
	 */
	List<String> exceededBy(@Nullable GroupReading group) {
		List<String> exceeded = new ArrayList<>();
		if (group == null) {
			return exceeded;
		}
		Long lag = group.lag();
		if (this.maxLag != null && lag != null && lag > this.maxLag) {
			exceeded.add("The lag is " + lag + ", more than " + this.maxLag);
		}
		Duration oldest = group.oldestPending();
		if (this.maxOldestPending != null && oldest != null && oldest.compareTo(this.maxOldestPending) > 0) {
			exceeded.add("The oldest pending entry is " + oldest + " old, more than " + this.maxOldestPending);
		}
		return exceeded;
	}

}
