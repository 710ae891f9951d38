package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.test.RedisSentinel;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * That a container follows a Sentinel to the new master, with no action by the
 * application.
 */
@Tag("server")
@Tag("core")
class StreamListenerContainerSentinelTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private RedisServer master;

	private RedisServer replica;

	private RedisSentinel sentinel;

	private Containers containers;

	@BeforeEach
	void open() {
		this.master = RedisServer.started("--repl-diskless-sync-delay", "0");
		this.replica = RedisServer.started("--replicaof", "127.0.0.1", Integer.toString(this.master.port()));
		await().atMost(PATIENCE).until(() -> this.replica.info("master_link_status").orElse("").equals("up"));
		this.sentinel = RedisSentinel.watching(this.master);
		this.containers = new Containers(this.sentinel::configuration);
	}

	@AfterEach
	void close() {
		this.containers.close();
		this.sentinel.close();
		this.replica.close();
		this.master.close();
	}

	private void killMasterAndAwaitFailover() {
		assertThat(this.master.integer("WAIT", "1", "10000")).isEqualTo(1);
		this.master.kill();
		// It also closes all connections to the new master, this test's among them
		await().atMost(PATIENCE)
			.ignoreExceptions()
			.until(() -> this.sentinel.masterPort() == this.replica.port()
					&& this.replica.info("role").orElse("").equals("master"));
	}

	private void awaitHandled(Recorder handler, List<String> ids) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(handler.ids()).containsAll(ids));
	}

	private void awaitNothingPending(RedisServer server) {
		await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> assertThat(server.pending("s", "g")).isZero());
	}

	@Test
	void goesOnAtTheNewMasterAfterTheFormerOneWasKilled() {
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me", handler);
		List<String> ids = new ArrayList<>(this.master.addPipelined("s", 100));
		awaitHandled(handler, ids);
		awaitNothingPending(this.master);
		killMasterAndAwaitFailover();
		ids.addAll(this.replica.addPipelined("s", 100));
		awaitHandled(handler, ids);
		awaitNothingPending(this.replica);
		await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
		assertThat(handler.ids()).as("none handled twice").isEqualTo(ids);
	}

	@Test
	void acknowledgesAtTheNewMasterWhatRanDuringTheFailover() {
		Gate handler = new Gate();
		this.containers.start("me", (options) -> options.concurrency(5), handler);
		List<String> ids = this.master.addPipelined("s", 5);
		await().atMost(PATIENCE).until(() -> handler.size() == 5);
		killMasterAndAwaitFailover();
		handler.open();
		awaitNothingPending(this.replica);
		assertThat(handler.ids()).as("none handled twice").containsExactlyInAnyOrderElementsOf(ids);
	}

}
