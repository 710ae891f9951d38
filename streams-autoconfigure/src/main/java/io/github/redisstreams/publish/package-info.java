/**
 * Writing entries to streams.
 */
@NullMarked
package io.github.redisstreams.publish;

import org.jspecify.annotations.NullMarked;
