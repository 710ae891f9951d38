package io.github.redisstreams.chaos;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.redisstreams.deadletter.DeadLetterHeaders;

/**
 * A dead letter as it stands in Redis.
 *
 * @param names the names of its fields in order
 * @param fields its fields
 */
record DeadLetterView(List<String> names, Map<String, String> fields) {

	static DeadLetterView of(List<?> entry) {
		List<?> namesAndValues = (List<?>) entry.get(1);
		Map<String, String> fields = new LinkedHashMap<>();
		for (int i = 0; i < namesAndValues.size(); i += 2) {
			fields.put((String) namesAndValues.get(i), (String) namesAndValues.get(i + 1));
		}
		return new DeadLetterView(List.copyOf(fields.keySet()), fields);
	}

	int n() {
		return Integer.parseInt(header("n"));
	}

	String header(String name) {
		return Objects.requireNonNull(this.fields.get(name), name);
	}

	/**
	 * Why it is here, without what differs between entries.
	 */
	String reason() {
		return header(DeadLetterHeaders.REASON).replaceAll("\\d+", "#");
	}

}
