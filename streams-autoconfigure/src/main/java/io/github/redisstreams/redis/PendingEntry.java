package io.github.redisstreams.redis;

/**
 * One line of a consumer's pending list, as {@code XPENDING} reports it.
 *
 * @param id the entry
 * @param deliveryCount how often it was delivered
 */
public record PendingEntry(EntryId id, long deliveryCount) {

}
