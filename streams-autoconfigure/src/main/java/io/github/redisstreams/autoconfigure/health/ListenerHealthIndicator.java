package io.github.redisstreams.autoconfigure.health;

import java.time.Duration;
import java.time.Instant;

import io.github.redisstreams.listener.ContainerState;
import io.github.redisstreams.listener.ContainerStatus;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Health of one listener, from what its container knows; asks Redis nothing. How much
 * waits in the stream plays no part.
 */
final class ListenerHealthIndicator implements HealthIndicator {

	/**
	 * Of a {@code BLOCK}, which the server may stretch, and of other commands on the way
	 * round.
	 */
	private static final int POLL_TIMEOUTS = 3;

	private final StreamListenerContainer container;

	private final Duration maxPollAge;

	ListenerHealthIndicator(StreamListenerContainer container, Duration maxPollAge) {
		this.container = container;
		Duration shortest = container.getOptions().pollTimeout().multipliedBy(POLL_TIMEOUTS);
		this.maxPollAge = (maxPollAge.compareTo(shortest) < 0) ? shortest : maxPollAge;
	}

	@Override
	public Health health() {
		ListenerOptions options = this.container.getOptions();
		return health(this.container.getStatus(), Instant.now()).withDetail("stream", options.stream())
			.withDetail("group", options.group())
			.withDetail("consumer", options.consumer())
			.withDetail("inFlight", this.container.getInFlight())
			.build();
	}

	Health.Builder health(ContainerStatus status, Instant now) {
		Duration pollAge = age(status.lastPoll(), now);
		String error = status.lastError();
		boolean stuck = status.state() == ContainerState.POLLING && pollAge != null
				&& pollAge.compareTo(this.maxPollAge) > 0;
		if (error == null && stuck) {
			error = "The last poll is longer ago than " + this.maxPollAge;
		}
		Health.Builder health = new Health.Builder((error != null) ? Status.DOWN : status(status.state()));
		health.withDetail("state", status.state().name());
		if (pollAge != null) {
			health.withDetail("lastPollAge", pollAge.toString());
		}
		if (error != null) {
			health.withDetail("lastError", error);
		}
		return health.withDetail("consumerShared", status.consumerShared());
	}

	private static Status status(ContainerState state) {
		return switch (state) {
			case BACKING_OFF, RECREATING, FAILED -> Status.DOWN;
			case SUSPENDED -> Status.OUT_OF_SERVICE;
			case STOPPED, STARTING, POLLING, PAUSED -> Status.UP;
		};
	}

	private static @Nullable Duration age(@Nullable Instant time, Instant now) {
		if (time == null) {
			return null;
		}
		Duration age = Duration.between(time, now);
		return Duration.ofMillis(Math.max(0, age.toMillis()));
	}

}
