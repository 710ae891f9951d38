package io.github.redisstreams.publish;

/**
 * What the application's configuration says about writing to streams. With Spring Boot
 * these are the {@code redis.streams.publisher} properties.
 */
public interface PublisherSettings {

	/**
	 * Settings that leave everything to the defaults.
	 */
	PublisherSettings DEFAULTS = new PublisherSettings() {
	};

	/**
	 * The stream that a name stands for.
	 * @param name an entry under {@code redis.streams.listeners}, or a stream's key
	 * @return the stream's key
	 */
	default String streamKey(String name) {
		return name;
	}

	/**
	 * How to write to a stream. Asked when it is written to for the first time, and now
	 * and then where there are very many streams.
	 * @param stream the stream's key
	 * @return the options
	 */
	default PublisherOptions options(String stream) {
		return PublisherOptions.DEFAULTS;
	}

	/**
	 * Whether to send after the commit of the transaction around it, if there is one.
	 * @return {@code false} to send at once
	 */
	default boolean afterCommit() {
		return false;
	}

	/**
	 * Who sends, for {@code IDMP}: idempotency keys of different producers have nothing
	 * to do with each other.
	 * @return a name that all instances of an application share
	 */
	default String producer() {
		return "streams";
	}

}
