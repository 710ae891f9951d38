/**
 * Adapts annotated methods to the container's handler contract.
 */
@NullMarked
package io.github.redisstreams.listener.adapter;

import org.jspecify.annotations.NullMarked;
