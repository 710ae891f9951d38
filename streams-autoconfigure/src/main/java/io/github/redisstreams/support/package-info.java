/**
 * What other packages share: headers, conversion between stream entries and messages,
 * work in the background.
 */
@NullMarked
package io.github.redisstreams.support;

import org.jspecify.annotations.NullMarked;
