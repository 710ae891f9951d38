package io.github.redisstreams.benchmarks.sender;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;

/**
 * What somebody who knows Lettuce writes: a plain {@code XADD} that trims nothing.
 */
final class LettuceSending implements Sending {

	private static final int FLUSH = 1000;

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	private final String stream;

	private final Content content;

	private final ObjIntConsumer<LettuceSending> way;

	LettuceSending(SendJob job, Content content, ObjIntConsumer<LettuceSending> way) {
		this.client = RedisClient.create("redis://127.0.0.1:" + job.port());
		this.connection = this.client.connect();
		this.stream = job.stream();
		this.content = content;
		this.way = way;
	}

	@Override
	public void send(int count) {
		this.way.accept(this, count);
	}

	void oneByOne(int count) {
		for (int i = 0; i < count; i++) {
			this.connection.sync().xadd(this.stream, entry());
		}
	}

	void async(int count) {
		RedisFuture<?>[] replies = new RedisFuture<?>[count];
		for (int i = 0; i < count; i++) {
			replies[i] = this.connection.async().xadd(this.stream, entry());
		}
		await(replies);
	}

	void pipelined(int count) {
		RedisFuture<?>[] replies = new RedisFuture<?>[count];
		this.connection.setAutoFlushCommands(false);
		for (int i = 0; i < count; i++) {
			replies[i] = this.connection.async().xadd(this.stream, entry());
			if ((i + 1) % FLUSH == 0) {
				this.connection.flushCommands();
			}
		}
		this.connection.flushCommands();
		this.connection.setAutoFlushCommands(true);
		await(replies);
	}

	private Map<String, String> entry() {
		return Map.of(SendJob.FIELD, this.content.write());
	}

	private static void await(Future<?>[] replies) {
		if (!LettuceFutures.awaitAll(Duration.ofSeconds(10), replies)) {
			throw new IllegalStateException("Redis does not reply");
		}
	}

	@Override
	public void close() {
		this.client.shutdown(0, 2, TimeUnit.SECONDS);
	}

}
