package io.github.redisstreams.publish;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That delays are counted by the clock of the server. Both have the same clock here, so
 * what tells them apart is a server that takes its time: the delay begins when it gets to
 * the command.
 */
@Tag("core")
@RealRedis(own = true)
class ServerTimeTests extends TemplateFixture {

	private static final long PAUSE = 500;

	private static final Duration DELAY = Duration.ofHours(1);

	private static long time(RedisServer redis) {
		List<Object> time = redis.list("TIME");
		return Long.parseLong((String) time.get(0)) * 1000 + Long.parseLong((String) time.get(1)) / 1000;
	}

	private static long dueTime(RedisServer redis, String id) {
		return Long.parseLong(redis.text("ZSCORE", "{events}:delayed", id));
	}

	@Test
	void aDelayBeginsWhenTheServerHasTheCommand(RedisServer redis) {
		// So that the connection is there
		this.template.sendAfter("events", "x", DELAY);
		long called = time(redis);
		redis.command("CLIENT", "PAUSE", Long.toString(PAUSE), "WRITE");
		String id = this.template.sendAfter("events", "x", DELAY);
		assertThat(dueTime(redis, id) - DELAY.toMillis()).isBetween(called + PAUSE, time(redis));
	}

	@Test
	void aTimeIsKeptAsItIs(RedisServer redis) {
		long due = time(redis) + 100_000;
		String id = this.template.sendAt("events", "x", Instant.ofEpochMilli(due));
		assertThat(dueTime(redis, id)).isEqualTo(due);
		this.template.reschedule("events", id, Instant.ofEpochMilli(due + 5));
		assertThat(dueTime(redis, id)).isEqualTo(due + 5);
	}

}
