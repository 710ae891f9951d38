package io.github.redisstreams.metrics;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PublishMeters}.
 */
class PublishMetersTests {

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final PublishMeters meters = new PublishMeters(this.registry);

	private Counter trimmed(String stream) {
		return this.registry.get("redis.streams.trimmed.undelivered").tag("stream", stream).counter();
	}

	private Timer lateness(String stream) {
		return this.registry.get("redis.streams.delayed.lateness").tag("stream", stream).timer();
	}

	@Test
	void countsWhatIsTrimmedOfEachStream() {
		this.meters.trimmedUndelivered("events", 3);
		this.meters.trimmedUndelivered("events", 4);
		this.meters.trimmedUndelivered("orders", 5);
		assertThat(trimmed("events").count()).isEqualTo(7);
		assertThat(trimmed("orders").count()).isEqualTo(5);
	}

	@Test
	void timesHowLateEachEntryIs() {
		this.meters.promoted("events", List.of(Duration.ofMillis(5), Duration.ofMillis(20)));
		this.meters.promoted("orders", List.of(Duration.ZERO));
		assertThat(lateness("events").count()).isEqualTo(2);
		assertThat(lateness("events").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(25);
		assertThat(lateness("events").max(TimeUnit.MILLISECONDS)).isEqualTo(20);
		assertThat(lateness("orders").count()).isEqualTo(1);
	}

	@Test
	void whatIsTrimmedIsCountedFromTheFirstWriteOn() {
		this.meters.firstWrite("events");
		assertThat(trimmed("events").count()).isZero();
	}

	@Test
	void metersAreThereBeforeThereIsAnythingToCount() {
		PublishMeters.register(this.registry, "events");
		assertThat(trimmed("events").count()).isZero();
		assertThat(lateness("events").count()).isZero();
		this.meters.trimmedUndelivered("events", 1);
		this.meters.promoted("events", List.of(Duration.ofMillis(5)));
		assertThat(this.registry.getMeters()).hasSize(2)
			.extracting(Meter::getId)
			.allSatisfy((id) -> assertThat(id.getDescription()).isNotBlank());
	}

	@Test
	void schedulingIsNotCounted() {
		this.meters.scheduled("events", Duration.ofSeconds(1));
		assertThat(this.registry.getMeters()).isEmpty();
	}

}
