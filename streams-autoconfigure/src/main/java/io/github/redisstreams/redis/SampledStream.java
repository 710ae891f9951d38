package io.github.redisstreams.redis;

import java.util.Set;

/**
 * A stream that is to be sampled.
 *
 * @param key its key
 * @param groups the names of the groups that are of interest
 * @param deadLetters the keys of the streams that its dead letters go to
 */
public record SampledStream(String key, Set<String> groups, Set<String> deadLetters) {

	/**
	 * Create an immutable copy.
	 * @param key the stream's key
	 * @param groups the names of the groups that are of interest
	 * @param deadLetters the keys of the streams that its dead letters go to
	 */
	public SampledStream(String key, Set<String> groups, Set<String> deadLetters) {
		this.key = key;
		this.groups = Set.copyOf(groups);
		this.deadLetters = Set.copyOf(deadLetters);
	}

}
