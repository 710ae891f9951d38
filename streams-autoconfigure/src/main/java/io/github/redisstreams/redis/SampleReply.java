package io.github.redisstreams.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.redisstreams.redis.StreamSample.Group;
import org.jspecify.annotations.Nullable;

import static io.github.redisstreams.redis.LettuceStreamCommands.text;

/**
 * Makes a {@link StreamSample} of what the script {@code sample} replies, or of what
 * single commands do. Where a number or an id is expected, any other text is an error.
 */
final class SampleReply {

	private final Set<String> problems = new LinkedHashSet<>();

	private final boolean lagDoubtful;

	private SampleReply(boolean lagDoubtful) {
		this.lagDoubtful = lagDoubtful;
	}

	/**
	 * The sample that the script has replied.
	 * @param lagDoubtful whether the server may tell too large a lag
	 */
	static StreamSample ofScript(List<Object> reply, boolean lagDoubtful) {
		return new SampleReply(lagDoubtful).sample(reply);
	}

	/**
	 * The sample that single commands have replied, each a value or what it failed with.
	 * @param refusal why it was not the script
	 * @param sizes of the stream, what is scheduled, and the dead letters
	 */
	static StreamSample ofCommands(String refusal, List<Object> sizes, Object groups) {
		SampleReply reply = new SampleReply(true);
		reply.problems.add(refusal);
		return reply.sample(sizes, groups);
	}

	private StreamSample sample(List<Object> reply) {
		Instant time = Replies.instant((List<?>) reply.get(0));
		Long length = number(((List<?>) reply.get(1)).get(0));
		Map<String, Group> groups = new HashMap<>();
		List<?> rows = list(reply.get(2));
		for (Object row : rows) {
			List<?> columns = (List<?>) row;
			groups.put(text(columns.get(0)), group(columns, length, time));
		}
		return sample((List<?>) reply.get(1), groups, reply.get(2) instanceof List);
	}

	private StreamSample sample(List<Object> sizes, Object reply) {
		long most = (sizes.get(0) instanceof Long length) ? length : Long.MAX_VALUE;
		Map<String, Group> groups = new HashMap<>();
		for (Object info : list(reply)) {
			GroupInfo group = (GroupInfo) info;
			groups.put(group.name(),
					new Group(group.consumers(), group.pending(), group.lastDeliveredId(),
							(group.lag() != null && group.lag() >= 0 && group.lag() <= most) ? group.lag() : null,
							this.lagDoubtful, null, null));
		}
		return sample(sizes, groups, reply instanceof List);
	}

	private StreamSample sample(List<?> sizes, Map<String, Group> groups, boolean found) {
		Long length = number(sizes.get(0));
		Long delayed = number(sizes.get(1));
		List<@Nullable Long> deadLetters = new ArrayList<>();
		sizes.subList(2, sizes.size()).forEach((size) -> deadLetters.add(number(size)));
		// The length of a stream that is not there is 0, too
		boolean missing = !found && length != null && length == 0;
		return new StreamSample(missing ? null : length, delayed, sum(deadLetters), groups, List.copyOf(this.problems));
	}

	private static @Nullable Long sum(List<@Nullable Long> numbers) {
		long sum = 0;
		for (Long number : numbers) {
			if (number == null) {
				return null;
			}
			sum += number;
		}
		return sum;
	}

	private Group group(List<?> columns, @Nullable Long length, Instant time) {
		EntryId oldestPending = id(columns.get(5));
		EntryId oldestUndelivered = id(columns.get(6));
		boolean isFirst = columns.get(7).equals(1L);
		return new Group((Long) columns.get(1), (Long) columns.get(2), EntryId.parse(text(columns.get(3))),
				lag((Long) columns.get(4), oldestUndelivered, isFirst, length),
				this.lagDoubtful && !isFirst && !EntryId.ZERO.equals(oldestUndelivered), age(oldestPending, time),
				age(oldestUndelivered, time));
	}

	private static @Nullable Long lag(long told, @Nullable EntryId oldestUndelivered, boolean isFirst,
			@Nullable Long length) {
		if (EntryId.ZERO.equals(oldestUndelivered)) {
			return 0L;
		}
		if (isFirst && length != null) {
			return length;
		}
		return (told < 0 || (length != null && told >= length)) ? null : told;
	}

	private static @Nullable Duration age(@Nullable EntryId id, Instant time) {
		if (id == null) {
			return null;
		}
		long now = time.toEpochMilli();
		// An id of the future, as a writer may choose it, is younger than anything
		boolean past = !id.equals(EntryId.ZERO) && Long.compareUnsigned(id.time(), now) < 0;
		return past ? Duration.ofMillis(now - id.time()) : Duration.ZERO;
	}

	private @Nullable Long number(@Nullable Object value) {
		if (value instanceof Long number) {
			return number;
		}
		this.problems.add(text(value));
		return null;
	}

	/**
	 * An id, {@code 0-0} for none, {@code null} if it could not be told.
	 */
	private @Nullable EntryId id(Object value) {
		String text = text(value);
		if (text.isEmpty()) {
			return EntryId.ZERO;
		}
		if (Character.isDigit(text.charAt(0))) {
			return EntryId.parse(text);
		}
		this.problems.add(text);
		return null;
	}

	private List<?> list(Object value) {
		if (value instanceof List<?> list) {
			return list;
		}
		this.problems.add(text(value));
		return List.of();
	}

}
