package io.github.redisstreams.observation;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import org.jspecify.annotations.Nullable;

/**
 * The span that an entry was sent in, as its field {@code traceparent} names it.
 *
 * @param traceId the id of the trace
 * @param spanId the id of the span
 * @param sampled whether the trace is recorded
 */
record TraceParent(String traceId, String spanId, boolean sampled) {

	static final String FIELD = "traceparent";

	static final String STATE_FIELD = "tracestate";

	private static final StreamEntry NO_FIELDS = new StreamEntry(EntryId.ZERO, 0);

	/** Version, 16 bytes, 8 bytes and flags. Later versions may have more. */
	private static final int LENGTH = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-00".length();

	static @Nullable TraceParent of(StreamEntry entry) {
		String text = text(entry, FIELD);
		if (text == null || text.length() < LENGTH || text.charAt(2) != '-' || text.charAt(35) != '-'
				|| text.charAt(52) != '-') {
			return null;
		}
		boolean sampled = (Character.digit(text.charAt(54), 16) & 1) == 1;
		return new TraceParent(text.substring(3, 35), text.substring(36, 52), sampled);
	}

	static @Nullable String text(StreamEntry entry, String field) {
		byte[] value = entry.value(field);
		return (value != null) ? new String(value, StandardCharsets.UTF_8) : null;
	}

	/**
	 * The entry whose trace goes on where entries are handled together: the first if all
	 * are of one trace, otherwise one without fields.
	 */
	static StreamEntry carrier(List<StreamEntry> entries) {
		StreamEntry first = entries.get(0);
		if (entries.size() == 1) {
			return first;
		}
		TraceParent parent = of(first);
		for (StreamEntry entry : entries) {
			TraceParent other = of(entry);
			if (parent == null || other == null || !other.traceId().equals(parent.traceId())) {
				return NO_FIELDS;
			}
		}
		return first;
	}

	/**
	 * The spans that entries were sent in which are handled together, but for the one
	 * whose trace goes on.
	 */
	static Set<TraceParent> links(List<StreamEntry> entries) {
		Set<TraceParent> links = new LinkedHashSet<>();
		for (StreamEntry entry : entries) {
			TraceParent parent = of(entry);
			if (parent != null) {
				links.add(parent);
			}
		}
		TraceParent parent = of(carrier(entries));
		if (parent != null) {
			links.remove(parent);
		}
		return links;
	}

}
