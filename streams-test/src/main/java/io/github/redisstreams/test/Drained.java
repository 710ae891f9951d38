package io.github.redisstreams.test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import io.github.redisstreams.redis.EntryId;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Waits for streams to be drained.
 */
final class Drained {

	private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

	private Drained() {
	}

	/**
	 * Wait until streams are drained at the same time.
	 * @throws AssertionError if they are not in time
	 */
	static void await(List<TestedStream> streams, Duration timeout) {
		try {
			Awaitility.await()
				.pollDelay(Duration.ZERO)
				.pollInterval(POLL_INTERVAL)
				.atMost(timeout)
				.until(() -> areDrained(streams));
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError(streams.stream()
				.map(StreamReport::of)
				.collect(Collectors.joining(System.lineSeparator(),
						"Not drained after " + timeout + ":" + System.lineSeparator(), "")),
					ex);
		}
	}

	// Not all is looked at in one moment: in between a handler may have scheduled an
	// entry,
	// or sent one to a stream that was looked at before. If a second look finds the same,
	// there was a moment at which all were drained
	private static boolean areDrained(List<TestedStream> streams) {
		List<EntryId> drained = drainedUpTo(streams);
		return drained.size() == streams.size() && drainedUpTo(streams).equals(drained);
	}

	private static List<EntryId> drainedUpTo(List<TestedStream> streams) {
		return streams.stream().map(TestedStream::drainedUpTo).flatMap(Optional::stream).toList();
	}

}
