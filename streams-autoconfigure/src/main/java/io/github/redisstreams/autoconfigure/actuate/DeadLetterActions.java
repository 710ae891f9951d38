package io.github.redisstreams.autoconfigure.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.github.redisstreams.deadletter.DeadLetterRange;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.deadletter.Redrive;
import io.github.redisstreams.deadletter.RedriveResult;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.stream.RecordId;

/**
 * Puts dead letters back and deletes them, a bounded number at a time.
 */
final class DeadLetterActions {

	private static final int DEFAULT_REDRIVEN = 100;

	private static final int MOST_REDRIVEN = 1000;

	private static final int MOST_PURGED = 10_000;

	private static final int MOST_LISTED = 100;

	private final DeadLetters deadLetters;

	DeadLetterActions(DeadLetters deadLetters) {
		this.deadLetters = deadLetters;
	}

	/**
	 * A redrive, ready to be done.
	 * @param id the listener's id
	 */
	Callable<Map<String, Object>> redrive(String id, ActionParameters parameters) {
		Redrive.Builder request = Redrive.builder().dryRun(parameters.flag(ActionParameters.DRY_RUN));
		request.maxRedrives(parameters.number(ActionParameters.MAX_REDRIVES, 3, Integer.MAX_VALUE));
		List<RecordId> ids = parameters.ids();
		if (ids != null) {
			request.ids(ids).maximum(ids.size());
		}
		else {
			request.range(parameters.range())
				.maximum(parameters.number(ActionParameters.MAXIMUM, DEFAULT_REDRIVEN, MOST_REDRIVEN));
		}
		Redrive redrive = request.build();
		return () -> redrive(id, redrive);
	}

	private Map<String, Object> redrive(String id, Redrive request) {
		RedriveResult redriven = this.deadLetters.redrive(id, request);
		Map<String, Object> result = new LinkedHashMap<>();
		result.put("redriven", redriven.redriven());
		result.put("refused", redriven.refused());
		result.put("missing", redriven.missing());
		result.put("dryRun", redriven.dryRun());
		addRemaining(id, result);
		result.put("entries", redriven.entries().stream().limit(MOST_LISTED).map(DeadLetterActions::describe).toList());
		return result;
	}

	private static Map<String, String> describe(RedriveResult.Entry entry) {
		Map<String, String> description = new LinkedHashMap<>();
		description.put("deadLetterId", entry.deadLetterId().getValue());
		description.put("stream", entry.stream());
		RecordId id = entry.id();
		if (id != null) {
			description.put("id", id.getValue());
		}
		return description;
	}

	/**
	 * A purge, ready to be done. What is deleted is gone, so there is no default for what
	 * that is.
	 * @param id the listener's id
	 */
	Callable<Map<String, Object>> purge(String id, ActionParameters parameters) {
		List<RecordId> ids = parameters.ids();
		if (ids != null) {
			return () -> purged(id, this.deadLetters.purge(id, ids));
		}
		if (!parameters.has(ActionParameters.FROM) || !parameters.has(ActionParameters.TO)
				|| !parameters.has(ActionParameters.MAXIMUM)) {
			throw ActionParameters.invalid("A purge deletes dead letters for good. Say which: either 'ids', or all of "
					+ "'from', 'to' and 'maximum'");
		}
		DeadLetterRange range = parameters.range();
		int maximum = parameters.number(ActionParameters.MAXIMUM, MOST_PURGED, MOST_PURGED);
		return () -> purged(id, this.deadLetters.purge(id, range, maximum));
	}

	private Map<String, Object> purged(String id, long count) {
		Map<String, Object> result = new LinkedHashMap<>();
		result.put("purged", count);
		addRemaining(id, result);
		return result;
	}

	private void addRemaining(String id, Map<String, @Nullable Object> result) {
		try {
			result.put("remaining", this.deadLetters.count(id));
		}
		catch (DataAccessException ex) {
			// What was done is done, and to be told
		}
	}

}
