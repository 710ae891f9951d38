package io.github.redisstreams.config;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;

import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.StreamCommands;

import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Creates containers for endpoints: puts their options together, lowest precedence first
 * (built-in defaults, configured defaults, the endpoint's attributes, what is configured
 * under its name, under its id, customizers), and gives them what they share.
 */
public class StreamListenerContainerFactory implements AutoCloseable {

	private final StreamCommands commands;

	private final ListenerSettings settings;

	private final List<StreamContainerCustomizer> customizers;

	private final boolean virtualThreads;

	private final ScheduledExecutorService timer;

	/**
	 * Create a factory with platform threads and nothing configured.
	 * @param commands the port to Redis
	 */
	public StreamListenerContainerFactory(StreamCommands commands) {
		this(commands, ListenerSettings.NONE, List.of(), false);
	}

	/**
	 * Create a factory.
	 * @param commands the port to Redis
	 * @param settings what the application's configuration says
	 * @param customizers change options in code
	 * @param virtualThreads whether handlers run on virtual threads
	 */
	public StreamListenerContainerFactory(StreamCommands commands, ListenerSettings settings,
			List<StreamContainerCustomizer> customizers, boolean virtualThreads) {
		this.commands = commands;
		this.settings = settings;
		this.customizers = List.copyOf(customizers);
		this.virtualThreads = virtualThreads;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("streams-timer-");
		threads.setDaemon(true);
		this.timer = Executors.newSingleThreadScheduledExecutor(threads);
	}

	/**
	 * Create a container, not started.
	 * @param endpoint what it is for
	 * @return the container
	 * @throws io.github.redisstreams.StreamsConfigurationException if its options cannot
	 * work
	 */
	public StreamListenerContainer createContainer(StreamListenerEndpoint endpoint) {
		ListenerOptions.Builder builder = ListenerOptions.builder().stream(endpoint.name());
		this.settings.applyDefaults(builder);
		endpoint.attributes().accept(builder);
		this.settings.applyOverrides(endpoint.name(), builder);
		this.settings.applyOverrides(endpoint.id(), builder);
		this.customizers.forEach((customizer) -> customizer.customize(endpoint, builder));
		ListenerOptions options = builder.build(endpoint.id(), endpoint.source());
		return new StreamListenerContainer(endpoint.id(), options, endpoint.handler(), this.commands, this.timer,
				workerThreads("streams-" + endpoint.id() + "-"));
	}

	private ThreadFactory workerThreads(String prefix) {
		return this.virtualThreads ? new VirtualThreadTaskExecutor(prefix).getVirtualThreadFactory()
				: new CustomizableThreadFactory(prefix);
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
