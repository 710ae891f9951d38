package io.github.redisstreams.redis;

import java.util.List;

/**
 * What came of renewing leases, for those that could not be.
 *
 * @param lost entries that this consumer no longer holds: acknowledged, or claimed by
 * another
 * @param deleted entries whose bodies are gone, and which are not pending any more
 */
public record LeaseRenewal(List<EntryId> lost, List<EntryId> deleted) {

}
