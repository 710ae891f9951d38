/**
 * Measures what this project costs, beside what the same costs otherwise, as ratios
 * within one run.
 */
@NullMarked
package io.github.redisstreams.benchmarks;

import org.jspecify.annotations.NullMarked;
