package io.github.redisstreams.event;

import java.time.Instant;

import io.github.redisstreams.listener.ContainerState;

/**
 * A listener is in another state than before: it cannot read any more, say, or can again.
 * Each change begins with the state in which the one before it ended; the first begins
 * with {@code STOPPED}. A state that lasted for a moment only may be left out.
 *
 * @param listenerId the listener's id
 * @param stream the key of the stream that it reads
 * @param group the group that it reads for
 * @param time when it happened
 * @param from the state that it was in
 * @param to the state that it is in
 */
public record ListenerStateChangedEvent(String listenerId, String stream, String group, Instant time,
		ContainerState from, ContainerState to) implements StreamListenerEvent {

}
