package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.WorkerProcess;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Applications in processes of their own that are killed, started again and stopped, as a
 * deployment does it.
 */
@RealRedis
class WorkerProcessTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@BeforeEach
	void createGroup(RedisServer redis) {
		redis.command("XGROUP", "CREATE", "events", "billing", "0", "MKSTREAM");
	}

	private static WorkerProcess start(RedisServer redis, int concurrency) {
		return WorkerProcess.start(Worker.class, "--spring.application.name=billing", "--redis.streams.consumer=one",
				"--redis.streams.listener.concurrency=" + concurrency, "--redis.streams.listener.min-idle=1h",
				"--redis.streams.listener.shutdown-timeout=500ms", "--spring.data.redis.host=127.0.0.1",
				"--spring.data.redis.port=" + redis.port());
	}

	private static List<String> handling(WorkerProcess worker) {
		return worker.lines()
			.stream()
			.filter((line) -> line.startsWith("handling "))
			.map((line) -> line.substring("handling ".length()))
			.toList();
	}

	private static void awaitHandling(WorkerProcess worker, int count) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(handling(worker)).hasSize(count));
	}

	@Test
	void aKilledProcessThatComesBackUnderItsNameTakesUpItsEntriesAtOnceAndFirst(RedisServer redis) throws Exception {
		redis.addPipelined("events", 5);
		Map<String, RedisServer.Pending> left;
		try (WorkerProcess killed = start(redis, 5)) {
			awaitHandling(killed, 5);
			killed.kill();
			left = redis.pendingEntries("events", "billing");
		}
		assertThat(left).hasSize(5);
		List<String> added = redis.addPipelined("events", 3);
		try (WorkerProcess restarted = start(redis, 1)) {
			// One after another, so this is the first of those that were left
			awaitHandling(restarted, 1);
			assertThat(handling(restarted)).containsExactly(left.keySet().iterator().next());
		}
		try (WorkerProcess restarted = start(redis, 8)) {
			restarted.awaitLine("Started Worker", PATIENCE);
			await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> assertThat(handling(restarted)).hasSize(8));
			assertThat(handling(restarted)).containsAll(left.keySet()).containsAll(added);
			assertThat(redis.pendingEntries("events", "billing").values())
				.allSatisfy((entry) -> assertThat(entry.consumer()).isEqualTo("one"));
		}
	}

	@Test
	void anIdleProcessEndsCleanlyWhenAskedTo(RedisServer redis) throws Exception {
		try (WorkerProcess worker = start(redis, 1)) {
			worker.awaitLine("reads stream 'events'", PATIENCE);
			await().atMost(PATIENCE).until(() -> !redis.blockedClients().isEmpty());
			assertEndsCleanly(worker);
			assertThat(worker.lines()).noneMatch((line) -> line.contains("WARN"));
		}
	}

	@Test
	void aProcessWhoseHandlersNeverReturnEndsCleanlyWhenAskedTo(RedisServer redis) throws Exception {
		redis.addPipelined("events", 5);
		try (WorkerProcess worker = start(redis, 5)) {
			awaitHandling(worker, 5);
			assertEndsCleanly(worker);
			assertThat(redis.pending("events", "billing")).isEqualTo(5);
		}
	}

	// 143 says that it was SIGTERM which ended it
	private static void assertEndsCleanly(WorkerProcess worker) throws InterruptedException {
		assertThat(worker.stop(Duration.ofSeconds(10))).isIn(0, 143);
		assertThat(worker.lines()).anyMatch((line) -> line.contains("Listener 'events' has stopped"))
			.noneMatch((line) -> line.contains("ERROR"));
	}

}
