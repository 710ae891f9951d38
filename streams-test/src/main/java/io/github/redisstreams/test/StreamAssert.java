package io.github.redisstreams.test;

import java.util.function.Function;

import io.github.redisstreams.deadletter.DeadLetterEntry;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ListAssert;

import org.springframework.data.redis.connection.stream.MapRecord;

/**
 * Assertions on a stream. Each looks at the stream as it is when it is called: wait with
 * {@link StreamTester#awaitDrained(String)} or Awaitility for what is still to come.
 */
public final class StreamAssert extends AbstractAssert<StreamAssert, TestedStream> {

	StreamAssert(TestedStream actual) {
		super(actual, StreamAssert.class);
	}

	/**
	 * The stream has so many entries, whether handled or not.
	 * @param expected how many
	 * @return this
	 */
	public StreamAssert hasLength(long expected) {
		return has(expected, "entries", this.actual.length(), StreamReport::entries);
	}

	/**
	 * The group has still to be given so many entries.
	 * @param expected how many
	 * @return this
	 */
	public StreamAssert hasLag(long expected) {
		return has(expected, "entries that the group has still to be given", this.actual.lag(), StreamReport::entries);
	}

	/**
	 * So many entries were delivered to the group and are neither acknowledged nor dead
	 * letters.
	 * @param expected how many
	 * @return this
	 */
	public StreamAssert hasPending(long expected) {
		return has(expected, "pending entries", this.actual.pendingCount(), StreamReport::pending);
	}

	/**
	 * All that was delivered to the group is acknowledged or has become a dead letter.
	 * @return this
	 */
	public StreamAssert hasNoPending() {
		return hasPending(0);
	}

	/**
	 * The stream has so many dead letters.
	 * @param expected how many
	 * @return this
	 */
	public StreamAssert hasDeadLetters(long expected) {
		return has(expected, "dead letters", this.actual.deadLetterCount(), StreamReport::deadLetters);
	}

	/**
	 * The stream has no dead letters.
	 * @return this
	 */
	public StreamAssert hasNoDeadLetters() {
		return hasDeadLetters(0);
	}

	/**
	 * So many entries are scheduled for the stream.
	 * @param expected how many
	 * @return this
	 */
	public StreamAssert hasScheduled(long expected) {
		return has(expected, "scheduled entries", this.actual.scheduled(), (stream) -> "");
	}

	/**
	 * All that was added to the stream is handled, as
	 * {@link StreamTester#awaitDrained(String)} says.
	 * @return this
	 */
	public StreamAssert isDrained() {
		if (this.actual.drainedUpTo().isEmpty()) {
			throw failure("%nExpected to be drained:%n%s", StreamReport.of(this.actual));
		}
		return this;
	}

	/**
	 * Go on with the entries, oldest first.
	 * @return assertions on them
	 */
	public ListAssert<MapRecord<String, String, String>> entries() {
		return Assertions.assertThat(this.actual.entries()).as("entries of %s", this.actual);
	}

	/**
	 * Go on with the contents of the entries, oldest first, converted as for a handler.
	 * @param <T> what to convert to
	 * @param type what to convert to
	 * @return assertions on them
	 */
	public <T> ListAssert<T> payloads(Class<T> type) {
		return Assertions.assertThat(this.actual.payloads(type)).as("payloads of %s", this.actual);
	}

	/**
	 * Go on with the dead letters, oldest first.
	 * @return assertions on them
	 */
	public ListAssert<DeadLetterEntry> deadLetters() {
		return Assertions.assertThat(this.actual.deadLetters()).as("dead letters of %s", this.actual);
	}

	private StreamAssert has(long expected, String what, long found, Function<TestedStream, String> details) {
		if (found != expected) {
			throw failureWithActualExpected(found, expected, "%n%s",
					StreamReport.lines("Expected number of " + what + ": " + expected + ", but it is " + found,
							"of " + this.actual, details.apply(this.actual)));
		}
		return this;
	}

}
