package io.github.redisstreams.metrics;

import io.github.redisstreams.listener.ListenerOptions;

/**
 * A group of a stream.
 *
 * @param stream the stream's key
 * @param group the group's name
 */
record GroupKey(String stream, String group) {

	static GroupKey of(ListenerOptions options) {
		return new GroupKey(options.stream(), options.group());
	}

}
