package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * That entries which no worker would take are not held for ever, but delivered later.
 */
@Tag("core")
@RealRedis
class RefusedWorkTests {

	private static final ListenerOptions OPTIONS = ListenerOptions.builder()
		.stream("s")
		.group("g")
		.consumer("me")
		.concurrency(3)
		.pollTimeout(Duration.ofMillis(200))
		.minIdle(Duration.ofSeconds(1))
		.claimInterval(Duration.ofMillis(100))
		.build("me", "test");

	private final LettuceFactories factories = new LettuceFactories();

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private LettuceStreamCommands commands;

	private RedisServer server;

	@BeforeEach
	void open(RedisServer server) {
		this.server = server;
		this.commands = new LettuceStreamCommands(this.factories.to(server.port()));
	}

	@AfterEach
	void close() {
		this.commands.close();
		this.factories.close();
		this.timer.shutdownNow();
	}

	static Stream<Throwable> refusals() {
		return Stream.of(new OutOfMemoryError("unable to create native thread"),
				new IllegalStateException("no thread for you"));
	}

	private StreamListenerContainer start(EntryHandler handler, ThreadFactory threads) {
		StreamListenerContainer container = new StreamListenerContainer("me", OPTIONS, handler, this.commands,
				this.timer, threads, ContainerObservers.NONE);
		container.start().join();
		return container;
	}

	private static void awaitHandled(Recorder handler, List<String> ids) {
		await().untilAsserted(() -> assertThat(handler.ids()).containsExactlyInAnyOrderElementsOf(ids));
	}

	private void awaitNothingHeld(StreamListenerContainer container) {
		await().untilAsserted(() -> assertThat(this.server.pending("s", "g")).isZero());
		await().until(() -> container.getInFlight() == 0);
	}

	private static ThreadFactory refusing(Throwable refusal, int call) {
		AtomicInteger calls = new AtomicInteger();
		return (task) -> {
			if (calls.incrementAndGet() == call) {
				if (refusal instanceof Error error) {
					throw error;
				}
				throw (RuntimeException) refusal;
			}
			return new Thread(task, "refused-work-" + calls);
		};
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void deliversLaterWhatNoThreadCouldBeCreatedFor(Throwable refusal) {
		List<String> ids = this.server.addPipelined("s", 1);
		Recorder handler = new Recorder();
		StreamListenerContainer container = start(handler, refusing(refusal, 1));
		try {
			awaitHandled(handler, ids);
			awaitNothingHeld(container);
			assertThat(handler.counts()).as("delivered before, to no thread").allMatch((count) -> count > 1);
		}
		finally {
			container.stop();
		}
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void handlesEachOnceThoughNoThreadCouldBeCreatedForSomeOfThem(Throwable refusal) {
		List<String> ids = this.server.addPipelined("s", 3);
		Gate handler = new Gate();
		StreamListenerContainer container = start(handler, refusing(refusal, 2));
		try {
			awaitHandled(handler, ids);
			handler.open();
			awaitNothingHeld(container);
			awaitHandled(handler, ids);
		}
		finally {
			container.stop();
		}
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void deliversAWholeBatchLaterThatNoThreadCouldBeCreatedFor(Throwable refusal) {
		List<String> ids = this.server.addPipelined("s", 5);
		Recorder handler = new Recorder() {

			@Override
			public boolean isBatch() {
				return true;
			}

		};
		StreamListenerContainer container = start(handler, refusing(refusal, 1));
		try {
			awaitHandled(handler, ids);
			awaitNothingHeld(container);
		}
		finally {
			container.stop();
		}
	}

}
