package io.github.redisstreams.listener;

import org.jspecify.annotations.Nullable;

/**
 * Why an entry is to go to the dead letters.
 *
 * @param reason in words
 * @param failure what its handler threw, if anything
 */
record DeadLetterCase(String reason, @Nullable Throwable failure) {

}
