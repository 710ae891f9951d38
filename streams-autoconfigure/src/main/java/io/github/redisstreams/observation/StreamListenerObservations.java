package io.github.redisstreams.observation;

import java.util.List;

import io.github.redisstreams.listener.Delivery;
import io.github.redisstreams.listener.HandlerObserver;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.redis.StreamEntry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * An observation of each call of a handler, which is the current one while the handler
 * runs, and while its failure is logged.
 */
public class StreamListenerObservations implements HandlerObserver {

	private static final StreamListenerObservationConvention DEFAULT = new DefaultStreamListenerObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable StreamListenerObservationConvention convention;

	/**
	 * Create the observer.
	 * @param registry takes the observations
	 * @param convention names and tags to use, {@code null} for the registry's or the
	 * default ones
	 */
	public StreamListenerObservations(ObservationRegistry registry,
			@Nullable StreamListenerObservationConvention convention) {
		this.registry = registry;
		this.convention = convention;
	}

	@Override
	public Calls observe(String listenerId, ListenerOptions options) {
		return (deliveries) -> begin(listenerId, options, deliveries);
	}

	private Call begin(String listenerId, ListenerOptions options, List<Delivery> deliveries) {
		if (this.registry.isNoop()) {
			return Call.UNOBSERVED;
		}
		StreamListenerContext context = new StreamListenerContext(listenerId, options, entries(deliveries));
		Observation observation = StreamObservation.LISTENER.observation(this.convention, DEFAULT, () -> context,
				this.registry);
		if (observation.isNoop()) {
			return Call.UNOBSERVED;
		}
		Observation.Scope before = this.registry.getCurrentObservationScope();
		Observation.Scope scope;
		try {
			scope = observation.start().openScope();
		}
		catch (RuntimeException | Error ex) {
			stop(observation, this.registry.getCurrentObservationScope(), before);
			throw ex;
		}
		return () -> {
			try {
				context.setOutcome(ListenerOutcome.of(deliveries));
				Throwable failure = firstFailure(deliveries);
				if (failure != null) {
					observation.error(failure);
				}
			}
			finally {
				stop(observation, scope, before);
			}
		};
	}

	// Whatever an observation handler throws: what the thread does next must not become a
	// part of this
	private void stop(Observation observation, Observation.@Nullable Scope scope, Observation.@Nullable Scope before) {
		try {
			if (scope != null && scope != before) {
				scope.close();
			}
		}
		finally {
			this.registry.setCurrentObservationScope(before);
			observation.stop();
		}
	}

	private static List<StreamEntry> entries(List<Delivery> deliveries) {
		return (deliveries.size() == 1) ? List.of(deliveries.get(0).entry())
				: deliveries.stream().map(Delivery::entry).toList();
	}

	private static @Nullable Throwable firstFailure(List<Delivery> deliveries) {
		for (Delivery delivery : deliveries) {
			Throwable failure = delivery.failure();
			if (failure != null) {
				return failure;
			}
		}
		return null;
	}

}
