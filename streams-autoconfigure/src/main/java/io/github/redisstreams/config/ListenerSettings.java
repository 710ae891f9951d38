package io.github.redisstreams.config;

import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.redis.StreamKeys;
import io.github.redisstreams.support.ConsumerNames;

/**
 * What the application's configuration says about listeners. With Spring Boot these are
 * the {@code redis.streams} properties; without it, nothing but a consumer named after
 * the host.
 */
public interface ListenerSettings {

	/**
	 * Settings that leave everything to the annotation.
	 */
	ListenerSettings NONE = new ListenerSettings() {
	};

	/**
	 * Apply what is set for every listener. Annotation attributes win over it.
	 * @param options the options to change
	 */
	default void applyDefaults(ListenerOptions.Builder options) {
		options.consumer(ConsumerNames.ofHost());
	}

	/**
	 * Apply what is set under a listener's name or id. Wins over annotation attributes.
	 * @param nameOrId the name or id
	 * @param options the options to change
	 */
	default void applyOverrides(String nameOrId, ListenerOptions.Builder options) {
	}

	/**
	 * Look at the options of a listener once all levels are put together.
	 * @param endpoint the listener
	 * @param options its options
	 * @throws io.github.redisstreams.StreamsConfigurationException if they cannot work
	 */
	default void check(StreamListenerEndpoint endpoint, ListenerOptions options) {
	}

	/**
	 * The stream that a name stands for.
	 * @param name an entry under {@code redis.streams.listeners}, or a stream's key
	 * @return the stream's key
	 */
	default String streamKey(String name) {
		return name;
	}

	/**
	 * The stream that the dead letters of a name go to. Default: that of
	 * {@link StreamKeys#deadLetters} for its stream.
	 * @param name an entry under {@code redis.streams.listeners}, or a stream's key
	 * @return the key of the dead-letter stream
	 */
	default String deadLetterStream(String name) {
		return StreamKeys.deadLetters(streamKey(name));
	}

}
