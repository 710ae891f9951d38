package io.github.redisstreams.metrics;

import java.time.Duration;

import io.github.redisstreams.redis.EntryId;
import org.jspecify.annotations.Nullable;

/**
 * What was last read of a group. {@code null} is what could not be told.
 *
 * @param lag how many entries it has still to be given
 * @param lagBounded whether counting these stopped at a bound, so that there may be more,
 * or where the server may overstate them fewer
 * @param pending how many entries were delivered and are not yet acknowledged
 * @param consumers how many consumers it has
 * @param oldestPending how long ago the oldest pending entry was added; zero if there is
 * none
 * @param oldestUndelivered how long ago the oldest entry was added that it has still to
 * be given; zero if there is none
 * @param lastDeliveredId the last entry that it was given
 */
public record GroupReading(@Nullable Long lag, boolean lagBounded, long pending, long consumers,
		@Nullable Duration oldestPending, @Nullable Duration oldestUndelivered, EntryId lastDeliveredId) {

}
