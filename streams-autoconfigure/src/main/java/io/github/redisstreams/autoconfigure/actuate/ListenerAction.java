package io.github.redisstreams.autoconfigure.actuate;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * What can be done with a listener.
 */
enum ListenerAction {

	/**
	 * Read no more, and stay started.
	 */
	PAUSE,

	/**
	 * Read again.
	 */
	RESUME,

	/**
	 * Read no more, and wait for running handlers.
	 */
	STOP,

	/**
	 * Start.
	 */
	START,

	/**
	 * Put dead letters back into their stream.
	 */
	REDRIVE(ActionParameters.IDS, ActionParameters.FROM, ActionParameters.TO, ActionParameters.MAXIMUM,
			ActionParameters.MAX_REDRIVES, ActionParameters.DRY_RUN),

	/**
	 * Delete dead letters.
	 */
	PURGE(ActionParameters.IDS, ActionParameters.FROM, ActionParameters.TO, ActionParameters.MAXIMUM);

	private final Set<String> parameters;

	ListenerAction(String... parameters) {
		this.parameters = new TreeSet<>(List.of(parameters));
	}

	/**
	 * The names of the parameters that it takes.
	 */
	Set<String> parameters() {
		return this.parameters;
	}

	static List<String> names() {
		return Arrays.stream(values()).map(ListenerAction::toString).toList();
	}

	/**
	 * The name as requests have it.
	 */
	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

}
