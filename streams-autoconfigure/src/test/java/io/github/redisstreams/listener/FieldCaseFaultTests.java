package io.github.redisstreams.listener;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.support.RedisWork;
import io.github.redisstreams.test.RawRedis;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.RedisConnectionFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Field cases: a server or a network that fails, and keys that vanish.
 */
@Tag("slow")
@RealRedis(own = true)
@ExtendWith(OutputCaptureExtension.class)
class FieldCaseFaultTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private RedisServer server;

	private Containers containers;

	@BeforeEach
	void open(RedisServer server) {
		this.server = server;
		this.containers = new Containers(server);
	}

	@AfterEach
	void close() {
		this.containers.close();
	}

	private void awaitBlocked() {
		await().atMost(PATIENCE).ignoreExceptions().until(() -> !this.server.blockedClients().isEmpty());
	}

	private void awaitHandled(Recorder handler, List<String> ids) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(handler.ids()).containsAll(ids));
		await().atMost(PATIENCE)
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(this.server.pending("s", "g")).isZero());
	}

	private static void awaitState(StreamListenerContainer container, ContainerState state) {
		await().atMost(PATIENCE).until(() -> container.getStatus().state() == state);
	}

	private long calls(String command) {
		return this.server.info("cmdstat_" + command)
			.map((stat) -> Long.parseLong(stat.substring("calls=".length(), stat.indexOf(','))))
			.orElse(0L);
	}

	private static long lines(CapturedOutput output, String pattern) {
		Pattern wanted = Pattern.compile(pattern);
		return output.getOut().lines().filter((line) -> wanted.matcher(line).find()).count();
	}

	@Test
	@DisplayName("C01 Redis is stopped under load for 10 s and started again: all later entries are handled")
	void goesOnByItselfAfterTenSecondsWithoutRedis() {
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me", (options) -> options.concurrency(4), handler);
		try (Producer producer = new Producer(this.server.port())) {
			await().atMost(PATIENCE).until(() -> handler.size() > 300);
			awaitState(container, ContainerState.POLLING);
			this.server.stop();
			awaitState(container, ContainerState.BACKING_OFF);
			await().during(Duration.ofSeconds(10))
				.atMost(Duration.ofSeconds(20))
				.until(() -> container.getStatus().state() == ContainerState.BACKING_OFF
						&& container.getStatus().lastError() != null);
			int before = producer.ids.size();
			this.server.start();
			await().atMost(PATIENCE).until(() -> producer.ids.size() > before + 300);
			producer.stop();
			awaitHandled(handler, producer.ids);
			awaitState(container, ContainerState.POLLING);
			await().atMost(PATIENCE).until(() -> container.getStatus().lastError() == null);
			await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
		}
	}

	@Test
	@DisplayName("C05 CLIENT UNBLOCK id ERROR: the loop backs off and goes on")
	void backsOffAndGoesOnWhenItsReadIsUnblockedWithAnError(CapturedOutput output) {
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me",
				(options) -> options.pollTimeout(Duration.ofSeconds(20)).claimInterval(Duration.ofMinutes(1)), handler);
		awaitBlocked();
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			String blocked = this.server.blockedClients().get(0);
			this.server.command("CLIENT", "UNBLOCK", blocked, "ERROR");
			await().atMost(PATIENCE)
				.until(() -> this.server.blockedClients().stream().anyMatch((client) -> !client.equals(blocked)));
			ids.addAll(this.server.addPipelined("s", 3));
			awaitHandled(handler, ids);
			awaitBlocked();
		}
		assertThat(handler.ids()).isEqualTo(ids);
		assertThat(container.getStatus().state()).isEqualTo(ContainerState.POLLING);
		assertThat(lines(output, "WARN.*UNBLOCKED client unblocked via CLIENT UNBLOCK.*goes on trying")).isEqualTo(3);
		assertThat(lines(output, "reads stream 's'.* again, after")).isEqualTo(3);
		assertThat(lines(output, " ERROR ")).isZero();
	}

	@Test
	@DisplayName("C07 the same fault direct, as a cause and in a CompletionException is one state, logged once")
	void tellsTheSameFaultHoweverItIsWrapped(CapturedOutput output) {
		RedisWork work = RedisWork.goingWell("C07 goes well", "C07 fails");
		Exception fault = new RedisConnectionFailureException("lost");
		work.failed(fault);
		work.failed(new IllegalStateException("wrapped", fault));
		work.failed(new CompletionException(fault));
		work.failed(new CompletionException(new IllegalStateException("twice", fault)));
		assertThat(lines(output, "WARN.*C07 fails: No connection to Redis")).isOne();
		assertThat(lines(output, "C07 fails")).isOne();
		work.succeeded();
		assertThat(lines(output, "C07 goes well again, after")).isOne();
	}

	@Test
	@DisplayName("C09 the connection is lost while a long handler runs: it is not interrupted, acked later, ran once")
	void acknowledgesAfterTheReconnectWhatALongHandlerDid() {
		Duration minIdle = Duration.ofSeconds(1);
		try (TcpProxy proxy = new TcpProxy(this.server.port()); Containers behindProxy = new Containers(proxy.port())) {
			List<String> ids = new ArrayList<>(this.server.addPipelined("s", 2));
			Gate handler = new Gate();
			StreamListenerContainer container = behindProxy.start("me",
					(options) -> options.concurrency(2)
						.minIdle(minIdle)
						.pollTimeout(Duration.ofMillis(200))
						.claimInterval(Duration.ofMillis(100)),
					handler);
			await().atMost(PATIENCE).until(() -> handler.size() == 2);
			proxy.refuseConnections();
			proxy.cutConnections();
			// It has no room to read, but leases to renew
			await().atMost(PATIENCE).until(() -> container.getStatus().lastError() != null);
			await().atMost(PATIENCE)
				.until(() -> this.server.pendingEntry("s", "g", ids.get(1)).idleMillis() > 2 * minIdle.toMillis());
			proxy.heal();
			await().atMost(PATIENCE).until(() -> container.getStatus().lastError() == null);
			// Still at work, for longer than anyone would wait for a dead one
			await().during(minIdle.multipliedBy(3)).atMost(PATIENCE).until(() -> handler.size() == 2);
			proxy.refuseConnections();
			proxy.cutConnections();
			handler.open();
			await().atMost(PATIENCE).until(() -> handler.done() == 2);
			assertThat(this.server.pending("s", "g")).isEqualTo(2);
			awaitState(container, ContainerState.BACKING_OFF);
			proxy.heal();
			ids.add(this.server.add("s", "n", "next"));
			awaitHandled(handler, ids);
			assertThat(handler.ids()).as("each ran once").containsExactlyInAnyOrderElementsOf(ids);
			assertThat(handler.interrupted()).isZero();
		}
	}

	@Test
	@DisplayName("C10 Redis is down: few attempts, one warning, no CPU")
	void triesSeldomWhileRedisIsDown(CapturedOutput output) {
		try (TcpProxy proxy = new TcpProxy(this.server.port()); Containers behindProxy = new Containers(proxy.port())) {
			Recorder handler = new Recorder();
			StreamListenerContainer container = behindProxy.start("me", handler);
			awaitHandled(handler, this.server.addPipelined("s", 3));
			Thread poller = Thread.getAllStackTraces()
				.keySet()
				.stream()
				.filter((thread) -> thread.getName().equals("streams-poller-me"))
				.findFirst()
				.orElseThrow();
			long cpuBefore = cpuNanos(poller);
			int acceptedBefore = proxy.accepted();
			proxy.refuseConnections();
			proxy.cutConnections();
			awaitState(container, ContainerState.BACKING_OFF);
			await().during(Duration.ofSeconds(8)).atMost(PATIENCE).until(() -> handler.size() == 3);
			// The loop's after 0.2, 0.6, 1.4, 3 and 6.2 s, and who else is on that name
			// every 5 s
			assertThat(proxy.accepted() - acceptedBefore).isBetween(2, 10);
			assertThat(lines(output, "WARN.*redisstreams")).isOne();
			assertThat(lines(output, "ERROR.*redisstreams")).isZero();
			assertThat(Duration.ofNanos(cpuNanos(poller) - cpuBefore)).isLessThan(Duration.ofSeconds(1));
			proxy.heal();
			awaitHandled(handler, this.server.addPipelined("s", 3));
		}
	}

	private static long cpuNanos(Thread thread) {
		return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId());
	}

	@Test
	@DisplayName("C10 a minute without Redis costs about 15 attempts")
	void triesAboutFifteenTimesAMinute() {
		int rounds = 100;
		List<Integer> attempts = new ArrayList<>();
		for (int round = 0; round < rounds; round++) {
			RedisWork work = RedisWork.goingWell("well", "ill");
			Duration passed = Duration.ZERO;
			int count = 0;
			while (passed.compareTo(Duration.ofMinutes(1)) < 0) {
				passed = passed.plus(work.failed(new RedisConnectionFailureException("lost")));
				count++;
			}
			attempts.add(count);
		}
		// Jitter may cost a few more
		assertThat(attempts).allMatch((count) -> count >= 10 && count <= 18);
		assertThat(attempts.stream().mapToInt(Integer::intValue).sum()).isLessThanOrEqualTo(16 * rounds);
	}

	@Test
	@DisplayName("C11 FLUSHALL during BLOCK: the group is back after one back-off, nothing added meanwhile is skipped")
	void recreatesTheGroupAfterOneBackOffAndSkipsNothing(CapturedOutput output) {
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me",
				(options) -> options.startFrom("latest").pollTimeout(Duration.ofSeconds(20)), handler);
		awaitBlocked();
		List<String> ids = new ArrayList<>(this.server.addPipelined("s", 3));
		awaitHandled(handler, ids);
		awaitBlocked();
		this.server.command("CONFIG", "RESETSTAT");
		this.server.command("MULTI");
		this.server.command("FLUSHALL");
		this.server.command("XADD", "s", "*", "n", "at once");
		ids.add((String) this.server.list("EXEC").get(1));
		ids.add(this.server.add("s", "n", "a little later"));
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
		assertThat(calls("xgroup|create")).as("the first attempt after the back-off").isOne();
		await().untilAsserted(() -> assertThat(container.getCounters().groupsRecreated()).isOne());
		assertThat(lines(output, "The consumer group is gone")).isOne();
	}

	@Test
	@DisplayName("C12 a key that is replaced by a string is a failure that health shows, without spinning")
	void failsWithoutSpinningWhileTheKeyIsNoStream(CapturedOutput output) {
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me", handler);
		awaitBlocked();
		this.server.command("CONFIG", "RESETSTAT");
		this.server.command("SET", "s", "text");
		awaitState(container, ContainerState.FAILED);
		await().during(Duration.ofSeconds(3))
			.atMost(PATIENCE)
			.until(() -> container.getStatus().state() == ContainerState.FAILED);
		assertThat(container.getStatus().lastError()).contains("not a stream").contains("WRONGTYPE");
		assertThat(calls("xgroup|create")).isBetween(1L, 6L);
		assertThat(calls("xreadgroup")).isLessThanOrEqualTo(6);
		assertThat(lines(output, "ERROR.*WRONGTYPE")).isOne();
		assertThat(this.server.text("GET", "s")).isEqualTo("text");
		this.server.command("DEL", "s");
		awaitHandled(handler, this.server.addPipelined("s", 3));
		awaitState(container, ContainerState.POLLING);
		assertThat(container.getStatus().lastError()).isNull();
	}

	@Test
	@DisplayName("C18 the reply to one read is late past the timeout: its entry is handled by one replay, at once")
	void handlesTheEntryOfALateReplyLongBeforeMinIdle() {
		try (TcpProxy proxy = new TcpProxy(this.server.port()); Containers behindProxy = new Containers(proxy.port())) {
			Recorder handler = new Recorder();
			StreamListenerContainer container = behindProxy.start("me",
					(options) -> options.pollTimeout(Duration.ofMillis(500)).minIdle(Duration.ofHours(1)), handler);
			awaitHandled(handler, this.server.addPipelined("s", 1));
			awaitBlocked();
			proxy.delayReplies(Duration.ofSeconds(30));
			String late = this.server.add("s", "n", "late");
			await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 1);
			await().atMost(PATIENCE).until(() -> container.getStatus().state() == ContainerState.BACKING_OFF);
			assertThat(container.getStatus().lastError()).contains("did not reply in time").contains("XREADGROUP");
			proxy.heal();
			awaitHandled(handler, List.of(late));
			assertThat(handler.ids()).hasSize(2).endsWith(late);
			assertThat(handler.counts()).as("it had started no handler").containsExactly(1L, 1L);
			assertThat(container.getCounters().claimed()).isZero();
			await().untilAsserted(() -> assertThat(container.getCounters().retried()).isOne());
		}
	}

	@Test
	@DisplayName("C22 BLOCK lasts much longer than asked: no alarm, no reconnect")
	void takesALongBlockForNoFault(CapturedOutput output) {
		try (TcpProxy proxy = new TcpProxy(this.server.port()); Containers behindProxy = new Containers(proxy.port())) {
			Recorder handler = new Recorder();
			StreamListenerContainer container = behindProxy.start("me",
					(options) -> options.pollTimeout(Duration.ofMillis(100)), handler);
			awaitHandled(handler, this.server.addPipelined("s", 1));
			awaitBlocked();
			int accepted = proxy.accepted();
			List<ContainerState> states = new CopyOnWriteArrayList<>();
			// Each reply comes five times later than a BLOCK of 100 ms ends
			proxy.delayReplies(Duration.ofMillis(400));
			for (int i = 0; i < 4; i++) {
				Instant before = lastPoll(container);
				await().atMost(PATIENCE).until(() -> {
					states.add(container.getStatus().state());
					return lastPoll(container).isAfter(before);
				});
			}
			awaitHandled(handler, this.server.addPipelined("s", 1));
			assertThat(states).containsOnly(ContainerState.POLLING);
			assertThat(proxy.accepted()).isEqualTo(accepted);
			assertThat(lines(output, "(WARN|ERROR).*redisstreams")).isZero();
		}
	}

	private static Instant lastPoll(StreamListenerContainer container) {
		Instant lastPoll = container.getStatus().lastPoll();
		return (lastPoll != null) ? lastPoll : Instant.MIN;
	}

	/**
	 * Adds one entry after another, whether the server is there or not.
	 */
	private static final class Producer implements AutoCloseable {

		private final List<String> ids = new CopyOnWriteArrayList<>();

		private volatile boolean stopped;

		private final CompletableFuture<Void> done;

		Producer(int port) {
			this.done = CompletableFuture.runAsync(() -> produce(port), (task) -> new Thread(task).start());
		}

		private void produce(int port) {
			while (!this.stopped) {
				try (RawRedis connection = new RawRedis(port)) {
					while (!this.stopped) {
						this.ids.add((String) connection.command("XADD", "s", "*", "n", "1"));
						LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
					}
				}
				catch (RuntimeException ex) {
					// Redis is down
					LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
				}
			}
		}

		@Override
		public void close() {
			stop();
		}

		void stop() {
			this.stopped = true;
			assertThat(this.done).succeedsWithin(20, TimeUnit.SECONDS);
		}

	}

}
