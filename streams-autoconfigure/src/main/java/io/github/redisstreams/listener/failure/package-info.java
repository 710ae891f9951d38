/**
 * What becomes of an entry that a handler failed on: policies as functions, which decide
 * and do nothing.
 */
@NullMarked
package io.github.redisstreams.listener.failure;

import org.jspecify.annotations.NullMarked;
