package io.github.redisstreams.observation;

import io.github.redisstreams.observation.StreamObservation.SendHighCardinalityKeyNames;
import io.github.redisstreams.observation.StreamObservation.SendLowCardinalityKeyNames;
import io.micrometer.common.KeyValues;

/**
 * The tags of {@link StreamObservation#SEND}. May be extended.
 */
public class DefaultStreamSendObservationConvention implements StreamSendObservationConvention {

	@Override
	public KeyValues getLowCardinalityKeyValues(StreamSendContext context) {
		return KeyValues.of(SendLowCardinalityKeyNames.STREAM.withValue(context.getStream()),
				SendLowCardinalityKeyNames.OUTCOME.withValue(context.getOutcome().value()),
				SendLowCardinalityKeyNames.EXCEPTION.withValue(ExceptionName.of(context.getError())));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(StreamSendContext context) {
		int count = context.getEntryCount();
		return (count > 1) ? KeyValues.of(SendHighCardinalityKeyNames.MESSAGE_COUNT.withValue(Integer.toString(count)))
				: KeyValues.empty();
	}

}
