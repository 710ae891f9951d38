package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells what happens to one container. Never throws.
 */
final class ContainerReporter {

	private static final Log logger = LogFactory.getLog(ContainerReporter.class);

	private final StreamListenerContainer container;

	private final ContainerEvents events;

	private volatile ContainerState told = ContainerState.STOPPED;

	ContainerReporter(StreamListenerContainer container, ContainerEvents events) {
		this.container = container;
		this.events = events;
	}

	void started() {
		tell((events) -> events.started(this.container));
	}

	void stopped(StopReason reason) {
		tell((events) -> events.stopped(this.container, reason));
	}

	/**
	 * To be called wherever the state may have changed. The state follows from several
	 * things, each of which changes by itself; so it is looked at rather than set.
	 */
	void lookAtState() {
		if (this.container.state() != this.told) {
			tellState();
		}
	}

	// One at a time, so that each change begins where the one before it has ended
	private synchronized void tellState() {
		ContainerState from = this.told;
		ContainerState to = this.container.state();
		if (to != from) {
			this.told = to;
			tell((events) -> events.stateChanged(this.container, from, to));
		}
	}

	void deadLettered(DeadLetteredEntry entry) {
		tell((events) -> events.deadLettered(this.container, entry));
	}

	void idle(Duration idleFor) {
		tell((events) -> events.idle(this.container, idleFor));
	}

	private void tell(Consumer<ContainerEvents> event) {
		try {
			event.accept(this.events);
		}
		// Errors too: who listens must not be able to end what is listened to
		catch (Throwable ex) {
			logger.error("What listens to the events of " + this.container + " failed", ex);
		}
	}

}
