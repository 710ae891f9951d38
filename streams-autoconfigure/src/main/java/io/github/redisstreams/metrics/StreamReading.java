package io.github.redisstreams.metrics;

import org.jspecify.annotations.Nullable;

/**
 * What was last read of a stream. {@code null} is what could not be told.
 *
 * @param length how many entries it has
 * @param delayed how many entries are scheduled for it
 * @param deadLetters how many entries its dead-letter streams have
 */
public record StreamReading(@Nullable Long length, @Nullable Long delayed, @Nullable Long deadLetters) {

}
