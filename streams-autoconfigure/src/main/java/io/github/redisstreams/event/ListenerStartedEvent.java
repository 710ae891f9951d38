package io.github.redisstreams.event;

import java.time.Instant;

/**
 * A listener was started. Whether it reads is for its state to tell, of which a
 * {@link ListenerStateChangedEvent} follows.
 *
 * @param listenerId the listener's id
 * @param stream the key of the stream that it reads
 * @param group the group that it reads for
 * @param time when it happened
 */
public record ListenerStartedEvent(String listenerId, String stream, String group,
		Instant time) implements StreamListenerEvent {

}
