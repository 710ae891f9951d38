package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How a stream was at some moment. What could not be told is {@code null}, and
 * {@code problems} say why.
 *
 * @param length how many entries it has; {@code null} also while there is no such stream
 * @param delayed how many entries are scheduled for it
 * @param deadLetters how many entries its dead-letter streams have together
 * @param groups those of the wanted groups that there are, by name
 * @param problems what the server said where it did not tell something
 */
public record StreamSample(@Nullable Long length, @Nullable Long delayed, @Nullable Long deadLetters,
		Map<String, Group> groups, List<String> problems) {

	/**
	 * How a group was.
	 *
	 * @param consumers how many consumers it has
	 * @param pending how many entries were delivered and are not yet acknowledged
	 * @param lastDeliveredId the last entry that it was given
	 * @param lag how many entries it has still to be given; {@code null} where the server
	 * cannot tell
	 * @param lagDoubtful whether these may be less, since the server does not notice
	 * everything that is trimmed
	 * @param oldestPending how long ago the first pending entry was added; zero if there
	 * is none
	 * @param oldestUndelivered how long ago the first undelivered entry was added; zero
	 * if there is none
	 */
	public record Group(long consumers, long pending, EntryId lastDeliveredId, @Nullable Long lag, boolean lagDoubtful,
			@Nullable Duration oldestPending, @Nullable Duration oldestUndelivered) {

	}

}
