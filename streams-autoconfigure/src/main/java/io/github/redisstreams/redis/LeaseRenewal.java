package io.github.redisstreams.redis;

import java.util.List;

/**
 * What came of renewing leases, for those that could not be.
 *
 * @param lost entries that this consumer no longer holds: acknowledged, or claimed by
 * another
 * @param deleted entries that are gone from the stream, and so have left the pending list
 * @param vanished entries that were gone from both already: trimmed or deleted and
 * cleared by another's claim, or settled and deleted by another
 */
public record LeaseRenewal(List<EntryId> lost, List<EntryId> deleted, List<EntryId> vanished) {

}
