package io.github.redisstreams.autoconfigure.actuate;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redisstreams.deadletter.DeadLetterRange;
import io.github.redisstreams.redis.EntryId;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.data.redis.connection.stream.RecordId;

/**
 * The parameters of an action. What is wrong with them is told in a way that helps.
 */
final class ActionParameters {

	static final String ACTION = "action";

	static final String LISTENER_ID = "listenerId";

	static final String IDS = "ids";

	static final String FROM = "from";

	static final String TO = "to";

	static final String MAXIMUM = "maximum";

	static final String MAX_REDRIVES = "maxRedrives";

	static final String DRY_RUN = "dryRun";

	private static final Pattern ENTRY_ID = Pattern.compile("\\d+(-\\d+)?");

	private static final int MOST_IDS = 1000;

	private final ListenerAction action;

	private final Map<String, String> values;

	private ActionParameters(ListenerAction action, Map<String, String> values) {
		this.action = action;
		this.values = values;
	}

	/**
	 * Take what a request has sent.
	 * @param arguments all of it, the action and the listener's id among it
	 * @throws InvalidEndpointRequestException if it names no action, or anything that
	 * this action knows nothing of: a parameter that is misspelt would not have the
	 * effect that is meant
	 */
	static ActionParameters of(Map<String, ? extends @Nullable Object> arguments) {
		Map<String, String> values = new TreeMap<>();
		arguments.forEach((name, value) -> {
			if (value != null) {
				values.put(name, text(value));
			}
		});
		values.remove(LISTENER_ID);
		ListenerAction action = action(values.remove(ACTION));
		Collection<String> unknown = new TreeSet<>(values.keySet());
		unknown.removeAll(action.parameters());
		if (!unknown.isEmpty()) {
			throw invalid(
					"The action '" + action + "' knows nothing of " + quoted(unknown) + (action.parameters().isEmpty()
							? ". It takes no parameters" : ". What it takes is " + quoted(action.parameters())));
		}
		return new ActionParameters(action, values);
	}

	// A parameter of the query that is there more than once
	private static String text(Object value) {
		return (value instanceof Collection<?> several)
				? several.stream().map(String::valueOf).collect(Collectors.joining(",")) : value.toString();
	}

	private static ListenerAction action(@Nullable String name) {
		return Stream.of(ListenerAction.values())
			.filter((action) -> action.toString().equalsIgnoreCase(name))
			.findFirst()
			.orElseThrow(() -> invalid(((name != null) ? "There is no action '" + name + "'" : "No action is given")
					+ ". 'action' must be one of " + quoted(ListenerAction.names())));
	}

	ListenerAction action() {
		return this.action;
	}

	/**
	 * The parameters as they were given.
	 */
	Map<String, String> values() {
		return this.values;
	}

	/**
	 * Ids of dead letters.
	 * @return the ids, or {@code null} if none are given
	 */
	@Nullable List<RecordId> ids() {
		String value = this.values.get(IDS);
		if (value == null) {
			return null;
		}
		for (String other : List.of(FROM, TO, MAXIMUM)) {
			if (this.values.containsKey(other)) {
				throw invalid("'ids' and '" + other + "' cannot be given together");
			}
		}
		List<RecordId> ids = Stream.of(value.split(",", -1)).map(String::trim).map(this::id).toList();
		if (ids.size() > MOST_IDS) {
			throw invalid("'ids' are " + ids.size() + ". At most " + MOST_IDS + " are possible at once");
		}
		return ids;
	}

	private RecordId id(String text) {
		if (!ENTRY_ID.matcher(text).matches()) {
			throw invalid("'ids' must be ids of dead letters such as 1893456000000-0, with commas between them, not '"
					+ text + "'");
		}
		return entryId(text, 0).toRecordId();
	}

	/**
	 * A range of dead letters, as far as it is given.
	 */
	DeadLetterRange range() {
		String from = this.values.get(FROM);
		String to = this.values.get(TO);
		DeadLetterRange range = new DeadLetterRange((from != null) ? end(FROM, from, 0) : EntryId.ZERO,
				(to != null) ? end(TO, to, -1) : EntryId.MAX);
		if (range.first().compareTo(range.last()) > 0) {
			throw invalid("'from' must not be after 'to'");
		}
		return range;
	}

	private static EntryId end(String name, String value, long sequence) {
		if (ENTRY_ID.matcher(value).matches()) {
			return entryId(value, sequence);
		}
		try {
			return new EntryId(Math.max(0, Instant.parse(value).toEpochMilli()), sequence);
		}
		catch (DateTimeParseException | ArithmeticException ex) {
			throw invalid("'" + name + "' must be a time such as 2030-01-31T12:00:00Z, or the id of a dead letter such "
					+ "as 1893456000000-0, not '" + value + "'");
		}
	}

	private static EntryId entryId(String value, long sequence) {
		try {
			EntryId id = EntryId.parse(value);
			return value.contains("-") ? id : new EntryId(id.time(), sequence);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(String.valueOf(ex.getMessage()));
		}
	}

	boolean has(String name) {
		return this.values.containsKey(name);
	}

	/**
	 * A whole number.
	 * @param highest the highest that it may be; at least it must be 1
	 */
	int number(String name, int otherwise, int highest) {
		String value = this.values.get(name);
		if (value == null) {
			return otherwise;
		}
		try {
			int number = Integer.parseInt(value.trim());
			if (number >= 1 && number <= highest) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			// Told below
		}
		throw invalid("'" + name + "' must be a number from 1 to " + highest + ", not '" + value + "'");
	}

	boolean flag(String name) {
		String value = this.values.getOrDefault(name, "false").trim();
		if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
			throw invalid("'" + name + "' must be true or false, not '" + value + "'");
		}
		return value.equalsIgnoreCase("true");
	}

	static InvalidEndpointRequestException invalid(String reason) {
		return new InvalidEndpointRequestException(reason, reason);
	}

	private static String quoted(Collection<String> names) {
		return names.stream().map((name) -> "'" + name + "'").collect(Collectors.joining(", "));
	}

}
