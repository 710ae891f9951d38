package io.github.redisstreams.autoconfigure.actuate;

import java.security.Principal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

import io.github.redisstreams.autoconfigure.actuate.ListenerReader.Reading;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.StreamCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.context.ApplicationEventPublisher;

/**
 * {@link Endpoint @Endpoint} to see the listeners of this process with their groups,
 * consumers and dead letters, and to act on them.
 * <p>
 * Waits for Redis no longer than its timeout, and reads no more than a bounded number of
 * entries and dead letters.
 */
@Endpoint(id = "redisstreams")
public class RedisStreamsEndpoint implements DisposableBean {

	private final StreamListenerRegistry registry;

	private final Show showValues;

	private final BoundedCalls calls;

	private final ListenerReader reader;

	private final ListenerActions actions;

	/**
	 * Create a new endpoint.
	 * @param registry knows the listeners
	 * @param commands the port to Redis
	 * @param deadLetters what can be done with dead letters
	 * @param events takes audit events
	 * @param sanitizingFunctions hide values of dead letters
	 * @param showValues whether to show these at all
	 * @param timeout how long to wait for Redis, and for an action to be done
	 * @throws io.github.redisstreams.StreamsConfigurationException if that is less than a
	 * millisecond
	 */
	public RedisStreamsEndpoint(StreamListenerRegistry registry, StreamCommands commands, DeadLetters deadLetters,
			ApplicationEventPublisher events, Iterable<SanitizingFunction> sanitizingFunctions, Show showValues,
			Duration timeout) {
		this.registry = registry;
		this.showValues = showValues;
		this.calls = new BoundedCalls(timeout);
		this.reader = new ListenerReader(commands, deadLetters, new DeadLetterDescriber(sanitizingFunctions));
		this.actions = new ListenerActions(this.calls, new DeadLetterActions(deadLetters), events);
	}

	/**
	 * All listeners, as this process knows them. Asks Redis nothing.
	 * @return the listeners
	 */
	@ReadOperation
	public ListenersDescriptor listeners() {
		Map<String, ListenerDescriptor> listeners = new TreeMap<>();
		this.registry.getContainers().forEach((container) -> listeners.put(container.getId(), describe(container)));
		return new ListenersDescriptor(listeners);
	}

	/**
	 * A listener, and what Redis tells of its stream, group and dead letters.
	 * @param listenerId the listener's id
	 * @return the details; {@code null} if there is no such listener
	 */
	@ReadOperation
	public @Nullable ListenerDetailsDescriptor listener(@Selector String listenerId) {
		Reading reading = read(listenerId, this.showValues.isShown(true));
		return (reading != null) ? reading.details() : null;
	}

	/**
	 * Act on a listener.
	 * @param listenerId the listener's id
	 * @param action {@code pause}, {@code resume}, {@code stop}, {@code start},
	 * {@code redrive} or {@code purge}
	 * @param ids ids of dead letters, with commas between them
	 * @param from the time or id of the first dead letter
	 * @param to the time or id of the last dead letter
	 * @param maximum the most dead letters to put back or delete
	 * @param maxRedrives a dead letter that was put back this often is left
	 * @param dryRun whether a redrive only tells what it would do
	 * @return what came of it
	 */
	@WriteOperation
	public ActionDescriptor perform(@Selector String listenerId, String action, @Nullable String ids,
			@Nullable String from, @Nullable String to, @Nullable Integer maximum, @Nullable Integer maxRedrives,
			@Nullable Boolean dryRun) {
		Map<String, @Nullable Object> arguments = new LinkedHashMap<>();
		arguments.put(ActionParameters.ACTION, action);
		arguments.put(ActionParameters.IDS, ids);
		arguments.put(ActionParameters.FROM, from);
		arguments.put(ActionParameters.TO, to);
		arguments.put(ActionParameters.MAXIMUM, maximum);
		arguments.put(ActionParameters.MAX_REDRIVES, maxRedrives);
		arguments.put(ActionParameters.DRY_RUN, dryRun);
		ActionDescriptor result = perform(listenerId, arguments, null);
		if (result == null) {
			String reason = unknown(listenerId);
			throw new InvalidEndpointRequestException(reason, reason);
		}
		return result;
	}

	/**
	 * Act on a listener.
	 * @return what came of it; {@code null} if there is no such listener
	 */
	@Nullable ActionDescriptor perform(String listenerId, Map<String, ? extends @Nullable Object> arguments,
			@Nullable Principal principal) {
		StreamListenerContainer container = this.registry.getContainer(listenerId);
		return (container != null) ? this.actions.perform(container, arguments, principal) : null;
	}

	/**
	 * Read all there is to tell about a listener.
	 * @return what was read; {@code null} if there is no such listener
	 */
	@Nullable Reading read(String listenerId, boolean showValues) {
		StreamListenerContainer container = this.registry.getContainer(listenerId);
		if (container == null) {
			return null;
		}
		ListenerDescriptor listener = describe(container);
		try {
			return this.calls.call(() -> this.reader.read(listenerId, container.getOptions(), listener, showValues));
		}
		catch (TimeoutException ex) {
			return Reading.nothing(listenerId, listener, "No reply within " + this.calls.timeout().toMillis() + " ms");
		}
		catch (RejectedExecutionException ex) {
			return Reading.nothing(listenerId, listener, "Too much is under way. Try again later");
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return Reading.nothing(listenerId, listener, "Interrupted while waiting for Redis");
		}
		catch (ExecutionException ex) {
			return Reading.nothing(listenerId, listener, RedisProblem.of(ex).description());
		}
	}

	/**
	 * Say that there is no such listener, and which there are.
	 */
	String unknown(String listenerId) {
		List<String> ids = this.registry.getContainers().stream().map(StreamListenerContainer::getId).sorted().toList();
		return "There is no listener '" + listenerId + "'. "
				+ (ids.isEmpty() ? "There is none at all" : "There are: " + String.join(", ", ids));
	}

	private ListenerDescriptor describe(StreamListenerContainer container) {
		return ListenerDescriptor.of(container, this.actions.underWay(container.getId()));
	}

	@Override
	public void destroy() {
		this.calls.close();
	}

}
