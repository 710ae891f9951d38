package io.github.redisstreams.redis;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * One consumer of a group as {@code XINFO CONSUMERS} reports it.
 *
 * @param name the consumer's name
 * @param pending how many entries it holds
 * @param idle how long ago it last tried to do something; on Redis 7.0 and older how long
 * ago it was last given something
 * @param inactive how long ago it was last given something; {@code null} where the server
 * cannot tell (Redis before 7.2, or if it never was)
 */
public record ConsumerInfo(String name, long pending, Duration idle, @Nullable Duration inactive) {

}
