package io.github.redisstreams.observation;

import io.github.redisstreams.observation.StreamObservation.ListenerHighCardinalityKeyNames;
import io.github.redisstreams.observation.StreamObservation.ListenerLowCardinalityKeyNames;
import io.github.redisstreams.redis.StreamEntry;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * The tags of {@link StreamObservation#LISTENER}. May be extended.
 */
public class DefaultStreamListenerObservationConvention implements StreamListenerObservationConvention {

	@Override
	public KeyValues getLowCardinalityKeyValues(StreamListenerContext context) {
		return KeyValues.of(ListenerLowCardinalityKeyNames.STREAM.withValue(context.getStream()),
				ListenerLowCardinalityKeyNames.GROUP.withValue(context.getGroup()),
				ListenerLowCardinalityKeyNames.LISTENER.withValue(context.getListenerId()),
				ListenerLowCardinalityKeyNames.OUTCOME.withValue(context.getOutcome().value()),
				ListenerLowCardinalityKeyNames.EXCEPTION.withValue(ExceptionName.of(context.getError())));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(StreamListenerContext context) {
		KeyValue consumer = ListenerHighCardinalityKeyNames.CONSUMER.withValue(context.getConsumer());
		int count = context.getEntries().size();
		if (count > 1) {
			return KeyValues.of(consumer,
					ListenerHighCardinalityKeyNames.MESSAGE_COUNT.withValue(Integer.toString(count)));
		}
		StreamEntry entry = context.getEntries().get(0);
		return KeyValues.of(consumer, ListenerHighCardinalityKeyNames.MESSAGE_ID.withValue(entry.id().toString()),
				ListenerHighCardinalityKeyNames.DELIVERY_COUNT.withValue(Long.toString(entry.deliveryCount())));
	}

}
