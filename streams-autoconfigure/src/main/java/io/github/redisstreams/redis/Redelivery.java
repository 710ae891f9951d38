package io.github.redisstreams.redis;

import java.util.List;

/**
 * What came of asking for pending entries once more.
 *
 * @param entries those that this consumer still holds, as they are now
 * @param deleted those whose bodies are gone; they have been acknowledged
 * @param lost those that this consumer no longer holds: acknowledged, or claimed by
 * another
 */
public record Redelivery(List<StreamEntry> entries, List<EntryId> deleted, List<EntryId> lost) {

}
