package io.github.redisstreams.redis;

import java.time.Duration;

/**
 * One line of a group's pending list, as {@code XPENDING} reports it.
 *
 * @param id the entry
 * @param consumer who holds it
 * @param idle how long ago it was delivered, or its lease last renewed
 * @param deliveryCount how often it was delivered
 */
public record PendingDelivery(EntryId id, String consumer, Duration idle, long deliveryCount) {

}
