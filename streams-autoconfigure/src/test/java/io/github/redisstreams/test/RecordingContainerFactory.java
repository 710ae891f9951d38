package io.github.redisstreams.test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.config.ListenerSettings;
import io.github.redisstreams.config.StreamListenerContainerFactory;
import io.github.redisstreams.config.StreamListenerEndpoint;
import io.github.redisstreams.listener.Delivery;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamEntry;

/**
 * Creates containers that do not start by themselves and lets tests call their handlers
 * without a server. The group is {@code workers} unless the listener says otherwise.
 */
public final class RecordingContainerFactory extends StreamListenerContainerFactory {

	private final Map<String, StreamListenerEndpoint> endpoints = new LinkedHashMap<>();

	private final Map<String, StreamListenerContainer> containers = new LinkedHashMap<>();

	public RecordingContainerFactory() {
		this(new StubCommands());
	}

	public RecordingContainerFactory(StreamCommands commands) {
		super(commands, new NoStart(), List.of(), false);
	}

	@Override
	public StreamListenerContainer createContainer(StreamListenerEndpoint endpoint) {
		StreamListenerContainer container = super.createContainer(endpoint);
		this.endpoints.put(endpoint.id(), endpoint);
		this.containers.put(endpoint.id(), container);
		return container;
	}

	/**
	 * The ids of all listeners in the order of their registration.
	 */
	public List<String> ids() {
		return List.copyOf(this.endpoints.keySet());
	}

	public ListenerOptions options(String id) {
		return this.containers.get(id).getOptions();
	}

	public StreamListenerEndpoint endpoint(String id) {
		return this.endpoints.get(id);
	}

	/**
	 * Call a listener's handler once.
	 * @return the ids of the entries that the handler has acknowledged by itself
	 */
	public List<EntryId> handle(String id, StreamEntry... entries) throws Exception {
		List<EntryId> acknowledged = Collections.synchronizedList(new ArrayList<>());
		ListenerOptions options = options(id);
		this.endpoints.get(id)
			.handler()
			.handle(Arrays.stream(entries)
				.map((entry) -> new Delivery(options, entry,
						(delivery, outcome) -> acknowledged.add(delivery.entry().id())))
				.toList());
		return acknowledged;
	}

	private static final class NoStart implements ListenerSettings {

		@Override
		public void applyDefaults(ListenerOptions.Builder options) {
			options.group("workers").consumer("one").autoStartup(false);
		}

	}

}
