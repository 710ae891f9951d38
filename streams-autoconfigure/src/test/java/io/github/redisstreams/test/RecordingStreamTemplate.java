package io.github.redisstreams.test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.Durability;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.connection.stream.RecordId;

/**
 * Keeps what is sent. Sending to the stream {@code refused} fails.
 */
public final class RecordingStreamTemplate implements StreamTemplate {

	private final List<Sent> sent = Collections.synchronizedList(new ArrayList<>());

	@Override
	public RecordId send(String stream, Object payload, Map<String, ?> headers) {
		if (stream.equals("refused")) {
			throw new QueryTimeoutException("No reply to XADD on 'refused'");
		}
		this.sent.add(new Sent(stream, payload, headers));
		return RecordId.of(1, this.sent.size());
	}

	@Override
	public CompletableFuture<RecordId> sendAsync(String stream, Object payload, Map<String, ?> headers) {
		throw new UnsupportedOperationException();
	}

	@Override
	public List<RecordId> sendAll(String stream, Collection<?> payloads) {
		throw new UnsupportedOperationException();
	}

	@Override
	public String sendAt(String stream, Object payload, Map<String, ?> headers, Instant time) {
		throw new UnsupportedOperationException();
	}

	@Override
	public String sendAfter(String stream, Object payload, Map<String, ?> headers, Duration delay) {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean cancel(String stream, String id) {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean reschedule(String stream, String id, Instant time) {
		throw new UnsupportedOperationException();
	}

	@Override
	public StreamTemplate withDurability(Durability durability) {
		throw new UnsupportedOperationException();
	}

	public List<Sent> sent() {
		return List.copyOf(this.sent);
	}

	/**
	 * What was sent.
	 */
	public record Sent(String stream, Object payload, Map<String, ?> headers) {

	}

}
