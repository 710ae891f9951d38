package io.github.redisstreams.autoconfigure.actuate;

import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.redisstreams.autoconfigure.actuate.ActionDescriptor.Outcome;
import io.github.redisstreams.listener.StreamListenerContainer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Does what requests ask for. What takes longer than the endpoint waits goes on: to
 * interrupt a stop would be to interrupt handlers. An audit event tells of each action
 * once it has ended, however it has.
 */
final class ListenerActions {

	static final String AUDIT_EVENT_TYPE = "REDIS_STREAMS_ACTION";

	private static final Log logger = LogFactory.getLog(ListenerActions.class);

	private final BoundedCalls calls;

	private final DeadLetterActions deadLetters;

	private final ApplicationEventPublisher events;

	private final Set<Action> underWay = ConcurrentHashMap.newKeySet();

	ListenerActions(BoundedCalls calls, DeadLetterActions deadLetters, ApplicationEventPublisher events) {
		this.calls = calls;
		this.deadLetters = deadLetters;
		this.events = events;
	}

	/**
	 * What is being done with a listener.
	 */
	List<String> underWay(String listenerId) {
		return this.underWay.stream()
			.filter((action) -> action.listenerId.equals(listenerId))
			.map((action) -> action.name)
			.sorted()
			.toList();
	}

	/**
	 * Do something with a listener.
	 * @param arguments what the request has sent
	 * @param principal who asks
	 * @throws org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException
	 * if it does not say what to do
	 * @throws ActionFailedException if it failed
	 */
	ActionDescriptor perform(StreamListenerContainer container, Map<String, ? extends @Nullable Object> arguments,
			@Nullable Principal principal) {
		ActionParameters parameters = ActionParameters.of(arguments);
		Callable<Map<String, Object>> work = work(container, parameters);
		Action action = new Action(container.getId(), parameters.action().toString(), parameters,
				(principal != null) ? principal.getName() : null);
		Map<String, Object> result = await(begin(action, work));
		return new ActionDescriptor(container.getId(), action.name, (result != null) ? Outcome.DONE : Outcome.UNDER_WAY,
				container.getStatus().state(), (result == null || result.isEmpty()) ? null : result);
	}

	private Callable<Map<String, Object>> work(StreamListenerContainer container, ActionParameters parameters) {
		return switch (parameters.action()) {
			case PAUSE -> doing(container::pause);
			case RESUME -> doing(container::resume);
			case STOP -> doing(container::stop);
			case START -> doing(() -> container.start().join());
			case REDRIVE -> this.deadLetters.redrive(container.getId(), parameters);
			case PURGE -> this.deadLetters.purge(container.getId(), parameters);
		};
	}

	private static Callable<Map<String, Object>> doing(Runnable work) {
		return () -> {
			work.run();
			return Map.of();
		};
	}

	private CompletableFuture<Map<String, Object>> begin(Action action, Callable<Map<String, Object>> work) {
		this.underWay.add(action);
		try {
			return this.calls.begin(work).whenComplete((result, failure) -> {
				this.underWay.remove(action);
				audit(action, result, failure);
			});
		}
		catch (RejectedExecutionException ex) {
			this.underWay.remove(action);
			throw new ActionFailedException("Too much is under way. Try again later", true, ex);
		}
	}

	private @Nullable Map<String, Object> await(CompletableFuture<Map<String, Object>> work) {
		try {
			return work.get(this.calls.timeout().toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			return null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
		catch (ExecutionException ex) {
			RedisProblem problem = RedisProblem.of(cause(ex));
			throw new ActionFailedException(problem.description(), problem.unavailable(), cause(ex));
		}
	}

	private static Throwable cause(Throwable failure) {
		return ((failure instanceof ExecutionException || failure instanceof CompletionException)
				&& failure.getCause() != null) ? failure.getCause() : failure;
	}

	private void audit(Action action, @Nullable Map<String, Object> result, @Nullable Throwable failure) {
		Map<String, @Nullable Object> data = new LinkedHashMap<>();
		data.put("listener", action.listenerId);
		data.put("action", action.name);
		if (!action.parameters.values().isEmpty()) {
			data.put("parameters", action.parameters.values());
		}
		data.put("outcome", (failure == null) ? "success" : "failure");
		if (failure != null) {
			data.put("error", RedisProblem.of(cause(failure)).description());
		}
		if (result != null) {
			data.putAll(result);
			data.remove("entries");
		}
		try {
			this.events
				.publishEvent(new AuditApplicationEvent(new AuditEvent(action.principal, AUDIT_EVENT_TYPE, data)));
		}
		// It is done all the same
		catch (RuntimeException ex) {
			logger.error("The audit event of " + data + " was not taken", ex);
		}
	}

	/**
	 * An action, none of which is equal to another.
	 */
	private static final class Action {

		private final String listenerId;

		private final String name;

		private final ActionParameters parameters;

		private final @Nullable String principal;

		Action(String listenerId, String name, ActionParameters parameters, @Nullable String principal) {
			this.listenerId = listenerId;
			this.name = name;
			this.parameters = parameters;
			this.principal = principal;
		}

	}

}
