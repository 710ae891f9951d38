package io.github.redisstreams.deadletter;

/**
 * The two streams that a name stands for.
 *
 * @param stream the key of the stream that listeners read
 * @param deadLetters the key of the stream that its dead letters go to
 */
public record DeadLetterStreams(String stream, String deadLetters) {

}
