/**
 * The ways to consume a stream that are compared, each in a process of its own.
 */
@NullMarked
package io.github.redisstreams.benchmarks.contestant;

import org.jspecify.annotations.NullMarked;
