/**
 * The ways to send that are compared, each in a process of its own.
 */
@NullMarked
package io.github.redisstreams.benchmarks.sender;

import org.jspecify.annotations.NullMarked;
