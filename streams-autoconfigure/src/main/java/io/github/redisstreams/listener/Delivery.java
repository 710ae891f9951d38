package io.github.redisstreams.listener;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;

/**
 * One entry on its way to a handler, with where it came from and the means to acknowledge
 * it.
 */
public final class Delivery implements Acknowledgment {

	private final ListenerOptions listener;

	private final StreamEntry entry;

	private final Consumer<EntryId> onAcknowledge;

	private final AtomicBoolean acknowledged = new AtomicBoolean();

	/**
	 * Create a new delivery.
	 * @param listener the options of the listener that it is for
	 * @param entry the entry
	 * @param onAcknowledge called once with the entry's id when it is acknowledged
	 */
	public Delivery(ListenerOptions listener, StreamEntry entry, Consumer<EntryId> onAcknowledge) {
		this.listener = listener;
		this.entry = entry;
		this.onAcknowledge = onAcknowledge;
	}

	/**
	 * The key of the stream that the entry was read from.
	 * @return the stream
	 */
	public String stream() {
		return this.listener.stream();
	}

	/**
	 * The group that it was read for.
	 * @return the group
	 */
	public String group() {
		return this.listener.group();
	}

	/**
	 * The consumer that holds it.
	 * @return the consumer's name
	 */
	public String consumer() {
		return this.listener.consumer();
	}

	/**
	 * The entry.
	 * @return the entry
	 */
	public StreamEntry entry() {
		return this.entry;
	}

	@Override
	public void acknowledge() {
		if (this.acknowledged.compareAndSet(false, true)) {
			this.onAcknowledge.accept(this.entry.id());
		}
	}

	boolean isAcknowledged() {
		return this.acknowledged.get();
	}

	@Override
	public String toString() {
		return "entry " + this.entry.id() + " of stream '" + stream() + "' (group '" + group() + "', attempt "
				+ this.entry.deliveryCount() + ")";
	}

}
