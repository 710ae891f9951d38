package io.github.redisstreams.benchmarks.sender;

import io.github.redisstreams.benchmarks.harness.JvmUsage;

/**
 * How a sender did a job.
 *
 * @param seconds until all replies were there
 * @param usage what its JVM used meanwhile
 */
public record SendResult(double seconds, JvmUsage usage) {
}
