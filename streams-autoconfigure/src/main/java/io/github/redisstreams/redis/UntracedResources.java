package io.github.redisstreams.redis;

import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.tracing.Tracing;
import org.jspecify.annotations.Nullable;

/**
 * The application's client resources without tracing: threads, timer and all else are
 * shared. Where the application has its commands traced, as Spring Boot does for whoever
 * has an {@code ObservationRegistry}, every poll, acknowledgement and renewal of a lease
 * would begin a trace of its own. What is worth a span is observed where it happens.
 */
final class UntracedResources implements AutoCloseable {

	private @Nullable ClientResources origin;

	private @Nullable ClientResources untraced;

	/**
	 * Resources to connect with.
	 * @param resources those of the application
	 */
	synchronized ClientResources of(ClientResources resources) {
		if (!resources.tracing().isEnabled()) {
			return resources;
		}
		if (this.untraced == null || this.origin != resources) {
			close();
			this.origin = resources;
			// What is set here is not shut down with the copy
			this.untraced = resources.mutate()
				.eventLoopGroupProvider(resources.eventLoopGroupProvider())
				.eventExecutorGroup(resources.eventExecutorGroup())
				.timer(resources.timer())
				.commandLatencyRecorder(resources.commandLatencyRecorder())
				.commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled())
				.tracing(Tracing.disabled())
				.build();
		}
		return this.untraced;
	}

	@Override
	public synchronized void close() {
		if (this.untraced != null) {
			this.untraced.shutdown();
			this.untraced = null;
		}
	}

}
