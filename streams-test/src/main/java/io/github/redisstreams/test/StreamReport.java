package io.github.redisstreams.test;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.github.redisstreams.deadletter.DeadLetterEntry;
import io.github.redisstreams.listener.ContainerStatus;
import io.github.redisstreams.listener.StreamListenerContainer;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.PendingMessage;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * What there is to say of a stream where a test has failed, one fact a line.
 */
final class StreamReport {

	private static final int MOST_ROWS = 5;

	private static final int LONGEST_ROW = 300;

	private StreamReport() {
	}

	/**
	 * All that may tell why a stream is not drained.
	 */
	static String of(TestedStream stream) {
		return lines(stream.toString(), attempt(stream::describeBacklog), listener(stream.listener()),
				attempt(() -> pending(stream)), attempt(() -> deadLetters(stream)));
	}

	private static String listener(@Nullable StreamListenerContainer listener) {
		if (listener == null) {
			return "";
		}
		ContainerStatus status = listener.getStatus();
		String description = "the listener is %s and holds %d".formatted(status.state(), listener.getInFlight());
		return (status.lastError() != null) ? description + "; its last error: " + status.lastError() : description;
	}

	static String entries(TestedStream stream) {
		List<MapRecord<String, String, String>> entries = stream.entries();
		return rows("newest entries", entries.subList(Math.max(0, entries.size() - MOST_ROWS), entries.size()),
				(entry) -> entry.getId() + " " + entry.getValue());
	}

	static String pending(TestedStream stream) {
		List<PendingMessage> pending = stream.pending();
		Map<String, Long> consumers = pending.stream()
			.collect(Collectors.groupingBy(PendingMessage::getConsumerName, TreeMap::new, Collectors.counting()));
		return rows("oldest pending entries of " + consumers, pending,
				(entry) -> "%s, delivered %s, last to %s %d ms ago".formatted(entry.getId(),
						times(entry.getTotalDeliveryCount()), entry.getConsumerName(),
						entry.getElapsedTimeSinceLastDelivery().toMillis()));
	}

	static String deadLetters(TestedStream stream) {
		return rows("newest dead letters", stream.newestDeadLetters(MOST_ROWS), StreamReport::describe);
	}

	private static String describe(DeadLetterEntry letter) {
		String description = "%s, delivered %s: %s".formatted(letter.originalId(), times(letter.deliveryCount()),
				letter.reason());
		return (letter.exception() != null) ? description + " (" + ClassUtils.getShortName(letter.exception()) + ")"
				: description;
	}

	private static String times(long count) {
		return (count == 1) ? "once" : count + " times";
	}

	private static <T> String rows(String title, List<T> rows, Function<T, String> description) {
		return rows.isEmpty() ? ""
				: rows.stream()
					.limit(MOST_ROWS)
					.map(description)
					.map((row) -> StringUtils.truncate(row, LONGEST_ROW))
					.collect(Collectors.joining(System.lineSeparator() + "    ",
							title + ":" + System.lineSeparator() + "    ", ""));
	}

	// What cannot be told must not hide the rest
	private static String attempt(Supplier<String> description) {
		try {
			return description.get();
		}
		catch (RuntimeException ex) {
			return "unknown: " + ex.getMessage();
		}
	}

	static String lines(String... lines) {
		return Arrays.stream(lines)
			.filter(StringUtils::hasText)
			.collect(Collectors.joining(System.lineSeparator() + "  "));
	}

}
