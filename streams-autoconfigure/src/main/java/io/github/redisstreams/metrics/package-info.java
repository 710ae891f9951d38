/**
 * Micrometer gauges of streams and groups.
 */
@NullMarked
package io.github.redisstreams.metrics;

import org.jspecify.annotations.NullMarked;
