/**
 * A Redis of its own for whoever has none. An application that knows its Redis needs
 * nothing of this.
 */
@NullMarked
package io.github.redisstreams.sample.redis;

import org.jspecify.annotations.NullMarked;
