package io.github.redisstreams.redis;

/**
 * One consumer of a group, as Redis knows it.
 *
 * @param stream the stream's key
 * @param group the group's name
 * @param name the consumer's name within the group
 */
public record StreamConsumer(String stream, String group, String name) {

}
