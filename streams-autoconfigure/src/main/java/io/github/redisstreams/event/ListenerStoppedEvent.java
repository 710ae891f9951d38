package io.github.redisstreams.event;

import java.time.Instant;

import io.github.redisstreams.listener.StopReason;

/**
 * A listener has stopped: it reads no more, and its handlers have ended or were given up.
 *
 * @param listenerId the listener's id
 * @param stream the key of the stream that it reads
 * @param group the group that it reads for
 * @param time when it happened
 * @param reason why
 */
public record ListenerStoppedEvent(String listenerId, String stream, String group, Instant time,
		StopReason reason) implements StreamListenerEvent {

}
