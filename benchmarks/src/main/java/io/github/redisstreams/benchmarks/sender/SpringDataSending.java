package io.github.redisstreams.benchmarks.sender;

import java.util.Map;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The template of Spring Data Redis, which adds entries one by one.
 */
final class SpringDataSending implements Sending {

	private final LettuceConnectionFactory factory;

	private final StringRedisTemplate template;

	private final String stream;

	SpringDataSending(SendJob job) {
		this.factory = new LettuceConnectionFactory("127.0.0.1", job.port());
		this.factory.afterPropertiesSet();
		this.factory.start();
		this.template = new StringRedisTemplate(this.factory);
		this.stream = job.stream();
	}

	@Override
	public void send(int count) {
		for (int i = 0; i < count; i++) {
			this.template.opsForStream().add(this.stream, Map.of(SendJob.FIELD, Content.TEXT.write()));
		}
	}

	@Override
	public void close() {
		this.factory.destroy();
	}

}
