package io.github.redisstreams.config;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Holds the containers of all listeners, starts them with the application and stops them
 * before the web server and the connection factory. For look-ups by id, to pause or stop
 * a listener at run time.
 */
public class StreamListenerRegistry implements SmartLifecycle {

	/**
	 * The phase of all listeners: late, so that they start after everything else and stop
	 * before it.
	 */
	public static final int PHASE = Integer.MAX_VALUE - 100;

	/**
	 * How long the application's start waits for the groups to be created. Where Redis
	 * does not answer, the listeners go on trying and the application starts without
	 * them.
	 */
	private static final Duration START_PATIENCE = Duration.ofSeconds(5);

	private static final Log logger = LogFactory.getLog(StreamListenerRegistry.class);

	private final Map<String, Registration> registrations = new LinkedHashMap<>();

	private volatile boolean running;

	/**
	 * Create the container of a listener and start it if the registry runs already.
	 * @param endpoint the listener
	 * @param factory creates the container
	 * @throws StreamsConfigurationException if another listener has its id, or its stream
	 * and group
	 */
	public void register(StreamListenerEndpoint endpoint, StreamListenerContainerFactory factory) {
		StreamListenerContainer container = factory.createContainer(endpoint);
		synchronized (this.registrations) {
			this.registrations.values().forEach((other) -> checkDistinct(other, endpoint, container));
			this.registrations.put(endpoint.id(), new Registration(endpoint, container));
		}
		if (this.running && container.getOptions().autoStartup()) {
			container.start();
		}
	}

	private static void checkDistinct(Registration other, StreamListenerEndpoint endpoint,
			StreamListenerContainer container) {
		String source = endpoint.source();
		String both = other.endpoint.source().equals(source) ? source + ", in two beans"
				: other.endpoint.source() + " and " + source;
		if (other.endpoint.id().equals(endpoint.id())) {
			throw new StreamsConfigurationException("Two listeners have the id '" + endpoint.id() + "': " + both,
					"Give one of them an id of its own, such as @StreamListener(id = \"" + endpoint.id()
							+ "-2\", ...). An id defaults to the stream's name.");
		}
		ListenerOptions options = container.getOptions();
		ListenerOptions others = other.container.getOptions();
		if (others.stream().equals(options.stream()) && others.group().equals(options.group())) {
			throw new StreamsConfigurationException(
					"Two listeners read stream '" + options.stream() + "' for group '" + options.group() + "': " + both,
					"Give one of them a group of its own, so that each gets every entry, or remove one. "
							+ "To handle more entries at once raise the concurrency.");
		}
	}

	/**
	 * The container of a listener.
	 * @param id the listener's id
	 * @return its container, or {@code null} if there is none with that id
	 */
	public @Nullable StreamListenerContainer getContainer(String id) {
		synchronized (this.registrations) {
			Registration registration = this.registrations.get(id);
			return (registration != null) ? registration.container : null;
		}
	}

	/**
	 * All containers.
	 * @return the containers in the order of their registration
	 */
	public Collection<StreamListenerContainer> getContainers() {
		synchronized (this.registrations) {
			return this.registrations.values().stream().map(Registration::container).toList();
		}
	}

	@Override
	public void start() {
		this.running = true;
		List<CompletableFuture<Void>> starts = getContainers().stream()
			.filter((container) -> container.getOptions().autoStartup())
			.map(StreamListenerContainer::start)
			.toList();
		try {
			CompletableFuture.allOf(starts.toArray(CompletableFuture[]::new))
				.get(START_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			logger.warn("Redis does not answer; the application starts and its listeners go on trying");
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Returns when all listeners have stopped, rather than calling back: Spring counts a
	 * phase as done once as many beans have called back as it has members, and a bean of
	 * another phase that depends on this one is counted too.
	 */
	@Override
	public void stop() {
		this.running = false;
		try (SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("streams-stop-")) {
			List<CompletableFuture<Void>> stops = getContainers().stream()
				.map((container) -> CompletableFuture.runAsync(container::stop, executor))
				.toList();
			CompletableFuture.allOf(stops.toArray(CompletableFuture[]::new)).join();
		}
		catch (CompletionException ex) {
			logger.warn("A listener did not stop cleanly", ex);
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	private record Registration(StreamListenerEndpoint endpoint, StreamListenerContainer container) {

	}

}
