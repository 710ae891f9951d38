package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import io.github.redisstreams.publish.PublishEvents;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/**
 * Tells all {@link PublishEvents} beans, which are looked for when there is something to
 * tell: some of them tell others themselves.
 */
class PublishEventsOfBeans implements PublishEvents {

	private final SingletonSupplier<List<PublishEvents>> beans;

	PublishEventsOfBeans(ObjectProvider<PublishEvents> beans) {
		this.beans = SingletonSupplier.of(() -> beans.orderedStream().toList());
	}

	@Override
	public void trimmedUndelivered(String stream, long count) {
		this.beans.obtain().forEach((bean) -> bean.trimmedUndelivered(stream, count));
	}

	@Override
	public void scheduled(String stream, Duration dueIn) {
		this.beans.obtain().forEach((bean) -> bean.scheduled(stream, dueIn));
	}

	@Override
	public void promoted(String stream, Collection<Duration> lateness) {
		this.beans.obtain().forEach((bean) -> bean.promoted(stream, lateness));
	}

}
