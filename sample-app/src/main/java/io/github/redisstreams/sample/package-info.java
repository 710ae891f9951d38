/**
 * A small order service: publishes orders to a stream, and handles them.
 */
@NullMarked
package io.github.redisstreams.sample;

import org.jspecify.annotations.NullMarked;
