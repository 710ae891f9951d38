/**
 * Dead letters: the form in which they are written, and what can be done with them.
 */
@NullMarked
package io.github.redisstreams.deadletter;

import org.jspecify.annotations.NullMarked;
