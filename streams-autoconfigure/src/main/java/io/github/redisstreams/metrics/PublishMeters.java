package io.github.redisstreams.metrics;

import java.time.Duration;
import java.util.Collection;

import io.github.redisstreams.publish.PublishEvents;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * Meters of what this application writes to streams, each with the stream's key as its
 * tag.
 */
public class PublishMeters implements PublishEvents {

	/**
	 * How many entries were trimmed that some group had still to be given.
	 */
	public static final String TRIMMED_UNDELIVERED = "redis.streams.trimmed.undelivered";

	/**
	 * How long after its due time each scheduled entry was added to its stream.
	 */
	public static final String LATENESS = "redis.streams.delayed.lateness";

	private final MeterRegistry meterRegistry;

	/**
	 * Create the meters.
	 * @param meterRegistry takes them
	 */
	public PublishMeters(MeterRegistry meterRegistry) {
		this.meterRegistry = meterRegistry;
	}

	/**
	 * Have the meters of a stream be there before there is anything to count.
	 */
	static void register(MeterRegistry meterRegistry, String stream) {
		trimmedUndelivered(meterRegistry, stream);
		lateness(meterRegistry, stream);
	}

	@Override
	public void firstWrite(String stream) {
		trimmedUndelivered(this.meterRegistry, stream);
	}

	@Override
	public void trimmedUndelivered(String stream, long count) {
		trimmedUndelivered(this.meterRegistry, stream).increment(count);
	}

	@Override
	public void promoted(String stream, Collection<Duration> lateness) {
		Timer timer = lateness(this.meterRegistry, stream);
		lateness.forEach(timer::record);
	}

	private static Counter trimmedUndelivered(MeterRegistry meterRegistry, String stream) {
		return Counter.builder(TRIMMED_UNDELIVERED)
			.description("Entries trimmed that a group had still to be given")
			.tag("stream", stream)
			.register(meterRegistry);
	}

	private static Timer lateness(MeterRegistry meterRegistry, String stream) {
		return Timer.builder(LATENESS)
			.description("How long after its due time a scheduled entry was added to its stream")
			.tag("stream", stream)
			.register(meterRegistry);
	}

}
