package io.github.redisstreams.listener;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.redisstreams.redis.EntryId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs on the worker threads: calls the handler, decides the {@link Outcome} of each
 * entry, and settles it.
 */
final class RecordProcessor {

	private static final Log logger = LogFactory.getLog(RecordProcessor.class);

	private final String listenerId;

	private final ListenerOptions options;

	private final EntryHandler handler;

	private final InFlightLimiter limiter;

	private final AckBatcher acks;

	RecordProcessor(String listenerId, ListenerOptions options, EntryHandler handler, InFlightLimiter limiter,
			AckBatcher acks) {
		this.listenerId = listenerId;
		this.options = options;
		this.handler = handler;
		this.limiter = limiter;
		this.acks = acks;
	}

	void process(List<Delivery> deliveries) {
		long start = System.nanoTime();
		Map<EntryId, Throwable> failures = invoke(deliveries);
		this.limiter.handled(deliveries.size(), System.nanoTime() - start);
		for (Delivery delivery : deliveries) {
			Throwable failure = failures.get(delivery.entry().id());
			try {
				if (failure != null) {
					logFailure(delivery, failure);
				}
			}
			finally {
				settle(delivery, outcome(delivery, failure));
			}
		}
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
			Set<EntryId> ids = ids(deliveries);
			return ids.containsAll(ex.getFailures().keySet()) ? ex.getFailures() : allOf(ids, ex);
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

	private static Set<EntryId> ids(List<Delivery> deliveries) {
		return deliveries.stream().map((delivery) -> delivery.entry().id()).collect(Collectors.toSet());
	}

	private static Map<EntryId, Throwable> allOf(Set<EntryId> ids, Throwable failure) {
		return ids.stream().collect(Collectors.toMap(Function.identity(), (id) -> failure));
	}

	private Outcome outcome(Delivery delivery, @Nullable Throwable failure) {
		boolean acknowledge = switch (this.options.ackMode()) {
			case ON_SUCCESS -> failure == null;
			case ALWAYS -> true;
			case MANUAL -> false;
		};
		return (acknowledge || delivery.isAcknowledged()) ? new Outcome.Ack() : new Outcome.Leave();
	}

	private void settle(Delivery delivery, Outcome outcome) {
		if (outcome instanceof Outcome.Ack) {
			delivery.acknowledge();
		}
		else {
			this.limiter.release(List.of(delivery.entry().id()));
		}
	}

	private void logFailure(Delivery delivery, Throwable failure) {
		String message = "Listener '" + this.listenerId + "' failed on " + delivery + "; " + consequence(delivery);
		try {
			logger.warn(message, failure);
		}
		// Some exceptions cannot even tell their message
		catch (Throwable ex) {
			logger.warn(
					message + ". Its " + failure.getClass().getName() + " cannot be shown: " + ex.getClass().getName());
		}
	}

	private String consequence(Delivery delivery) {
		if (delivery.isAcknowledged()) {
			return "it was acknowledged before";
		}
		return (this.options.ackMode() == AckMode.ALWAYS) ? "it is acknowledged all the same (ack-mode always)"
				: "it stays pending and is delivered again after min-idle (" + this.options.minIdle().toMillis()
						+ " ms)";
	}

	/**
	 * Called when no entry waits for a worker.
	 */
	void ranDry() {
		this.acks.flush();
	}

}
