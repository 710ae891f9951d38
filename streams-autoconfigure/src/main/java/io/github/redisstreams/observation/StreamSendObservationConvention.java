package io.github.redisstreams.observation;

import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;

/**
 * How sends are observed: names and tags. A bean of it replaces
 * {@link DefaultStreamSendObservationConvention}.
 */
public interface StreamSendObservationConvention extends GlobalObservationConvention<StreamSendContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof StreamSendContext;
	}

	@Override
	default String getName() {
		return "redis.streams.send";
	}

	@Override
	default String getContextualName(StreamSendContext context) {
		return context.getStream() + " send";
	}

}
