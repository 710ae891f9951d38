package io.github.redisstreams.benchmarks.contestant;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lettuce.core.Consumer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * The loop that comes to mind first, on one connection: read, waiting for entries, handle
 * them, and acknowledge them together before the next read.
 */
final class BlockingLettuceConsumption extends LoopConsumption {

	private final Job job;

	private final Probe probe;

	private final RedisClient client;

	private final List<RedisCommands<String, String>> connections;

	BlockingLettuceConsumption(Job job, Probe probe) {
		super(job);
		this.job = job;
		this.probe = probe;
		this.client = RedisClient.create("redis://127.0.0.1:" + job.port());
		this.connections = Stream.generate(() -> this.client.connect().sync()).limit(job.instances()).toList();
	}

	@Override
	void loop(int instance) {
		RedisCommands<String, String> redis = this.connections.get(instance);
		Consumer<String> consumer = Consumer.from(this.job.group(), this.job.consumer(instance));
		while (!isStopped()) {
			List<StreamMessage<String, String>> messages = read(redis, consumer);
			for (StreamMessage<String, String> message : messages) {
				this.probe.handle(instance, message.getBody().get(Job.SENT));
			}
			if (!messages.isEmpty()) {
				redis.xack(this.job.stream(), this.job.group(),
						messages.stream().map(StreamMessage::getId).toArray(String[]::new));
			}
		}
	}

	// The command takes a generic array
	@SuppressWarnings("unchecked")
	private List<StreamMessage<String, String>> read(RedisCommands<String, String> redis, Consumer<String> consumer) {
		return redis.xreadgroup(consumer, XReadArgs.Builder.count(COUNT).block(BLOCK),
				XReadArgs.StreamOffset.lastConsumed(this.job.stream()));
	}

	@Override
	public void close() {
		super.close();
		this.client.shutdown(0, 2, TimeUnit.SECONDS);
	}

}
