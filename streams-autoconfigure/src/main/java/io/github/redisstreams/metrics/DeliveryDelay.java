package io.github.redisstreams.metrics;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.listener.Delivery;
import io.github.redisstreams.listener.HandlerObserver;
import io.github.redisstreams.listener.ListenerOptions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * A timer of how long entries have waited for a handler, from the time in their id to
 * when a handler is called with them for the first time. Later deliveries are left out,
 * whose delay tells how long the entry has failed. A scheduled entry is given its id when
 * it is due, so it waits from then on.
 * <p>
 * The id has the time of the server's clock, and the call that of this machine's, so that
 * the timer is as accurate as these two agree. What then is negative counts as 0.
 */
public class DeliveryDelay implements HandlerObserver {

	/**
	 * How long after it was added each entry was handled for the first time.
	 */
	public static final String DELAY = "redis.streams.delivery.delay";

	/**
	 * Before there were streams. An id with such a time is of the writer's own choosing.
	 */
	private static final long EARLIEST = Instant.parse("2018-01-01T00:00:00Z").toEpochMilli();

	private final MeterRegistry meterRegistry;

	/**
	 * Create the timers' observer.
	 * @param meterRegistry takes a timer for each listener
	 */
	public DeliveryDelay(MeterRegistry meterRegistry) {
		this.meterRegistry = meterRegistry;
	}

	@Override
	public Calls observe(String listenerId, ListenerOptions options) {
		Timer timer = Timer.builder(DELAY)
			.description("How long after it was added an entry was handled for the first time")
			.tags("stream", options.stream(), "group", options.group())
			.register(this.meterRegistry);
		return (deliveries) -> {
			long now = System.currentTimeMillis();
			for (Delivery delivery : deliveries) {
				long added = delivery.entry().id().time();
				if (delivery.entry().deliveryCount() == 1 && added >= EARLIEST) {
					timer.record(Math.max(0, now - added), TimeUnit.MILLISECONDS);
				}
			}
			return Call.UNOBSERVED;
		};
	}

}
