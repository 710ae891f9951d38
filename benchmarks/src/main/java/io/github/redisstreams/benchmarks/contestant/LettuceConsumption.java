package io.github.redisstreams.benchmarks.contestant;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.Consumer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;

/**
 * What somebody who knows Lettuce writes: the next read is under way while a batch is
 * handled, and one {@code XACK} for each batch, which is not waited for. Two connections,
 * since an {@code XACK} behind a read that blocks would wait for it.
 */
final class LettuceConsumption extends LoopConsumption {

	private final Job job;

	private final Probe probe;

	private final RedisClient client;

	private final List<RedisAsyncCommands<String, String>> readers = new ArrayList<>();

	private final RedisAsyncCommands<String, String> acks;

	LettuceConsumption(Job job, Probe probe) {
		super(job);
		this.job = job;
		this.probe = probe;
		this.client = RedisClient.create("redis://127.0.0.1:" + job.port());
		this.acks = this.client.connect().async();
		for (int i = 0; i < job.instances(); i++) {
			StatefulRedisConnection<String, String> connection = this.client.connect();
			this.readers.add(connection.async());
		}
	}

	@Override
	void loop(int instance) throws Exception {
		RedisAsyncCommands<String, String> reader = this.readers.get(instance);
		RedisFuture<List<StreamMessage<String, String>>> reply = read(reader, instance);
		while (!isStopped()) {
			List<StreamMessage<String, String>> messages = reply.get(10, TimeUnit.SECONDS);
			reply = read(reader, instance);
			if (!messages.isEmpty()) {
				String[] ids = new String[messages.size()];
				int count = 0;
				for (StreamMessage<String, String> message : messages) {
					this.probe.handle(instance, message.getBody().get(Job.SENT));
					ids[count++] = message.getId();
				}
				this.acks.xack(this.job.stream(), this.job.group(), ids);
			}
		}
		reply.get(10, TimeUnit.SECONDS);
	}

	// The command takes a generic array
	@SuppressWarnings("unchecked")
	private RedisFuture<List<StreamMessage<String, String>>> read(RedisAsyncCommands<String, String> reader,
			int instance) {
		return reader.xreadgroup(Consumer.from(this.job.group(), this.job.consumer(instance)),
				XReadArgs.Builder.count(COUNT).block(BLOCK), XReadArgs.StreamOffset.lastConsumed(this.job.stream()));
	}

	@Override
	public void close() {
		super.close();
		this.client.shutdown(0, 2, TimeUnit.SECONDS);
	}

}
