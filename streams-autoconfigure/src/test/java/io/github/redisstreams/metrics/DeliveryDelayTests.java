package io.github.redisstreams.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.listener.Delivery;
import io.github.redisstreams.listener.HandlerObserver;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DeliveryDelayTests {

	private static final ListenerOptions OPTIONS = ListenerOptions.builder()
		.stream("app:events")
		.group("billing")
		.consumer("one")
		.build("events", "test");

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final HandlerObserver.Calls calls = new DeliveryDelay(this.meters).observe("events", OPTIONS);

	private final Timer timer = this.meters.get("redis.streams.delivery.delay")
		.tags("stream", "app:events", "group", "billing")
		.timer();

	private void begin(StreamEntry... entries) {
		List<Delivery> deliveries = Arrays.stream(entries)
			.map((entry) -> new Delivery(OPTIONS, entry, (delivery, outcome) -> {
			}))
			.toList();
		this.calls.begin(deliveries);
	}

	private static StreamEntry addedAgo(long millis, long deliveryCount) {
		return new StreamEntry(new EntryId(System.currentTimeMillis() - millis, 0), deliveryCount);
	}

	@Test
	void isThereBeforeAnythingIsDelivered() {
		assertThat(this.timer.count()).isZero();
		assertThat(this.timer.getId().getTags()).hasSize(2);
	}

	@Test
	void timesEachEntryOfACallFromTheTimeInItsId() {
		begin(addedAgo(5_000, 1));
		begin(addedAgo(60_000, 1), addedAgo(120_000, 1));
		assertThat(this.timer.count()).isEqualTo(3);
		assertThat(this.timer.totalTime(TimeUnit.SECONDS)).isBetween(185.0, 195.0);
		assertThat(this.timer.max(TimeUnit.SECONDS)).isBetween(120.0, 130.0);
	}

	@Test
	void leavesOutWhatWasDeliveredBefore() {
		begin(addedAgo(60_000, 2), addedAgo(0, 1));
		assertThat(this.timer.count()).isOne();
		assertThat(this.timer.max(TimeUnit.SECONDS)).isLessThan(30);
	}

	@Test
	void takesAServerWhoseClockIsAheadForOneThatIsNot() {
		begin(addedAgo(-60_000, 1));
		assertThat(this.timer.count()).isOne();
		assertThat(this.timer.max(TimeUnit.SECONDS)).isZero();
	}

	@Test
	void leavesOutIdsThatAreNoTime() {
		begin(new StreamEntry(new EntryId(1, 1), 1), new StreamEntry(EntryId.MAX, 1));
		assertThat(this.timer.count()).isZero();
	}

}
