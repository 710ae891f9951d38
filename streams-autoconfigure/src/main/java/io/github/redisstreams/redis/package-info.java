/**
 * The only port to Redis: every command that is sent stands in this package.
 */
@NullMarked
package io.github.redisstreams.redis;

import org.jspecify.annotations.NullMarked;
