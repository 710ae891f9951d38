package io.github.redisstreams.autoconfigure.actuate;

import java.time.Instant;
import java.util.List;

import io.github.redisstreams.listener.ContainerState;
import io.github.redisstreams.listener.ContainerStatus;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import org.jspecify.annotations.Nullable;

/**
 * What a listener is and how, as this process knows without asking Redis.
 *
 * @param stream the key of the stream that it reads
 * @param group the group that it reads for
 * @param consumer its name within the group
 * @param state what it is doing
 * @param paused whether it is paused, which it may be while it is stopped, too
 * @param lastPoll when its loop last went round; {@code null} if it has not since its
 * start
 * @param lastError what fails in Redis; {@code null} if nothing does
 * @param consumerShared whether another process reads under the same consumer name
 * @param inFlight how many entries it holds
 * @param underWay actions on it that have not ended yet
 */
public record ListenerDescriptor(String stream, String group, String consumer, ContainerState state, boolean paused,
		@Nullable Instant lastPoll, @Nullable String lastError, boolean consumerShared, int inFlight,
		List<String> underWay) {

	static ListenerDescriptor of(StreamListenerContainer container, List<String> underWay) {
		ListenerOptions options = container.getOptions();
		ContainerStatus status = container.getStatus();
		return new ListenerDescriptor(options.stream(), options.group(), options.consumer(), status.state(),
				container.isPaused(), status.lastPoll(), status.lastError(), status.consumerShared(),
				container.getInFlight(), underWay);
	}

}
