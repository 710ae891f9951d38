package io.github.redisstreams.observation;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;

/**
 * What is observed of one call of {@code StreamTemplate.send} or another method by which
 * it sends. Its carrier takes the fields that tell the trace, and go into each entry.
 */
public final class StreamSendContext extends SenderContext<Map<String, String>> {

	private final String stream;

	private final int entryCount;

	private volatile SendOutcome outcome = SendOutcome.UNKNOWN;

	/**
	 * Create a new context.
	 * @param stream the stream's key
	 * @param entryCount how many entries are sent
	 */
	public StreamSendContext(String stream, int entryCount) {
		super((carrier, name, value) -> Objects.requireNonNull(carrier).put(name, value), Kind.PRODUCER);
		this.stream = stream;
		this.entryCount = entryCount;
		setCarrier(new LinkedHashMap<>());
		setRemoteServiceName("Redis");
	}

	/**
	 * The key of the stream.
	 * @return the stream
	 */
	public String getStream() {
		return this.stream;
	}

	/**
	 * How many entries are sent.
	 * @return 1, or how many the call of {@code sendAll} was given
	 */
	public int getEntryCount() {
		return this.entryCount;
	}

	/**
	 * How it went.
	 * @return the outcome, {@link SendOutcome#UNKNOWN} until there is a reply
	 */
	public SendOutcome getOutcome() {
		return this.outcome;
	}

	void setOutcome(SendOutcome outcome) {
		this.outcome = outcome;
	}

}
