package io.github.redisstreams.listener;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.redisstreams.listener.FailureCircuit.Permit;
import io.github.redisstreams.listener.failure.FailurePolicy;
import io.github.redisstreams.listener.failure.Outcome;
import io.github.redisstreams.redis.EntryId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Has entries handled and decides what becomes of each. Runs on worker threads; must
 * never throw, whatever the handler does.
 */
final class RecordProcessor {

	private static final Log logger = LogFactory.getLog(RecordProcessor.class);

	private final String listenerId;

	private final ListenerOptions options;

	private final EntryHandler handler;

	private final HandlerObserver.Calls observer;

	private final InFlightLimiter limiter;

	private final FailureCircuit circuit;

	private final TaskNotes tasks;

	private final FailurePolicy policy;

	private volatile boolean abandoned;

	RecordProcessor(String listenerId, ListenerOptions options, EntryHandler handler, HandlerObserver.Calls observer,
			InFlightLimiter limiter, FailureCircuit circuit, TaskNotes tasks) {
		this.listenerId = listenerId;
		this.options = options;
		this.handler = handler;
		this.observer = observer;
		this.limiter = limiter;
		this.circuit = circuit;
		this.tasks = tasks;
		this.policy = new FailurePolicy(listenerId, options.maxDeliveries(), options.retry(), options.failureHandler());
	}

	void process(List<Delivery> deliveries) {
		List<Delivery> allowed = withoutPoison(deliveries);
		if (allowed.isEmpty()) {
			return;
		}
		Permit permit = this.circuit.tryStart();
		if (permit == Permit.NONE) {
			postpone(allowed);
			return;
		}
		this.tasks.running(allowed);
		HandlerObserver.Call call = this.observer.begin(allowed);
		try {
			handle(permit, allowed);
		}
		finally {
			call.end();
		}
	}

	private void handle(Permit permit, List<Delivery> allowed) {
		long start = System.nanoTime();
		Map<EntryId, Throwable> failures = invoke(allowed);
		this.limiter.handled(allowed.size(), System.nanoTime() - start);
		record(permit, allowed, failures);
		allowed.forEach((delivery) -> settle(delivery, failures.get(delivery.entry().id())));
	}

	// Nobody has lived to say that it failed so often, so its handler may well kill
	private List<Delivery> withoutPoison(List<Delivery> deliveries) {
		if (!this.options.deadLetter().enabled() || !hasPoison(deliveries)) {
			return deliveries;
		}
		List<Delivery> allowed = new ArrayList<>(deliveries);
		allowed.removeIf(this::isPoison);
		this.limiter.unstarted(deliveries.size() - allowed.size());
		deliveries.stream()
			.filter(this::isPoison)
			.forEach((delivery) -> delivery
				.settle(new Outcome.DeadLetter("delivered " + (delivery.entry().deliveryCount() - 1)
						+ " times before without being settled; max-deliveries is " + this.options.maxDeliveries())));
		return allowed;
	}

	private boolean hasPoison(List<Delivery> deliveries) {
		for (Delivery delivery : deliveries) {
			if (isPoison(delivery)) {
				return true;
			}
		}
		return false;
	}

	private boolean isPoison(Delivery delivery) {
		return delivery.entry().deliveryCount() > this.options.maxDeliveries();
	}

	private void postpone(List<Delivery> deliveries) {
		this.limiter.unstarted(deliveries.size());
		deliveries.forEach((delivery) -> {
			delivery.spare();
			delivery.settle(new Outcome.Retry(this.circuit.untilNextTry()));
		});
	}

	/**
	 * Call the handler.
	 * @return what failed, and why
	 */
	private Map<EntryId, Throwable> invoke(List<Delivery> deliveries) {
		try {
			this.handler.handle(deliveries);
			return Map.of();
		}
		catch (EntriesFailedException ex) {
			return ex.among(ids(deliveries));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return allOf(ids(deliveries), ex);
		}
		// Errors too: a handler's NoClassDefFoundError must not end the worker silently
		catch (Throwable ex) {
			return allOf(ids(deliveries), ex);
		}
	}

	private static List<EntryId> ids(List<Delivery> deliveries) {
		return deliveries.stream().map((delivery) -> delivery.entry().id()).toList();
	}

	private static Map<EntryId, Throwable> allOf(List<EntryId> ids, Throwable failure) {
		return ids.stream().collect(Collectors.toMap(Function.identity(), (id) -> failure));
	}

	private void record(Permit permit, List<Delivery> deliveries, Map<EntryId, Throwable> failures) {
		int mendable = failures.isEmpty() ? 0
				: (int) failures.values().stream().filter((failure) -> !this.policy.isFatal(failure)).count();
		this.circuit.record(permit, deliveries.size() - failures.size(), mendable);
	}

	private void settle(Delivery delivery, @Nullable Throwable failure) {
		Outcome outcome = new Outcome.Leave();
		try {
			if (failure != null) {
				delivery.failedWith(failure);
				outcome = afterFailure(delivery, failure);
				logFailure(delivery, failure, outcome);
			}
			else if (this.options.ackMode() != AckMode.MANUAL) {
				outcome = new Outcome.Ack();
			}
		}
		finally {
			delivery.settle(outcome);
		}
	}

	private Outcome afterFailure(Delivery delivery, Throwable failure) {
		// Interrupted at a stop, which says nothing about the entry
		if (this.abandoned) {
			return new Outcome.Leave();
		}
		if (this.options.ackMode() == AckMode.ALWAYS) {
			return new Outcome.Ack();
		}
		if (!this.circuit.isClosed() && !this.policy.isFatal(failure)) {
			delivery.spare();
			return new Outcome.Retry(this.circuit.untilNextTry());
		}
		return this.policy.decide(delivery.entry(), failure);
	}

	private void logFailure(Delivery delivery, Throwable failure, Outcome outcome) {
		String message = "Listener '" + this.listenerId + "' failed on " + delivery + "; "
				+ consequence(delivery, outcome);
		if (this.abandoned) {
			logger.info(message + ". It was interrupted at the stop: " + failure.getClass().getName());
			return;
		}
		try {
			logger.warn(message, failure);
		}
		// Some exceptions cannot even tell their message
		catch (Throwable ex) {
			logger.warn(
					message + ". Its " + failure.getClass().getName() + " cannot be shown: " + ex.getClass().getName());
		}
	}

	private String consequence(Delivery delivery, Outcome outcome) {
		if (delivery.isAcknowledged()) {
			return "it was acknowledged before";
		}
		if (delivery.isDecided()) {
			return "what becomes of it was decided before";
		}
		if (outcome instanceof Outcome.Retry retry) {
			return "it is delivered again in " + retry.delay().toMillis() + " ms";
		}
		if (outcome instanceof Outcome.DeadLetter deadLetter) {
			return deadLetter.reason() + (this.options.deadLetter().enabled() ? ", so it goes to the dead letters"
					: ", and without dead letters it is delivered again");
		}
		return (outcome instanceof Outcome.Ack) ? "it is acknowledged all the same (ack-mode always)"
				: "it stays pending and is delivered again after min-idle (" + this.options.minIdle().toMillis()
						+ " ms)";
	}

	/**
	 * From now on handlers are interrupted, so that their failures mean nothing.
	 */
	void abandon() {
		this.abandoned = true;
	}

}
