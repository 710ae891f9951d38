package io.github.redisstreams.test;

import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.EntryMessageConverter;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Where to look at streams.
 *
 * @param commands reads groups and entries
 * @param deadLetters reads dead letters
 * @param converter reads payloads
 * @param redis reads what is pending, which the port to Redis tells of single consumers
 * only
 */
record StreamSources(StreamCommands commands, DeadLetters deadLetters, EntryMessageConverter converter,
		StringRedisTemplate redis) {

}
