package io.github.redisstreams.config;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.listener.ContainerObservers;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamKeys;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Creates containers for endpoints: puts their options together, lowest precedence first
 * (built-in defaults, configured defaults, the endpoint's attributes, what is configured
 * under its name, under its id, customizers), and gives them what they share.
 */
public class StreamListenerContainerFactory implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(StreamListenerContainerFactory.class);

	private final StreamCommands commands;

	private final ListenerSettings settings;

	private final List<StreamContainerCustomizer> customizers;

	private final boolean virtualThreads;

	private final ContainerObservers observers;

	private final ScheduledExecutorService timer;

	/**
	 * Create a factory with platform threads and nothing configured, whose listeners
	 * nobody watches.
	 * @param commands the port to Redis
	 */
	public StreamListenerContainerFactory(StreamCommands commands) {
		this(commands, ListenerSettings.NONE, List.of(), false);
	}

	/**
	 * Create a factory whose listeners nobody watches.
	 * @param commands the port to Redis
	 * @param settings what the application's configuration says
	 * @param customizers change options in code
	 * @param virtualThreads whether handlers run on virtual threads
	 */
	public StreamListenerContainerFactory(StreamCommands commands, ListenerSettings settings,
			List<StreamContainerCustomizer> customizers, boolean virtualThreads) {
		this(commands, settings, customizers, virtualThreads, ContainerObservers.NONE);
	}

	/**
	 * Create a factory.
	 * @param commands the port to Redis
	 * @param settings what the application's configuration says
	 * @param customizers change options in code
	 * @param virtualThreads whether handlers run on virtual threads
	 * @param observers watch the containers
	 */
	public StreamListenerContainerFactory(StreamCommands commands, ListenerSettings settings,
			List<StreamContainerCustomizer> customizers, boolean virtualThreads, ContainerObservers observers) {
		this.commands = commands;
		this.settings = settings;
		this.customizers = List.copyOf(customizers);
		this.virtualThreads = virtualThreads;
		this.observers = observers;
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
		this.settings.check(endpoint, options);
		checkDeadLetterStream(endpoint, options);
		return new StreamListenerContainer(endpoint.id(), options, endpoint.handler(), this.commands, this.timer,
				workerThreads("streams-" + endpoint.id() + "-"), this.observers);
	}

	// The default key always is in the stream's slot, and so needs no connection
	private void checkDeadLetterStream(StreamListenerEndpoint endpoint, ListenerOptions options) {
		if (!options.deadLetter().enabled() || options.deadLetter().stream() == null) {
			return;
		}
		try {
			if (this.commands.areTogether(options.stream(), options.deadLetterStream())) {
				return;
			}
		}
		// Redis may come up later than the application
		catch (DataAccessException ex) {
			logger.debug("Whether '" + options.deadLetterStream() + "' can be the dead-letter stream of '"
					+ options.stream() + "' cannot be told now", ex);
			return;
		}
		throw new StreamsConfigurationException(
				"Listener '" + endpoint.id() + "' (" + endpoint.source() + ") cannot work with the dead-letter.stream '"
						+ options.deadLetterStream() + "', which is not in the same slot of the cluster as its stream '"
						+ options.stream() + "'",
				"Set " + endpoint.property("dead-letter.stream") + ", redis.streams.listener.dead-letter.stream or the "
						+ "annotation's attribute to a key with the stream's hash tag, such as '"
						+ StreamKeys.deadLetters(options.stream()) + "', which is the default.");
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
