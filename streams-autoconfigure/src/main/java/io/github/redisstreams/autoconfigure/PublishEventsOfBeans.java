package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

import io.github.redisstreams.publish.PublishEvents;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/**
 * Tells all {@link PublishEvents} beans, which are looked for when there is something to
 * tell: some of them tell others themselves.
 */
class PublishEventsOfBeans implements PublishEvents {

	private static final Log logger = LogFactory.getLog(PublishEventsOfBeans.class);

	private final SingletonSupplier<List<PublishEvents>> beans;

	PublishEventsOfBeans(ObjectProvider<PublishEvents> beans) {
		this.beans = SingletonSupplier.of(() -> beans.orderedStream().toList());
	}

	@Override
	public void firstWrite(String stream) {
		tell((bean) -> bean.firstWrite(stream));
	}

	@Override
	public void trimmedUndelivered(String stream, long count) {
		tell((bean) -> bean.trimmedUndelivered(stream, count));
	}

	@Override
	public void scheduled(String stream, Duration dueIn) {
		tell((bean) -> bean.scheduled(stream, dueIn));
	}

	@Override
	public void promoted(String stream, Collection<Duration> lateness) {
		tell((bean) -> bean.promoted(stream, lateness));
	}

	private void tell(Consumer<PublishEvents> event) {
		for (PublishEvents bean : this.beans.obtain()) {
			try {
				event.accept(bean);
			}
			// What it is told of has happened, and others want to know, too
			catch (RuntimeException ex) {
				logger.error("The PublishEvents bean " + bean + " failed", ex);
			}
		}
	}

}
