/**
 * Headers and conversion between stream entries and messages.
 */
@NullMarked
package io.github.redisstreams.support;

import org.jspecify.annotations.NullMarked;
