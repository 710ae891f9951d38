package io.github.redisstreams.benchmarks.contestant;

import java.time.Duration;
import java.util.Map;

import org.redisson.Redisson;
import org.redisson.api.RStream;
import org.redisson.api.RedissonClient;
import org.redisson.api.stream.StreamMessageId;
import org.redisson.api.stream.StreamReadGroupArgs;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * A loop with Redisson.
 */
final class RedissonConsumption extends LoopConsumption {

	private final Job job;

	private final Probe probe;

	private final boolean batches;

	private final RedissonClient client;

	RedissonConsumption(Job job, Probe probe, boolean batches) {
		super(job);
		this.job = job;
		this.probe = probe;
		this.batches = batches;
		Config config = new Config();
		config.useSingleServer()
			.setAddress("redis://127.0.0.1:" + job.port())
			.setConnectionMinimumIdleSize(job.instances() + 1);
		this.client = Redisson.create(config);
	}

	@Override
	void loop(int instance) {
		RStream<String, String> stream = this.client.getStream(this.job.stream(), StringCodec.INSTANCE);
		while (!isStopped()) {
			Map<StreamMessageId, Map<String, String>> messages = stream.readGroup(this.job.group(),
					this.job.consumer(instance),
					StreamReadGroupArgs.neverDelivered().count(COUNT).timeout(Duration.ofMillis(BLOCK)));
			for (Map.Entry<StreamMessageId, Map<String, String>> message : messages.entrySet()) {
				this.probe.handle(instance, message.getValue().get(Job.SENT));
				if (!this.batches) {
					stream.ack(this.job.group(), message.getKey());
				}
			}
			if (this.batches && !messages.isEmpty()) {
				stream.ack(this.job.group(), messages.keySet().toArray(StreamMessageId[]::new));
			}
		}
	}

	@Override
	public void close() {
		super.close();
		this.client.shutdown();
	}

}
