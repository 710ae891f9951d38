package io.github.redisstreams.metrics;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

import io.github.redisstreams.listener.ContainerCounters;
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

	private final MeterRegistry meterRegistry;

	private final StreamSampler sampler;

	private final Set<GroupKey> registered = ConcurrentHashMap.newKeySet();

	private final Set<String> registeredStreams = ConcurrentHashMap.newKeySet();

	StreamMeters(MeterRegistry meterRegistry, StreamSampler sampler) {
		this.meterRegistry = meterRegistry;
		this.sampler = sampler;
	}

	void register(Collection<StreamListenerContainer> containers) {
		for (StreamListenerContainer container : containers) {
			GroupKey group = GroupKey.of(container.getOptions());
			if (!this.registered.contains(group)) {
				registerGauges(group);
				registerCounters(group, container.getCounters());
				// Not before: what was refused is to be tried again
				this.registered.add(group);
			}
			if (!this.registeredStreams.contains(group.stream())) {
				registerGauges(group.stream());
				this.registeredStreams.add(group.stream());
			}
		}
	}

	private void registerGauges(GroupKey group) {
		gauge(StreamMetrics.LAG, "Entries that the group has still to be given", null, group, GroupSample::lag);
		gauge(StreamMetrics.PENDING, "Entries delivered to the group and not yet acknowledged", null, group,
				GroupSample::pending);
		gauge(StreamMetrics.CONSUMERS, "Consumers that the group has", null, group, GroupSample::consumers);
		gauge(StreamMetrics.OLDEST_PENDING, "Age of the oldest entry delivered and not yet acknowledged", "seconds",
				group, GroupSample::oldestPending);
		gauge(StreamMetrics.OLDEST_UNDELIVERED, "Age of the oldest entry that the group has still to be given",
				"seconds", group, GroupSample::oldestUndelivered);
	}

	private void gauge(String name, String description, @Nullable String unit, GroupKey group,
			ToDoubleFunction<GroupSample> value) {
		Gauge.builder(name, () -> this.sampler.group(group, value))
			.description(description)
			.baseUnit(unit)
			.tags(tags(group))
			.register(this.meterRegistry);
	}

	private void registerGauges(String stream) {
		PublishMeters.register(this.meterRegistry, stream);
		Gauge.builder(StreamMetrics.DELAYED, () -> this.sampler.delayed(stream))
			.description("Entries scheduled for the stream")
			.tag("stream", stream)
			.register(this.meterRegistry);
		Gauge.builder(StreamMetrics.LENGTH, () -> this.sampler.length(stream))
			.description("Entries in the stream")
			.tag("stream", stream)
			.register(this.meterRegistry);
		Gauge.builder(StreamMetrics.DEAD_LETTERS, () -> this.sampler.deadLetters(stream))
			.description("Entries in the stream's dead-letter stream")
			.tag("stream", stream)
			.register(this.meterRegistry);
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
