package io.github.redisstreams.autoconfigure.health;

import java.util.stream.Stream;

import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.metrics.StreamSampler;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;

/**
 * Health of all listeners that there are at the time, by their ids.
 */
final class ListenersHealthContributor implements CompositeHealthContributor {

	private final StreamListenerRegistry registry;

	private final StreamSampler sampler;

	private final HealthThresholds thresholds;

	ListenersHealthContributor(StreamListenerRegistry registry, StreamSampler sampler, HealthThresholds thresholds) {
		this.registry = registry;
		this.sampler = sampler;
		this.thresholds = thresholds;
	}

	@Override
	public @Nullable HealthContributor getContributor(String name) {
		StreamListenerContainer container = this.registry.getContainer(name);
		return (container != null) ? indicator(container) : null;
	}

	@Override
	public Stream<Entry> stream() {
		return this.registry.getContainers()
			.stream()
			.map((container) -> new Entry(container.getId(), indicator(container)));
	}

	private ListenerHealthIndicator indicator(StreamListenerContainer container) {
		return new ListenerHealthIndicator(container, this.sampler, this.thresholds);
	}

}
