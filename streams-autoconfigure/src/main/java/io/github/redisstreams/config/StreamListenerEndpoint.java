package io.github.redisstreams.config;

import java.util.function.Consumer;

import io.github.redisstreams.listener.EntryHandler;
import io.github.redisstreams.listener.ListenerOptions;

/**
 * One listener to create a container for: an annotated method and one of its streams, or
 * a handler registered through {@link StreamListenerRegistrar}.
 *
 * @param id identifies the listener in the registry, in the configuration and in the log
 * @param name the name of its stream: an entry under {@code redis.streams.listeners}, or
 * the stream's key
 * @param source where the listener comes from, for errors: its method, for one
 * @param handler takes the entries
 * @param attributes options that come with the listener; the configuration's entries for
 * its name and id win over them, and they over the configuration's defaults
 */
public record StreamListenerEndpoint(String id, String name, String source, EntryHandler handler,
		Consumer<ListenerOptions.Builder> attributes) {

	/**
	 * An endpoint whose options come from the configuration alone.
	 * @param id the listener's id, and the name of its stream
	 * @param handler takes the entries
	 * @return the endpoint
	 */
	public static StreamListenerEndpoint of(String id, EntryHandler handler) {
		return new StreamListenerEndpoint(id, id, handler.getClass().getName(), handler, (options) -> {
		});
	}

	/**
	 * The property that sets an option of this listener alone, for errors.
	 * @param option the option, such as {@code min-idle}
	 * @return the property as it must be written: a name with a colon, say, stands in
	 * brackets
	 */
	public String property(String option) {
		return property(this.id, option);
	}

	/**
	 * The property that sets an option of the listeners with a name or id, for errors.
	 * @param nameOrId the name or id
	 * @param option the option, such as {@code min-idle}
	 * @return the property as it must be written
	 */
	public static String property(String nameOrId, String option) {
		String name = nameOrId.matches("[\\w-]+") ? "." + nameOrId : "[" + nameOrId + "]";
		return "redis.streams.listeners" + name + "." + option;
	}

}
