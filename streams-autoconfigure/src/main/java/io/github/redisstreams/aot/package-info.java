/**
 * What a native image has to be told: the scripts, the methods that listen, and what
 * entries are converted to and from.
 */
@NullMarked
package io.github.redisstreams.aot;

import org.jspecify.annotations.NullMarked;
