package io.github.redisstreams.redis;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.stream.RecordId;

/**
 * What the server knows about a task. Times are by its clock.
 *
 * @param id the task's id
 * @param state what has become of it
 * @param entry the id of its entry, {@code null} while it is scheduled
 * @param attempts how often it was delivered to a handler
 * @param scheduledFor when it is or was due, {@code null} if it was not scheduled
 * @param queued when it was added to its stream
 * @param started when a handler began with it last
 * @param finished when it was completed, failed for good or became a dead letter
 * @param consumer the consumer whose handler began with it last
 * @param error what its handler failed with last
 */
public record StreamTask(String id, TaskState state, @Nullable RecordId entry, long attempts,
		@Nullable Instant scheduledFor, @Nullable Instant queued, @Nullable Instant started, @Nullable Instant finished,
		@Nullable String consumer, @Nullable String error) {

}
