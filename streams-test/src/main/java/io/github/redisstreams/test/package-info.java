/**
 * Looks at streams from a test: waits until they are drained, and asserts what became of
 * their entries.
 */
@NullMarked
package io.github.redisstreams.test;

import org.jspecify.annotations.NullMarked;
