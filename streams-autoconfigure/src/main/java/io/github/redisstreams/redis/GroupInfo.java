package io.github.redisstreams.redis;

import org.jspecify.annotations.Nullable;

/**
 * One group of a stream as {@code XINFO GROUPS} reports it.
 *
 * @param name the group's name
 * @param consumers how many consumers the group knows
 * @param pending how many entries were delivered and are not yet acknowledged
 * @param lastDeliveredId the last entry that the group was given
 * @param lag how many entries the group has still to be given; {@code null} where the
 * server cannot tell (Redis before 7.0, after some deletions, or for a group created at
 * an arbitrary id)
 */
public record GroupInfo(String name, long consumers, long pending, EntryId lastDeliveredId, @Nullable Long lag) {

}
