package io.github.redisstreams.redis;

/**
 * What came of moving an entry to a dead-letter stream.
 *
 * @param moved whether it was; otherwise this consumer no longer holds it and nothing has
 * changed
 * @param dropped how many older dead letters the stream's bound has dropped
 */
public record DeadLetterMove(boolean moved, long dropped) {

}
