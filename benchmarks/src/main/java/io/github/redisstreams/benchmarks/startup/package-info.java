/**
 * The applications whose start is compared, each in a process of its own.
 */
@NullMarked
package io.github.redisstreams.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
