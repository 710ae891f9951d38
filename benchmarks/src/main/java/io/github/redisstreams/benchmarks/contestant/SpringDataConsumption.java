package io.github.redisstreams.benchmarks.contestant;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.stream.Consumer;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.ReadOffset;
import org.springframework.data.redis.connection.stream.StreamOffset;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.stream.StreamListener;
import org.springframework.data.redis.stream.StreamMessageListenerContainer;
import org.springframework.data.redis.stream.StreamMessageListenerContainer.StreamMessageListenerContainerOptions;

/**
 * The container of Spring Data Redis, whose listener acknowledges, or with {@code NOACK}.
 * With several streams it has as many subscriptions.
 */
final class SpringDataConsumption implements Consumption {

	private final LettuceConnectionFactory factory;

	private final List<StreamMessageListenerContainer<String, MapRecord<String, String, String>>> containers;

	SpringDataConsumption(Job job, Probe probe, boolean noAck) {
		this.factory = new LettuceConnectionFactory("127.0.0.1", job.port());
		this.factory.afterPropertiesSet();
		this.factory.start();
		StringRedisTemplate template = new StringRedisTemplate(this.factory);
		this.containers = IntStream.range(0, job.instances())
			.mapToObj((instance) -> container(job, probe, noAck, template, instance))
			.toList();
	}

	private StreamMessageListenerContainer<String, MapRecord<String, String, String>> container(Job job, Probe probe,
			boolean noAck, StringRedisTemplate template, int instance) {
		StreamMessageListenerContainer<String, MapRecord<String, String, String>> container = StreamMessageListenerContainer
			.create(this.factory, StreamMessageListenerContainerOptions.builder()
				.batchSize(LoopConsumption.COUNT)
				// By default, as ours
				.pollTimeout(Duration.ofSeconds(2))
				// It does not wait for its reads when it stops
				.errorHandler((failure) -> {
				})
				.build());
		Consumer consumer = Consumer.from(job.group(), job.consumer(instance));
		StreamListener<String, MapRecord<String, String, String>> handler = (entry) -> probe.handle(instance,
				entry.getValue().get(Job.SENT));
		for (int i = 0; i < job.streams(); i++) {
			StreamOffset<String> offset = StreamOffset.create(job.stream(i), ReadOffset.lastConsumed());
			if (noAck) {
				container.receiveAutoAck(consumer, offset, handler);
			}
			else {
				container.receive(consumer, offset, (entry) -> {
					handler.onMessage(entry);
					template.opsForStream().acknowledge(job.group(), entry);
				});
			}
		}
		return container;
	}

	@Override
	public void start() {
		this.containers.forEach(StreamMessageListenerContainer::start);
	}

	@Override
	public void close() {
		this.containers.forEach(StreamMessageListenerContainer::stop);
		this.factory.destroy();
	}

}
