/**
 * What is known of streams and groups, sampled in the background, and meters of them with
 * Micrometer.
 */
@NullMarked
package io.github.redisstreams.metrics;

import org.jspecify.annotations.NullMarked;
