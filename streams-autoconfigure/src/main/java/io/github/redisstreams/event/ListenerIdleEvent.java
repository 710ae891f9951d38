package io.github.redisstreams.event;

import java.time.Duration;
import java.time.Instant;

/**
 * A listener has had nothing to do for {@code idle-event-interval}, or for as long again
 * since the event before. It reads, and there was nothing to read; it holds no entry
 * either, whether being handled, waiting for a retry, or not yet acknowledged. While it
 * is paused or suspended or cannot read it is not idle.
 *
 * @param listenerId the listener's id
 * @param stream the key of the stream that it reads
 * @param group the group that it reads for
 * @param time when it happened
 * @param idleFor for how long there has been nothing to do
 */
public record ListenerIdleEvent(String listenerId, String stream, String group, Instant time,
		Duration idleFor) implements StreamListenerEvent {

}
