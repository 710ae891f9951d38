package io.github.redisstreams.test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what the other tests stand on.
 */
@RealRedis(own = true)
class RedisServerTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	@Test
	void keepsItsDataAndPortOverKillAndRestart(RedisServer server) {
		server.command("SET", "kept", "yes");
		int port = server.port();
		server.kill();
		assertThat(server.isRunning()).isFalse();
		server.start();
		assertThat(server.text("GET", "kept")).isEqualTo("yes");
		server.restart();
		assertThat(server.text("GET", "kept")).isEqualTo("yes");
		assertThat(server.port()).isEqualTo(port);
	}

	@Test
	void repliesWithTextIntegersListsNullAndErrors(RedisServer server) {
		assertThat(server.command("SET", "k", "v")).isEqualTo("OK");
		assertThat(server.command("GET", "none")).isNull();
		assertThat(server.integer("INCR", "counter")).isEqualTo(1);
		assertThat(server.list("MGET", "k", "none")).containsExactly("v", null);
		assertThatExceptionOfType(RawRedis.RedisError.class).isThrownBy(() -> server.command("INCR", "k"))
			.withMessage("ERR value is not an integer or out of range");
	}

	@Test
	void addsManyEntries(RedisServer server) {
		List<String> ids = server.addPipelined("s", 2500);
		assertThat(ids).hasSize(2500).doesNotHaveDuplicates();
		assertThat(server.list("XRANGE", "s", ids.get(2499), "+"))
			.containsExactly(List.of(ids.get(2499), List.of("n", "2499")));
	}

	@Test
	void proxyPassesDelaysSwallowsAndCuts(RedisServer server) {
		try (TcpProxy proxy = new TcpProxy(server.port()); RawRedis client = new RawRedis(proxy.port())) {
			assertThat(client.command("PING")).isEqualTo("PONG");
			proxy.delayReplies(Duration.ofMillis(200));
			long start = System.nanoTime();
			client.command("PING");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
			proxy.heal();
			proxy.swallowReplies();
			client.send("SET", "k", "v");
			client.flush();
			await().until(() -> server.text("GET", "k") != null);
			proxy.cutConnections();
			assertThatThrownBy(client::receive).hasRootCauseInstanceOf(IOException.class);
		}
	}

	@Test
	void workerProcessCanBePausedResumedAndKilled() throws Exception {
		try (WorkerProcess worker = WorkerProcess.start(Ticker.class, "tick")) {
			worker.awaitLine("tick 1", PATIENCE);
			worker.pause();
			AtomicInteger seen = new AtomicInteger();
			await().during(Duration.ofMillis(300)).until(() -> {
				int count = worker.lines().size();
				return seen.getAndSet(count) == count;
			});
			worker.resume();
			worker.awaitLine("tick " + (seen.get() + 1), PATIENCE);
			worker.kill();
			assertThat(worker.isAlive()).isFalse();
			assertThatThrownBy(() -> worker.awaitLine("never", PATIENCE)).hasMessageContaining("tick 1");
		}
	}

	@Test
	void listensOnlyOnTheLoopbackInterface(RedisServer server) throws IOException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
			assertThat(socket.isConnected()).isTrue();
		}
		assertThat(server.list("CONFIG", "GET", "bind")).containsExactly("bind", "127.0.0.1");
	}

	/**
	 * Counts on standard output.
	 */
	static final class Ticker {

		private Ticker() {
		}

		public static void main(String[] args) throws InterruptedException {
			for (int i = 1;; i++) {
				System.out.println(args[0] + " " + i);
				Thread.sleep(20);
			}
		}

	}

}
