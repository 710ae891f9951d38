package io.github.redisstreams.benchmarks.contestant;

import io.github.redisstreams.benchmarks.harness.JvmUsage;

/**
 * How a contestant did a job.
 *
 * @param seconds from the start until the last entry was handled
 * @param usage what its JVM used meanwhile; of threads, how many it has added since
 * before it connected
 * @param latencyMicros from when an entry was written to when its handler started, p50,
 * p99, p99.9 and the longest
 * @param shares how many entries each instance handled
 */
public record Result(double seconds, JvmUsage usage, double[] latencyMicros, long[] shares) {
}
