package io.github.redisstreams.listener;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * How a container is.
 *
 * @param state what it is doing
 * @param lastPoll when its loop last went round without a failure, waiting for room or
 * entries included; {@code null} if never
 * @param lastError what the last failure in Redis was, of reading, acknowledging, dead
 * letters, retries or leases, while that still fails; {@code null} if all is well
 * @param consumerShared whether another live process reads under the same consumer name,
 * which makes both take up what the other is working on
 * @param failingSince since when something in Redis has failed without interruption;
 * {@code null} if all is well
 */
public record ContainerStatus(ContainerState state, @Nullable Instant lastPoll, @Nullable String lastError,
		boolean consumerShared, @Nullable Instant failingSince) {

}
