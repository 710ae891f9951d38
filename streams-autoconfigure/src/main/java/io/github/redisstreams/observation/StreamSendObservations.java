package io.github.redisstreams.observation;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.github.redisstreams.publish.SendObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import org.jspecify.annotations.Nullable;

/**
 * An observation of each send, in the context of whoever sends, which has the entries
 * carry the trace.
 */
public class StreamSendObservations implements SendObserver {

	private static final StreamSendObservationConvention DEFAULT = new DefaultStreamSendObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable StreamSendObservationConvention convention;

	/**
	 * Create the observer.
	 * @param registry takes the observations
	 * @param convention names and tags to use, {@code null} for the registry's or the
	 * default ones
	 */
	public StreamSendObservations(ObservationRegistry registry, @Nullable StreamSendObservationConvention convention) {
		this.registry = registry;
		this.convention = convention;
	}

	@Override
	public Send begin(String stream, int entries) {
		if (this.registry.isNoop()) {
			return Send.UNOBSERVED;
		}
		StreamSendContext context = new StreamSendContext(stream, entries);
		Observation observation = StreamObservation.SEND.observation(this.convention, DEFAULT, () -> context,
				this.registry);
		return observation.isNoop() ? Send.UNOBSERVED : new ObservedSend(context, observation.start());
	}

	private static final class ObservedSend implements Send {

		private final StreamSendContext context;

		private final Observation observation;

		private final Map<String, String> trace;

		ObservedSend(StreamSendContext context, Observation observation) {
			this.context = context;
			this.observation = observation;
			this.trace = Objects.requireNonNull(context.getCarrier());
		}

		@Override
		public Map<String, ?> complete(Map<String, ?> headers) {
			if (headers.isEmpty() || this.trace.isEmpty()) {
				return headers.isEmpty() ? this.trace : headers;
			}
			Map<String, Object> completed = new LinkedHashMap<>(headers);
			this.trace.forEach((name, value) -> {
				if (!isGiven(name, headers)) {
					completed.put(name, value);
				}
			});
			return completed;
		}

		// The state belongs to the trace that the parent names
		private boolean isGiven(String name, Map<String, ?> headers) {
			if (name.equals(TraceParent.STATE_FIELD) && isGiven(TraceParent.FIELD, headers)) {
				return true;
			}
			Object value = headers.get(name);
			return value != null && !isPassedOn(name, value);
		}

		// What a handler sends with all headers of what it was called with is still its
		// own
		private boolean isPassedOn(String name, Object value) {
			ObservationView parent = this.context.getParentObservation();
			while (parent != null) {
				if (parent.getContextView() instanceof StreamListenerContext listener) {
					return listener.getEntries()
						.stream()
						.anyMatch((entry) -> value.equals(TraceParent.text(entry, name)));
				}
				parent = parent.getContextView().getParentObservation();
			}
			return false;
		}

		@Override
		public void end(@Nullable Throwable failure) {
			if (failure != null) {
				this.observation.error(failure);
			}
			stop((failure != null) ? SendOutcome.of(failure) : SendOutcome.SENT);
		}

		@Override
		public void dropped() {
			stop(SendOutcome.DROPPED);
		}

		private void stop(SendOutcome outcome) {
			this.context.setOutcome(outcome);
			this.observation.stop();
		}

	}

}
