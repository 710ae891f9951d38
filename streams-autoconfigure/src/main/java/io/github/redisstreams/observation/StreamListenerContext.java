package io.github.redisstreams.observation;

import java.util.List;

import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.redis.StreamEntry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;

/**
 * What is observed of one call of a listener's handler. Its carrier is the entry whose
 * trace goes on: the one that the handler is called with; of several the first, if all of
 * them were sent in one trace, otherwise an entry without fields.
 */
public final class StreamListenerContext extends ReceiverContext<StreamEntry> {

	private final String listenerId;

	private final ListenerOptions options;

	private final List<StreamEntry> entries;

	private volatile ListenerOutcome outcome = ListenerOutcome.UNKNOWN;

	/**
	 * Create a new context.
	 * @param listenerId the id of the listener
	 * @param options how it reads
	 * @param entries what its handler is called with, at least one
	 */
	public StreamListenerContext(String listenerId, ListenerOptions options, List<StreamEntry> entries) {
		super(TraceParent::text, Kind.CONSUMER);
		this.listenerId = listenerId;
		this.options = options;
		this.entries = List.copyOf(entries);
		setCarrier(TraceParent.carrier(this.entries));
		setRemoteServiceName("Redis");
	}

	/**
	 * The id of the listener.
	 * @return the id
	 */
	public String getListenerId() {
		return this.listenerId;
	}

	/**
	 * The key of the stream.
	 * @return the stream
	 */
	public String getStream() {
		return this.options.stream();
	}

	/**
	 * The consumer group.
	 * @return the group
	 */
	public String getGroup() {
		return this.options.group();
	}

	/**
	 * The consumer that holds the entries.
	 * @return the consumer's name
	 */
	public String getConsumer() {
		return this.options.consumer();
	}

	/**
	 * What the handler is called with.
	 * @return the entries: one, unless it is a batch listener
	 */
	public List<StreamEntry> getEntries() {
		return this.entries;
	}

	/**
	 * What becomes of the entries.
	 * @return the outcome, {@link ListenerOutcome#UNKNOWN} until the handler is done
	 */
	public ListenerOutcome getOutcome() {
		return this.outcome;
	}

	void setOutcome(ListenerOutcome outcome) {
		this.outcome = outcome;
	}

}
