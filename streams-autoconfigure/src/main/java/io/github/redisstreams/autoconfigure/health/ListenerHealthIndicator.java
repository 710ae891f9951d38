package io.github.redisstreams.autoconfigure.health;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.redisstreams.listener.ContainerState;
import io.github.redisstreams.listener.ContainerStatus;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.metrics.GroupReading;
import io.github.redisstreams.metrics.StreamSampler;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Health of one listener, from what its container knows and what was last read of its
 * group; asks Redis nothing. How much waits in the stream never makes it down.
 */
final class ListenerHealthIndicator implements HealthIndicator {

	/**
	 * Of a listener that is well, and whose group has more to do than is wanted.
	 */
	static final Status BEHIND = new Status("BEHIND");

	/**
	 * Of a {@code BLOCK}, which the server may stretch, and of other commands on the way
	 * round.
	 */
	private static final int POLL_TIMEOUTS = 3;

	private final StreamListenerContainer container;

	private final StreamSampler sampler;

	private final HealthThresholds thresholds;

	ListenerHealthIndicator(StreamListenerContainer container, StreamSampler sampler, HealthThresholds thresholds) {
		this.container = container;
		this.sampler = sampler;
		Duration shortest = container.getOptions().pollTimeout().multipliedBy(POLL_TIMEOUTS);
		this.thresholds = thresholds.withMaxPollAge(longer(thresholds.maxPollAge(), shortest));
	}

	private static Duration longer(Duration first, Duration second) {
		return (first.compareTo(second) < 0) ? second : first;
	}

	@Override
	public Health health() {
		ListenerOptions options = this.container.getOptions();
		return health(this.container.getStatus(), this.sampler.group(options.stream(), options.group()), Instant.now())
			.withDetail("stream", options.stream())
			.withDetail("group", options.group())
			.withDetail("consumer", options.consumer())
			.withDetail("inFlight", this.container.getInFlight())
			.build();
	}

	Health.Builder health(ContainerStatus status, @Nullable GroupReading group, Instant now) {
		Health.Builder health = new Health.Builder();
		health.withDetail("state", status.state().name());
		Duration pollAge = age(status.lastPoll(), now);
		if (pollAge != null) {
			health.withDetail("lastPollAge", pollAge.toString());
		}
		if (group != null) {
			addDetails(health, group);
		}
		String error = status.lastError();
		boolean stuck = status.state() == ContainerState.POLLING && pollAge != null
				&& pollAge.compareTo(this.thresholds.maxPollAge()) > 0;
		if (error == null && stuck) {
			error = "The last poll is longer ago than " + this.thresholds.maxPollAge();
		}
		if (error != null) {
			health.withDetail("lastError", error);
		}
		List<String> behind = this.thresholds.exceededBy(group);
		if (!behind.isEmpty()) {
			health.withDetail("behind", behind);
		}
		health.withDetail("consumerShared", status.consumerShared());
		boolean down = stuck || isDown(status, now);
		return health.status(down ? Status.DOWN : status(status.state(), !behind.isEmpty()));
	}

	private static void addDetails(Health.Builder health, GroupReading group) {
		if (group.lag() != null) {
			health.withDetail("lag", group.lag());
			// Else it would have to be explained to all who never see it
			if (group.lagBounded()) {
				health.withDetail("lagBounded", true);
			}
		}
		health.withDetail("pending", group.pending());
		if (group.oldestPending() != null && group.pending() > 0) {
			health.withDetail("oldestPendingAge", group.oldestPending().toString());
		}
	}

	// What mends itself within moments is no reason to wake anybody
	private boolean isDown(ContainerStatus status, Instant now) {
		if (status.state() == ContainerState.FAILED) {
			return true;
		}
		boolean failing = status.lastError() != null || status.state() == ContainerState.BACKING_OFF
				|| status.state() == ContainerState.RECREATING;
		Duration failingFor = age(status.failingSince(), now);
		return failing && (failingFor == null || failingFor.compareTo(this.thresholds.downAfter()) >= 0);
	}

	private static Status status(ContainerState state, boolean behind) {
		if (state == ContainerState.SUSPENDED) {
			return Status.OUT_OF_SERVICE;
		}
		return behind ? BEHIND : Status.UP;
	}

	private static @Nullable Duration age(@Nullable Instant time, Instant now) {
		if (time == null) {
			return null;
		}
		Duration age = Duration.between(time, now);
		return Duration.ofMillis(Math.max(0, age.toMillis()));
	}

}
