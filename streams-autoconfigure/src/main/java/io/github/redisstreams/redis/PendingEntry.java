package io.github.redisstreams.redis;

import java.time.Duration;

/**
 * One line of the pending list, as {@code XPENDING} reports it.
 *
 * @param id the entry
 * @param consumer who holds it
 * @param idle how long ago it was delivered, or its lease renewed
 * @param deliveryCount how often it was delivered
 */
public record PendingEntry(EntryId id, String consumer, Duration idle, long deliveryCount) {

}
