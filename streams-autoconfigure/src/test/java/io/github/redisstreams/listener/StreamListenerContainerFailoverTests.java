package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * That a container follows an address that moves from one server to another, while the
 * connections that it has to the former master stay open.
 */
@Tag("server")
@Tag("core")
class StreamListenerContainerFailoverTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private RedisServer first;

	private RedisServer second;

	private TcpProxy address;

	private Containers containers;

	@BeforeEach
	void open() {
		this.first = RedisServer.started("--repl-diskless-sync-delay", "0");
		this.second = RedisServer.started("--repl-diskless-sync-delay", "0", "--replicaof", "127.0.0.1",
				Integer.toString(this.first.port()));
		await().atMost(PATIENCE).until(() -> this.second.info("master_link_status").orElse("").equals("up"));
		this.address = new TcpProxy(this.first.port());
		this.containers = new Containers(this.address.port());
	}

	@AfterEach
	void close() {
		this.containers.close();
		this.address.close();
		this.first.close();
		this.second.close();
	}

	/**
	 * The replica becomes the master and the other way round, and new connections go to
	 * the new master. Redis itself ends the blocking read on the former one.
	 */
	private void failOver() {
		assertThat(this.first.integer("WAIT", "1", "10000")).isEqualTo(1);
		this.second.command("REPLICAOF", "NO", "ONE");
		this.address.redirectTo(this.second.port());
		this.first.command("REPLICAOF", "127.0.0.1", Integer.toString(this.second.port()));
	}

	private void awaitHandled(Recorder handler, List<String> ids) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(handler.ids()).containsAll(ids));
	}

	private void awaitNothingPending(RedisServer master) {
		await().atMost(PATIENCE)
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(master.pending("s", "g")).as("pending").isZero());
	}

	private void awaitBlocked(RedisServer master) {
		await().atMost(PATIENCE).until(() -> !master.blockedClients().isEmpty());
	}

	@Test
	@DisplayName("C05 the master becomes a replica while a read blocks: the loop goes on at the new master")
	void readsAndAcknowledgesAtTheNewMasterBehindAnAddress() {
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me", (options) -> options.batchSize(10), handler);
		List<String> ids = new ArrayList<>(this.first.addPipelined("s", 10));
		awaitHandled(handler, ids);
		awaitNothingPending(this.first);
		awaitBlocked(this.first);
		failOver();
		ids.addAll(this.second.addPipelined("s", 500));
		awaitHandled(handler, ids);
		awaitNothingPending(this.second);
		await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
		assertThat(handler.ids()).as("none handled twice").containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	void acknowledgesAtTheNewMasterWhatRanDuringTheFailover() {
		Gate handler = new Gate();
		StreamListenerContainer container = this.containers.start("me", (options) -> options.concurrency(5), handler);
		List<String> ids = this.first.addPipelined("s", 5);
		await().atMost(PATIENCE).until(() -> handler.size() == 5);
		failOver();
		handler.open();
		await().atMost(PATIENCE).until(() -> handler.done() == 5);
		awaitNothingPending(this.second);
		await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
		assertThat(handler.ids()).as("none handled twice").containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	void followsAnAddressThatMovesWithItsConnectionsCut() {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		List<String> ids = new ArrayList<>(this.first.addPipelined("s", 10));
		awaitHandled(handler, ids);
		awaitNothingPending(this.first);
		awaitBlocked(this.first);
		failOver();
		this.address.cutConnections();
		ids.addAll(this.second.addPipelined("s", 100));
		awaitHandled(handler, ids);
		awaitNothingPending(this.second);
	}

	@Test
	void followsAnAddressThatMovesBack() {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		List<String> ids = new ArrayList<>(this.first.addPipelined("s", 10));
		awaitHandled(handler, ids);
		failOver();
		ids.addAll(this.second.addPipelined("s", 10));
		awaitHandled(handler, ids);
		awaitNothingPending(this.second);
		awaitBlocked(this.second);
		await().atMost(PATIENCE).until(() -> this.first.info("master_link_status").orElse("").equals("up"));
		assertThat(this.second.integer("WAIT", "1", "10000")).isEqualTo(1);
		this.first.command("REPLICAOF", "NO", "ONE");
		this.address.redirectTo(this.first.port());
		this.second.command("REPLICAOF", "127.0.0.1", Integer.toString(this.first.port()));
		ids.addAll(this.first.addPipelined("s", 10));
		awaitHandled(handler, ids);
		awaitNothingPending(this.first);
	}

}
