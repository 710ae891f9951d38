package io.github.redisstreams.autoconfigure.health;

import java.time.Duration;
import java.util.stream.Stream;

import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.StreamListenerContainer;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;

/**
 * Health of all listeners that there are at the time, by their ids.
 */
final class ListenersHealthContributor implements CompositeHealthContributor {

	private final StreamListenerRegistry registry;

	private final Duration maxPollAge;

	ListenersHealthContributor(StreamListenerRegistry registry, Duration maxPollAge) {
		this.registry = registry;
		this.maxPollAge = maxPollAge;
	}

	@Override
	public @Nullable HealthContributor getContributor(String name) {
		StreamListenerContainer container = this.registry.getContainer(name);
		return (container != null) ? new ListenerHealthIndicator(container, this.maxPollAge) : null;
	}

	@Override
	public Stream<Entry> stream() {
		return this.registry.getContainers()
			.stream()
			.map((container) -> new Entry(container.getId(), new ListenerHealthIndicator(container, this.maxPollAge)));
	}

}
