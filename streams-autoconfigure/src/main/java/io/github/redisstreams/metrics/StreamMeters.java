package io.github.redisstreams.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import io.github.redisstreams.listener.ContainerCounters;
import io.github.redisstreams.listener.ContainerState;
import io.github.redisstreams.listener.ContainerStatus;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

/**
 * The meters of listeners, their groups and their streams. A meter stays once it is
 * registered: what is missing for a while is {@code NaN}.
 */
final class StreamMeters {

	private static final String SECONDS = "seconds";

	private final MeterRegistry meterRegistry;

	private final StreamSampler sampler;

	private final Set<GroupKey> registered = ConcurrentHashMap.newKeySet();

	private final Set<String> registeredStreams = ConcurrentHashMap.newKeySet();

	StreamMeters(MeterRegistry meterRegistry, StreamSampler sampler) {
		this.meterRegistry = meterRegistry;
		this.sampler = sampler;
	}

	void register(Collection<StreamListenerContainer> containers, Collection<String> streams) {
		for (StreamListenerContainer container : containers) {
			GroupKey group = GroupKey.of(container.getOptions());
			if (!this.registered.contains(group)) {
				registerGauges(group);
				registerGauges(group, container);
				registerCounters(group, container.getCounters());
				registerDeadLetters(group.stream());
				// Not before: what was refused is to be tried again
				this.registered.add(group);
			}
		}
		for (String stream : streams) {
			if (!this.registeredStreams.contains(stream)) {
				registerGauges(stream);
				this.registeredStreams.add(stream);
			}
		}
	}

	private void registerGauges(GroupKey group) {
		gauge(StreamMetrics.LAG, "Entries that the group has still to be given", null, group,
				(reading) -> number(reading.lag()));
		gauge(StreamMetrics.LAG_BOUNDED,
				"Whether counting the lag stopped at a bound, so that it is not exact (1), or not (0)", null, group,
				(reading) -> (reading.lag() == null) ? Double.NaN : reading.lagBounded() ? 1 : 0);
		gauge(StreamMetrics.PENDING, "Entries delivered to the group and not yet acknowledged", null, group,
				GroupReading::pending);
		gauge(StreamMetrics.CONSUMERS, "Consumers that the group has", null, group, GroupReading::consumers);
		gauge(StreamMetrics.OLDEST_PENDING, "Age of the oldest entry delivered and not yet acknowledged", SECONDS,
				group, (reading) -> seconds(reading.oldestPending()));
		gauge(StreamMetrics.OLDEST_UNDELIVERED, "Age of the oldest entry that the group has still to be given", SECONDS,
				group, (reading) -> seconds(reading.oldestUndelivered()));
	}

	private void gauge(String name, String description, @Nullable String unit, GroupKey group,
			ToDoubleFunction<GroupReading> value) {
		gauge(name, description, unit, tags(group), () -> {
			GroupReading reading = this.sampler.group(group.stream(), group.group());
			return (reading != null) ? value.applyAsDouble(reading) : Double.NaN;
		});
	}

	private void registerGauges(GroupKey group, StreamListenerContainer container) {
		gauge(StreamMetrics.IN_FLIGHT, "Entries that the listener holds: being handled, waiting for that or a retry, "
				+ "or not yet acknowledged", null, tags(group), container::getInFlight);
		gauge(StreamMetrics.LAST_POLL_AGE, "Time since the listener last polled", SECONDS, tags(group),
				() -> lastPollAge(container.getStatus()));
	}

	// A listener that is stopped or paused is not meant to poll. One that never could has
	// tried for as long as Redis has failed it
	private static double lastPollAge(ContainerStatus status) {
		Instant since = (status.lastPoll() != null) ? status.lastPoll() : status.failingSince();
		if (since == null || status.state() == ContainerState.STOPPED || status.state() == ContainerState.PAUSED) {
			return Double.NaN;
		}
		return Math.max(0, seconds(Duration.between(since, Instant.now())));
	}

	private void registerGauges(String stream) {
		PublishMeters.register(this.meterRegistry, stream);
		gauge(StreamMetrics.DELAYED, "Entries scheduled for the stream", stream, StreamReading::delayed);
		gauge(StreamMetrics.LENGTH, "Entries in the stream", stream, StreamReading::length);
	}

	private void registerDeadLetters(String stream) {
		gauge(StreamMetrics.DEAD_LETTERS, "Entries in the stream's dead-letter stream", stream,
				StreamReading::deadLetters);
	}

	private void gauge(String name, String description, String stream, Function<StreamReading, @Nullable Long> value) {
		gauge(name, description, null, Tags.of("stream", stream), () -> {
			StreamReading reading = this.sampler.stream(stream);
			return number((reading != null) ? value.apply(reading) : null);
		});
	}

	private void gauge(String name, String description, @Nullable String unit, Tags tags, Supplier<Number> value) {
		Gauge.builder(name, value).description(description).baseUnit(unit).tags(tags).register(this.meterRegistry);
	}

	private static double number(@Nullable Long number) {
		return (number != null) ? number : Double.NaN;
	}

	private static double seconds(@Nullable Duration duration) {
		return (duration != null) ? duration.toMillis() / 1000.0 : Double.NaN;
	}

	private void registerCounters(GroupKey group, ContainerCounters counters) {
		counter("claimed", "Entries taken over because they had been pending for too long", group, counters,
				ContainerCounters::claimed);
		counter("retried", "Entries delivered again after a failure or a lost reply", group, counters,
				ContainerCounters::retried);
		counter("acknowledged", "Entries acknowledged", group, counters, ContainerCounters::acknowledged);
		counter("dead.lettered", "Entries moved to the dead letters", group, counters, ContainerCounters::deadLettered);
		counter("dead.letters.failed", "Attempts to move an entry to the dead letters that Redis refused", group,
				counters, ContainerCounters::deadLetterFailures);
		counter("dead.letters.dropped", "Dead letters lost to the bound of their stream", group, counters,
				ContainerCounters::deadLettersDropped);
		counter("trimmed.pending", "Pending entries that were trimmed or deleted before they were acknowledged", group,
				counters, ContainerCounters::trimmedPending);
		counter("lease.lost", "Entries that another consumer took over while they were held here", group, counters,
				ContainerCounters::leasesLost);
		counter("group.recreated", "Times that the group had vanished and was created again", group, counters,
				ContainerCounters::groupsRecreated);
		counter("suspended", "Times that the listener was suspended because nearly everything failed", group, counters,
				ContainerCounters::suspensions);
	}

	private void counter(String name, String description, GroupKey group, ContainerCounters counters,
			ToDoubleFunction<ContainerCounters> value) {
		FunctionCounter.builder("redis.streams." + name, counters, value)
			.description(description)
			.tags(tags(group))
			.register(this.meterRegistry);
	}

	private static Tags tags(GroupKey group) {
		return Tags.of("stream", group.stream(), "group", group.group());
	}

}
