package io.github.redisstreams.redis;

import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Connections of their own for what waits for replicas or disks: {@code WAIT} holds up
 * all that is sent after it, and tells about what was sent before it over the same
 * connection. A few, so that a slow replica does not have every sender wait for all
 * others. Opened when they are needed.
 */
final class DurableChannels {

	private static final int CHANNELS = 4;

	private final LettuceConnections connections;

	private final Slot[] slots = new Slot[CHANNELS];

	private final AtomicInteger turn = new AtomicInteger();

	DurableChannels(LettuceConnections connections) {
		this.connections = connections;
		for (int i = 0; i < CHANNELS; i++) {
			this.slots[i] = new Slot();
		}
	}

	/**
	 * The channel to use next, to the node that has the stream.
	 */
	CommandChannel next(String stream) {
		Slot slot = this.slots[Math.floorMod(this.turn.getAndIncrement(), CHANNELS)];
		CommandChannel channel = slot.channel().toNodeOf(stream);
		// Lettuce keeps the connection to a node, even when it is closed
		return channel.isSound() ? channel : slot.reopened().toNodeOf(stream);
	}

	void close() {
		for (Slot slot : this.slots) {
			slot.close();
		}
	}

	private final class Slot {

		private @Nullable CommandChannel channel;

		synchronized CommandChannel channel() {
			CommandChannel current = this.channel;
			if (current == null || !current.isSound()) {
				current = reopened();
			}
			return current;
		}

		synchronized CommandChannel reopened() {
			close();
			CommandChannel opened = DurableChannels.this.connections.openDedicated();
			this.channel = opened;
			return opened;
		}

		synchronized void close() {
			if (this.channel != null) {
				this.channel.close();
				this.channel = null;
			}
		}

	}

}
