package io.github.redisstreams.benchmarks.contestant;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.github.redisstreams.benchmarks.harness.SmallApplication;
import io.github.redisstreams.config.StreamListenerConfigurer;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * Applications with this project's starter, one for each instance, with the defaults but
 * for what the job says. They have a meter registry, as most applications do.
 */
final class OursConsumption implements Consumption {

	private final List<ConfigurableApplicationContext> applications;

	OursConsumption(Job job, Probe probe, Class<?> listener) {
		this.applications = IntStream.range(0, job.instances())
			.mapToObj((instance) -> application(job, probe, listener, instance))
			.toList();
	}

	private static ConfigurableApplicationContext application(Job job, Probe probe, Class<?> listener, int instance) {
		List<String> properties = new ArrayList<>(List.of("spring.threads.virtual.enabled=" + job.virtualThreads(),
				"redis.streams.consumer=" + job.consumer(instance),
				"redis.streams.listeners.work.stream=" + job.stream(), "redis.streams.listener.group=" + job.group(),
				"redis.streams.listener.concurrency=" + job.concurrency(),
				"redis.streams.listener.auto-startup=false"));
		properties.addAll(List.of(job.properties()));
		return SmallApplication.at(job.port(), properties.toArray(String[]::new)).initializers((context) -> {
			GenericApplicationContext beans = (GenericApplicationContext) context;
			beans.registerBean(listener, probe, instance);
			beans.registerBean(StreamListenerConfigurer.class,
					() -> new OursListeners.OfFurtherStreams(job, probe, instance));
			beans.registerBean(SimpleMeterRegistry.class, () -> new SimpleMeterRegistry());
		}).run();
	}

	@Override
	public void start() {
		this.applications.forEach((application) -> application.getBean(StreamListenerRegistry.class)
			.getContainers()
			.forEach(StreamListenerContainer::start));
	}

	@Override
	public void close() {
		this.applications.forEach(ConfigurableApplicationContext::close);
	}

}
