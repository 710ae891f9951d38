package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a container tells of itself, and when.
 */
@RealRedis(own = true)
class ContainerEventsTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final Told told = new Told();

	private RedisServer server;

	private Containers containers;

	@BeforeEach
	void open(RedisServer server) {
		this.server = server;
		this.containers = new Containers(server).tell(this.told);
	}

	@AfterEach
	void close() {
		this.containers.close();
		if (this.server.isRunning()) {
			this.server.command("ACL", "SETUSER", "default", "+@all");
		}
	}

	private void awaitTold(String... events) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.told.events).containsExactly(events));
	}

	@Test
	void tellsOfStartStateAndStopInThisOrder() {
		StreamListenerContainer container = this.containers.start("me", new Recorder());
		awaitTold("started", "STOPPED -> STARTING", "STARTING -> POLLING");
		container.stop();
		container.stop(StopReason.SHUTDOWN);
		awaitTold("started", "STOPPED -> STARTING", "STARTING -> POLLING", "POLLING -> STOPPED", "stopped REQUESTED");
		this.told.events.clear();
		container.start();
		awaitTold("started", "STOPPED -> STARTING", "STARTING -> POLLING");
		container.stop(StopReason.SHUTDOWN);
		awaitTold("started", "STOPPED -> STARTING", "STARTING -> POLLING", "POLLING -> STOPPED", "stopped SHUTDOWN");
	}

	@Test
	void tellsOfPauses() {
		StreamListenerContainer container = this.containers.start("me", new Recorder());
		await().until(() -> this.told.events.size() == 3);
		container.pause();
		container.pause();
		container.resume();
		awaitTold("started", "STOPPED -> STARTING", "STARTING -> POLLING", "POLLING -> PAUSED", "PAUSED -> POLLING");
		container.stop();
		container.pause();
		this.told.events.clear();
		container.start();
		awaitTold("started", "STOPPED -> PAUSED");
	}

	@Test
	void tellsOnceOfAnOutageAndOnceOfItsEnd() {
		StreamListenerContainer container = this.containers.start("me", new Recorder());
		await().until(() -> this.told.events.size() == 3);
		this.told.events.clear();
		this.server.stop();
		awaitTold("POLLING -> BACKING_OFF");
		String first = container.getStatus().lastError();
		// So it tries several times
		await().during(Duration.ofSeconds(1)).until(() -> this.told.events.size() == 1);
		assertThat(first).isNotNull();
		this.server.start();
		awaitTold("POLLING -> BACKING_OFF", "BACKING_OFF -> POLLING");
	}

	@Test
	void tellsOnceThatReadingIsRefusedThoughItConnectsAgainAndAgain() {
		this.containers.start("me", new Recorder());
		await().until(() -> this.told.events.size() == 3);
		this.told.events.clear();
		this.server.command("ACL", "SETUSER", "default", "-xreadgroup");
		awaitTold("POLLING -> BACKING_OFF");
		String connections = this.server.info("total_connections_received").orElseThrow();
		await().atMost(PATIENCE)
			.until(() -> Long.parseLong(
					this.server.info("total_connections_received").orElseThrow()) > Long.parseLong(connections) + 2);
		awaitTold("POLLING -> BACKING_OFF");
		this.server.command("ACL", "SETUSER", "default", "+xreadgroup");
		awaitTold("POLLING -> BACKING_OFF", "BACKING_OFF -> POLLING");
	}

	@Test
	void tellsThatAKeyIsNoStream() {
		this.containers.start("me", new Recorder());
		await().until(() -> this.told.events.size() == 3);
		this.told.events.clear();
		this.server.command("SET", "s", "a string");
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.told.events).last().asString().endsWith("-> FAILED"));
		this.server.command("DEL", "s");
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.told.events).last().asString().endsWith("-> POLLING"));
	}

	@Test
	void tellsOfASuspension() {
		AtomicBoolean failing = new AtomicBoolean(true);
		this.containers.start("me",
				(options) -> options
					.circuit((circuit) -> circuit.minimumFailures(3).initialPause(Duration.ofMillis(50))),
				(deliveries) -> {
					if (failing.get()) {
						throw new IllegalStateException("as asked");
					}
				});
		await().until(() -> this.told.events.size() == 3);
		this.told.events.clear();
		this.server.addPipelined("s", 5);
		awaitTold("POLLING -> SUSPENDED");
		failing.set(false);
		awaitTold("POLLING -> SUSPENDED", "SUSPENDED -> POLLING");
	}

	@Test
	void tellsOfDeadLettersWithTheIdThatTheyHaveThere() {
		this.containers.start("me", (deliveries) -> {
			throw new DeadLetterException("not at all");
		});
		String id = this.server.add("s", "n", "1");
		await().untilAsserted(() -> assertThat(this.told.deadLetters).singleElement().satisfies((letter) -> {
			assertThat(letter.id()).hasToString(id);
			assertThat(letter.deliveryCount()).isEqualTo(1);
			assertThat(letter.deadLetterStream()).isEqualTo("{s}:dlq");
			assertThat(this.server.list("XRANGE", "{s}:dlq", "-", "+").toString())
				.startsWith("[[" + letter.deadLetterId() + ",");
			assertThat(letter.reason()).isEqualTo("not at all");
			assertThat(letter.exception()).isEqualTo(DeadLetterException.class.getName());
		}));
	}

	@Test
	void tellsAgainAndAgainThatItIsIdle() {
		this.containers.start("me",
				(options) -> options.pollTimeout(Duration.ofMillis(20)).idleEventInterval(Duration.ofMillis(100)),
				new Recorder());
		await().until(() -> this.told.idle.size() >= 3);
		assertThat(this.told.idle).isSorted()
			.first()
			.satisfies((idle) -> assertThat(idle).isGreaterThanOrEqualTo(Duration.ofMillis(100)));
	}

	@Test
	void isNotIdleWhileItHandlesNorWhileItIsPausedOrStopped() {
		Gate handler = new Gate();
		this.server.add("s", "n", "1");
		StreamListenerContainer container = this.containers.start("me",
				(options) -> options.concurrency(2)
					.pollTimeout(Duration.ofMillis(20))
					.idleEventInterval(Duration.ofMillis(100)),
				handler);
		await().until(() -> handler.size() == 1);
		await().during(Duration.ofMillis(400)).until(this.told.idle::isEmpty);
		container.pause();
		handler.open();
		await().during(Duration.ofMillis(400)).until(this.told.idle::isEmpty);
		container.resume();
		await().until(() -> !this.told.idle.isEmpty());
		container.stop();
		this.told.idle.clear();
		await().during(Duration.ofMillis(300)).until(this.told.idle::isEmpty);
	}

	@Test
	void handlesAllAlthoughWhatIsToldFailsEachTime() {
		AtomicInteger failures = new AtomicInteger();
		this.containers.tell(new ContainerEvents() {

			@Override
			public void started(StreamListenerContainer container) {
				fail();
			}

			@Override
			public void stopped(StreamListenerContainer container, StopReason reason) {
				fail();
			}

			@Override
			public void stateChanged(StreamListenerContainer container, ContainerState from, ContainerState to) {
				fail();
			}

			@Override
			public void deadLettered(StreamListenerContainer container, DeadLetteredEntry entry) {
				fail();
			}

			@Override
			public void idle(StreamListenerContainer container, Duration idleFor) {
				fail();
			}

			private void fail() {
				failures.incrementAndGet();
				throw new AssertionError("as asked");
			}

		});
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me",
				(options) -> options.pollTimeout(Duration.ofMillis(20)).idleEventInterval(Duration.ofMillis(20)),
				(deliveries) -> {
					handler.handle(deliveries);
					if (handler.size() % 2 == 0) {
						throw new DeadLetterException("not at all");
					}
				});
		List<String> ids = this.server.addPipelined("s", 10);
		await().untilAsserted(() -> assertThat(handler.ids()).isEqualTo(ids));
		await().until(() -> this.server.pending("s", "g") == 0);
		await().until(() -> this.server.length("{s}:dlq") == 5);
		await().until(() -> container.getInFlight() == 0);
		int before = failures.get();
		await().until(() -> failures.get() > before + 2);
		container.stop();
		assertThat(container.getStatus().state()).isEqualTo(ContainerState.STOPPED);
		assertThat(container.start()).succeedsWithin(PATIENCE);
	}

	/**
	 * What was told of all containers.
	 */
	private static final class Told implements ContainerEvents {

		private final List<String> events = new CopyOnWriteArrayList<>();

		private final List<DeadLetteredEntry> deadLetters = new CopyOnWriteArrayList<>();

		private final List<Duration> idle = new CopyOnWriteArrayList<>();

		@Override
		public void started(StreamListenerContainer container) {
			this.events.add("started");
		}

		@Override
		public void stopped(StreamListenerContainer container, StopReason reason) {
			this.events.add("stopped " + reason);
		}

		@Override
		public void stateChanged(StreamListenerContainer container, ContainerState from, ContainerState to) {
			this.events.add(from + " -> " + to);
		}

		@Override
		public void deadLettered(StreamListenerContainer container, DeadLetteredEntry entry) {
			this.deadLetters.add(entry);
		}

		@Override
		public void idle(StreamListenerContainer container, Duration idleFor) {
			this.idle.add(idleFor);
		}

	}

}
