package io.github.redisstreams.test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.publish.StreamTemplate;

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

	public List<Sent> sent() {
		return List.copyOf(this.sent);
	}

	/**
	 * What was sent.
	 */
	public record Sent(String stream, Object payload, Map<String, ?> headers) {

	}

}
