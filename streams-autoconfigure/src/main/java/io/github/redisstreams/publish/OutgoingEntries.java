package io.github.redisstreams.publish;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.github.redisstreams.redis.NewEntry;
import io.github.redisstreams.redis.NewEntry.IdempotencyKey;
import io.github.redisstreams.redis.NewTask;
import io.github.redisstreams.redis.Trimming;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.support.StreamHeaders;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.util.ConcurrentLruCache;

/**
 * Makes entries of payloads and headers, with what the settings of their stream say.
 */
final class OutgoingEntries {

	/**
	 * Of which to know when they were trimmed last: there may be one per customer, say.
	 */
	private static final int MOST_STREAMS = 1000;

	private final EntryMessageConverter converter;

	private final PublisherSettings settings;

	private final ConcurrentLruCache<String, PublishedStream> streams;

	OutgoingEntries(EntryMessageConverter converter, PublisherSettings settings, PublishEvents events) {
		this.converter = converter;
		this.settings = settings;
		this.streams = new ConcurrentLruCache<>(MOST_STREAMS, (key) -> {
			events.firstWrite(key);
			return new PublishedStream(key, settings.options(key), events);
		});
	}

	/**
	 * An entry to be added now. It trims if it is its turn.
	 */
	OutgoingEntry toAdd(String name, Object payload, Map<String, ?> headers, SendObserver.Send send) {
		return convert(name, stream(name), payload, headers, send, PublishedStream::trimming);
	}

	/**
	 * The same for many of one stream.
	 */
	List<OutgoingEntry> toAdd(String name, Collection<?> payloads, SendObserver.Send send) {
		PublishedStream stream = stream(name);
		List<OutgoingEntry> entries = new ArrayList<>(payloads.size());
		payloads.forEach((payload) -> entries
			.add(convert(name, stream, payload, Map.of(), send, PublishedStream::trimmingTogether)));
		return entries;
	}

	/**
	 * An entry to be scheduled. It trims if it is due and added, which is not for us to
	 * know.
	 */
	OutgoingEntry toSchedule(String name, Object payload, Map<String, ?> headers, SendObserver.Send send) {
		OutgoingEntry entry = convert(name, stream(name), payload, headers, send,
				(stream) -> stream.options().trimming());
		if (entry.content().idempotencyKey() != null) {
			throw new IllegalArgumentException("An entry for stream '" + name + "' cannot be scheduled with a header "
					+ StreamHeaders.IDEMPOTENCY_KEY + ". Use " + StreamHeaders.TASK_KEY + ".");
		}
		return entry;
	}

	private PublishedStream stream(String name) {
		return this.streams.get(this.settings.streamKey(name));
	}

	private OutgoingEntry convert(String name, PublishedStream stream, Object payload, Map<String, ?> headers,
			SendObserver.Send send, Function<PublishedStream, Trimming> trimming) {
		Object content = payload;
		Map<String, ?> fields = (headers instanceof MessageHeaders own) ? EntryMessageConverter.withoutSprings(own)
				: headers;
		if (payload instanceof Message<?> message) {
			Map<String, Object> all = EntryMessageConverter.withoutSprings(message.getHeaders());
			all.putAll(fields);
			content = message.getPayload();
			fields = all;
		}
		String taskKey = key(name, fields, StreamHeaders.TASK_KEY);
		String idempotencyKey = key(name, fields, StreamHeaders.IDEMPOTENCY_KEY);
		if (taskKey != null && idempotencyKey != null) {
			throw new IllegalArgumentException("An entry for stream '" + name + "' has both a header "
					+ StreamHeaders.TASK_KEY + " and a header " + StreamHeaders.IDEMPOTENCY_KEY + ". Use one.");
		}
		List<byte[]> namesAndValues = this.converter.toFields(content, send.complete(fields));
		return new OutgoingEntry(stream, new NewEntry(stream.key(), namesAndValues, trimming.apply(stream),
				stream.task(taskKey),
				(idempotencyKey != null) ? new IdempotencyKey(this.settings.producer(), idempotencyKey) : null));
	}

	private static @Nullable String key(String stream, Map<String, ?> headers, String name) {
		Object value = headers.get(name);
		if (value == null) {
			return null;
		}
		String key = value.toString();
		if (key.isEmpty() || key.equals(NewTask.OWN_ID)) {
			throw new IllegalArgumentException("An entry for stream '" + stream + "' has the " + name + " '" + key
					+ "'. A key is any text but '' and '" + NewTask.OWN_ID + "'.");
		}
		return key;
	}

}
