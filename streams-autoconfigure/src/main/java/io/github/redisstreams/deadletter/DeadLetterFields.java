package io.github.redisstreams.deadletter;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.redisstreams.redis.StreamEntry;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a dead letter, told apart: those of the entry, and then our headers. The
 * headers begin with the last {@link DeadLetterHeaders#STREAM}: an entry that was itself
 * a dead letter of another stream has such fields of its own, and keeps them.
 *
 * @param original names and values in turn
 * @param headers values by name
 * @param redrives how often the entry was redriven
 */
record DeadLetterFields(List<byte[]> original, Map<String, String> headers, int redrives) {

	private static final Set<String> NAMES = Set.of(DeadLetterHeaders.STREAM, DeadLetterHeaders.ID,
			DeadLetterHeaders.GROUP, DeadLetterHeaders.CONSUMER, DeadLetterHeaders.DELIVERY_COUNT,
			DeadLetterHeaders.FIRST_SEEN, DeadLetterHeaders.REASON, DeadLetterHeaders.EXCEPTION,
			DeadLetterHeaders.CAUSE, DeadLetterHeaders.MESSAGE, DeadLetterHeaders.STACK_TRACE,
			DeadLetterHeaders.REDRIVES);

	static DeadLetterFields of(StreamEntry letter) {
		List<byte[]> all = new ArrayList<>();
		letter.forEachField((name, value) -> {
			all.add(name);
			all.add(value);
		});
		int start = startOfHeaders(all);
		List<byte[]> original = new ArrayList<>(all.subList(0, start));
		Map<String, String> headers = new HashMap<>();
		for (int i = start; i < all.size(); i += 2) {
			String name = text(all.get(i));
			if (NAMES.contains(name)) {
				headers.put(name, text(all.get(i + 1)));
			}
			else {
				original.add(all.get(i));
				original.add(all.get(i + 1));
			}
		}
		return new DeadLetterFields(original, headers, redrives(all));
	}

	private static int startOfHeaders(List<byte[]> all) {
		byte[] first = bytes(DeadLetterHeaders.STREAM);
		for (int i = all.size() - 2; i >= 0; i -= 2) {
			if (Arrays.equals(all.get(i), first)) {
				return i;
			}
		}
		return all.size();
	}

	// By now a field of the entry, unless somebody has redriven it by hand
	private static int redrives(List<byte[]> all) {
		byte[] wanted = bytes(DeadLetterHeaders.REDRIVES);
		int redrives = 0;
		for (int i = 0; i < all.size(); i += 2) {
			if (Arrays.equals(all.get(i), wanted)) {
				redrives = Math.max(redrives, number(text(all.get(i + 1))));
			}
		}
		return redrives;
	}

	private static int number(String text) {
		try {
			return Integer.parseInt(text);
		}
		catch (NumberFormatException ex) {
			return 0;
		}
	}

	@Nullable String header(String name) {
		return this.headers.get(name);
	}

	/**
	 * What to write into the stream: the original fields and the next count of redrives.
	 */
	List<byte[]> redriven() {
		byte[] counter = bytes(DeadLetterHeaders.REDRIVES);
		List<byte[]> fields = new ArrayList<>(this.original.size() + 2);
		for (int i = 0; i < this.original.size(); i += 2) {
			if (!Arrays.equals(this.original.get(i), counter)) {
				fields.add(this.original.get(i));
				fields.add(this.original.get(i + 1));
			}
		}
		fields.add(counter);
		fields.add(bytes(Integer.toString(this.redrives + 1)));
		return fields;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
