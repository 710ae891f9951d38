package io.github.redisstreams.observation;

import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;

/**
 * How calls of handlers are observed: names and tags. A bean of it replaces
 * {@link DefaultStreamListenerObservationConvention}.
 */
public interface StreamListenerObservationConvention extends GlobalObservationConvention<StreamListenerContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof StreamListenerContext;
	}

	@Override
	default String getName() {
		return "redis.streams.listener";
	}

	@Override
	default String getContextualName(StreamListenerContext context) {
		return context.getStream() + " process";
	}

}
