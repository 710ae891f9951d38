/**
 * The container: reads and claims entries, hands them to handlers, settles them.
 */
@NullMarked
package io.github.redisstreams.listener;

import org.jspecify.annotations.NullMarked;
