package io.github.redisstreams.redis;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What came of adding or scheduling an entry.
 *
 * @param id the id that the server gave it, {@code null} if it is scheduled or was
 * refused
 * @param dueIn in how long it is due, {@code null} if it is not scheduled
 * @param refusedAs the state of the task for which it was refused, {@code null} if it was
 * not
 * @param undelivered how many entries were trimmed that some group had still to be given,
 * or -1 where the user may not do what trimming takes
 */
public record Added(@Nullable EntryId id, @Nullable Duration dueIn, @Nullable TaskState refusedAs, long undelivered) {

}
