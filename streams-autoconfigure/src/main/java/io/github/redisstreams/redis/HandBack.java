package io.github.redisstreams.redis;

import java.time.Duration;

/**
 * A pending entry that its consumer gives up.
 *
 * @param id the entry
 * @param idle how long it is to count as idle; with {@code min-idle} others may claim it
 * at once
 * @param deliveryCount how often it is to count as delivered
 */
public record HandBack(EntryId id, Duration idle, long deliveryCount) {

}
