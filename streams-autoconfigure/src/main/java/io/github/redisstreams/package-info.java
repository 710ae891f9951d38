/**
 * Redis Streams as a work queue for Spring applications.
 */
@NullMarked
package io.github.redisstreams;

import org.jspecify.annotations.NullMarked;
