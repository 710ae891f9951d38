package io.github.redisstreams.config;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StopReason;
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
	 * How long to wait for a group to be created, from the start of its listener. Where
	 * Redis does not answer, the listener goes on trying, and nobody waits for it.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final Log logger = LogFactory.getLog(StreamListenerRegistry.class);

	private final Map<String, Registration> registrations = new LinkedHashMap<>();

	/** By listener id. */
	private final Map<String, FirstAttempt> firstAttempts = new ConcurrentHashMap<>();

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
			start(container);
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

	/**
	 * Start all listeners that start by themselves. Waits only for those that are given
	 * nothing but what is added once their group is there; the groups of others get all
	 * the same whenever they are created.
	 */
	@Override
	public void start() {
		this.running = true;
		List<StreamListenerContainer> containers = getContainers().stream()
			.filter((container) -> container.getOptions().autoStartup())
			.toList();
		containers.forEach(this::start);
		containers.stream().filter((container) -> container.getOptions().startsFromLatest()).forEach(this::awaitGroup);
	}

	private void start(StreamListenerContainer container) {
		this.firstAttempts.put(container.getId(), new FirstAttempt(container.start(), System.nanoTime()));
	}

	/**
	 * Wait until those listeners of a stream that were started with the registry have
	 * their groups, or the first attempt to create them has failed; not longer than five
	 * seconds after their start. To be called before a stream is asked about, or written
	 * to and trimmed, for the first time: what a group has still to be given is kept for
	 * it, but before it is there nobody knows of it.
	 * @param stream the stream's key
	 */
	public void awaitGroups(String stream) {
		getContainers().stream()
			.filter((container) -> container.getOptions().stream().equals(stream))
			.forEach(this::awaitGroup);
	}

	private void awaitGroup(StreamListenerContainer container) {
		FirstAttempt attempt = this.firstAttempts.get(container.getId());
		if (attempt != null) {
			attempt.await();
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
				.map((container) -> CompletableFuture.runAsync(() -> container.stop(StopReason.SHUTDOWN), executor))
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

	/**
	 * The first attempt to create a group.
	 *
	 * @param end completed when the group has been created, or could not be
	 * @param startedAt when the container was started, by {@link System#nanoTime()}
	 */
	private record FirstAttempt(CompletableFuture<Void> end, long startedAt) {

		void await() {
			try {
				this.end.get(this.startedAt + PATIENCE.toNanos() - System.nanoTime(), TimeUnit.NANOSECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			catch (TimeoutException ex) {
				// For the container itself the attempt goes on
			}
			catch (ExecutionException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
