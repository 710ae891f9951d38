package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What came of moving due entries into their stream.
 *
 * @param lateness how long after its due time each was moved
 * @param missing the ids of those whose fields were gone, so that there was nothing to
 * move
 * @param next in how long the next entry is due, {@code null} if there is none
 * @param undelivered how many entries were trimmed that some group had still to be given,
 * or -1 where the user may not do what trimming takes
 */
public record Promotion(List<Duration> lateness, List<String> missing, @Nullable Duration next, long undelivered) {

}
