package io.github.redisstreams.test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.test.autoconfigure.StreamListenerTest;
import org.assertj.core.api.AbstractStringAssert;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.stream.PendingMessage;
import org.springframework.data.redis.connection.stream.ReadOffset;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.messaging.handler.annotation.SendTo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

@StreamListenerTest(properties = { "redis.streams.listeners.events.stream=app:events[1]",
		"redis.streams.listeners.events.max-deliveries=2", "redis.streams.consumer=here" })
@Import(StreamTesterTests.Listeners.class)
class StreamTesterTests {

	private static final Duration SHORT = Duration.ofMillis(300);

	private final StreamTester tester;

	private final StreamTemplate streams;

	private final StringRedisTemplate redis;

	private final Listeners listeners;

	private final StreamListenerRegistry registry;

	StreamTesterTests(@Autowired StreamTester tester, @Autowired StreamTemplate streams,
			@Autowired StringRedisTemplate redis, @Autowired Listeners listeners,
			@Autowired StreamListenerRegistry registry) {
		this.tester = tester;
		this.streams = streams;
		this.redis = redis;
		this.listeners = listeners;
		this.registry = registry;
	}

	@BeforeEach
	void clean() {
		this.tester.clean("elsewhere");
		this.listeners.forget();
	}

	@AfterEach
	void release() {
		this.listeners.held.release();
		this.registry.getContainers().forEach(StreamListenerContainer::resume);
	}

	private StreamListenerContainer listener(String id) {
		return Objects.requireNonNull(this.registry.getContainer(id));
	}

	@Test
	void isDrainedOnceAllIsHandled() {
		for (int i = 0; i < 200; i++) {
			this.streams.send("events", "ok");
		}
		this.tester.awaitDrained("events");
		assertThat(this.listeners.handled.availablePermits()).isEqualTo(200);
	}

	@Test
	void isNotDrainedWhileAnEntryIsBeingHandled() throws InterruptedException {
		this.streams.send("events", "hold");
		this.listeners.holding.acquire();
		assertNotDrained("events").contains("stream 'app:events[1]', group 'shop' (listener 'events')")
			.contains("lag 0, pending 1, scheduled 0")
			.contains("the listener is POLLING and holds 1")
			.containsPattern(
					"oldest pending entries of \\{here=1}:\\s+\\d+-0, delivered once, last to here \\d+ ms ago");
		this.listeners.held.release();
		this.tester.awaitDrained("events");
	}

	@Test
	void isNotDrainedWhileTheListenerIsPaused() {
		listener("events").pause();
		await().until(() -> listener("events").getStatus().state().name().equals("PAUSED"));
		this.streams.send("events", "ok");
		assertNotDrained("events").contains("lag 1, pending 0", "the listener is PAUSED and holds 0");
		assertThat(this.tester.stream("events")).hasLag(1);
	}

	@Test
	void isNotDrainedWhileAnEntryIsScheduled() {
		this.streams.sendAfter("events", "ok", Duration.ofHours(1));
		assertNotDrained("events").contains("lag 0, pending 0, scheduled 1");
		assertThat(this.tester.stream("events")).hasScheduled(1).hasLength(0);
	}

	@Test
	void waitsForAnEntryThatIsSoonDue() {
		this.streams.sendAfter("events", "ok", Duration.ofMillis(300));
		this.tester.awaitDrained("events");
		assertThat(this.listeners.handled.availablePermits()).isEqualTo(1);
	}

	@Test
	void waitsForWhatHandlersSchedule() {
		this.streams.send("countdown", 300);
		this.tester.awaitDrained("countdown");
		assertThat(this.tester.stream("countdown")).payloads(Integer.class).hasSize(301).endsWith(1, 0);
	}

	@Test
	void isNotDrainedForAGroupThatDoesNotExist() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.tester.stream("events", "nobody").awaitDrained(SHORT))
			.withMessageContaining("there is no such group");
	}

	@Test
	void tellsDeadLettersWhereSomethingIsNotDrained() {
		this.streams.send("events", "fail");
		this.tester.awaitDrained("events");
		this.streams.sendAfter("events", "ok", Duration.ofHours(1));
		assertNotDrained("events")
			.containsPattern("newest dead letters:\\s+\\d+-0, delivered 2 times: .*IllegalStateException");
	}

	@Test
	void waitsForWhatHandlersSendToEachOther() {
		this.streams.send("ping", "12");
		this.tester.awaitDrained();
		assertThat(this.tester.stream("ping")).hasLength(7).isDrained();
		assertThat(this.tester.stream("pong")).hasLength(6).isDrained();
	}

	@Test
	void knowsAStreamByIdNameAndKey() {
		assertThat(this.tester.stream("events").key()).isEqualTo("app:events[1]");
		assertThat(this.tester.stream("app:events[1]").group()).isEqualTo("shop");
		assertThat(this.tester.stream("second").key()).isEqualTo("shared");
		assertThat(this.tester.stream("second").group()).isEqualTo("b");
	}

	@Test
	void asksWhichListenerIsMeantWhereSeveralReadAStream() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.tester.stream("shared"))
			.withMessageContaining("first, second");
		assertThat(this.tester.stream("shared", "b").group()).isEqualTo("b");
	}

	@Test
	void looksAtStreamsThatNoListenerReads() {
		this.streams.send("elsewhere", Map.of("n", 1));
		TestedStream elsewhere = this.tester.stream("elsewhere");
		assertThat(elsewhere).hasLength(1).hasNoDeadLetters().hasScheduled(0);
		assertThat(elsewhere.entries()).singleElement()
			.satisfies((entry) -> assertThat(entry.getValue()).containsEntry("payload", "{\"n\":1}"));
		assertThat(elsewhere.payloads(Map.class)).containsExactly(Map.of("n", 1));
		assertThatIllegalStateException().isThrownBy(elsewhere::lag)
			.withMessageContaining("stream(\"elsewhere\", \"group\")");
	}

	@Test
	void looksAtGroupsOfOthers() {
		this.streams.send("elsewhere", "one");
		this.streams.send("elsewhere", "two");
		this.redis.opsForStream().createGroup("elsewhere", ReadOffset.from("0"), "theirs");
		assertThat(this.tester.stream("elsewhere", "theirs")).hasLag(2).hasNoPending();
	}

	@Test
	void countsTheLagAlsoWhereEntriesWereDeletedUnread() {
		listener("events").pause();
		await().until(() -> listener("events").getStatus().state().name().equals("PAUSED"));
		this.streams.send("events", "ok");
		String deleted = this.streams.send("events", "ok").getValue();
		this.streams.send("events", "ok");
		this.redis.opsForStream().delete("app:events[1]", deleted);
		assertThat(this.tester.stream("events")).hasLag(2);
	}

	@Test
	void tellsPendingEntries() throws InterruptedException {
		this.streams.send("events", "hold");
		this.listeners.holding.acquire();
		assertThat(this.tester.stream("events").pending()).singleElement()
			.satisfies((entry) -> assertThat(entry.getConsumerName()).isEqualTo("here"))
			.extracting(PendingMessage::getTotalDeliveryCount)
			.isEqualTo(1L);
	}

	@Test
	void readsManyPayloads() {
		List<String> payloads = IntStream.range(0, 2500).mapToObj(String::valueOf).toList();
		this.streams.sendAll("elsewhere", payloads);
		assertThat(this.tester.stream("elsewhere")).payloads(String.class).isEqualTo(payloads);
	}

	@Test
	void cleansAllThatBelongsToAStreamAndNothingElse() {
		this.redis.opsForValue().set("{app:events1}:dlq", "not ours");
		this.streams.send("events", "fail");
		this.streams.send("elsewhere", "ok");
		this.tester.awaitDrained("events");
		this.streams.sendAfter("events", "ok", Duration.ofHours(1));
		this.tester.clean("elsewhere");
		assertThat(this.tester.stream("events")).isDrained().hasLength(0).hasNoDeadLetters().hasScheduled(0);
		assertThat(this.redis.keys("*app:events[[]1]*")).contains("app:events[1]")
			.noneMatch((key) -> key.contains(":parked:") || key.endsWith(":dlq"));
		assertThat(this.redis.hasKey("elsewhere")).isFalse();
		assertThat(this.redis.delete("{app:events1}:dlq")).isTrue();
		this.streams.send("events", "ok");
		this.tester.awaitDrained("events");
	}

	@Test
	void leavesStoppedListenersStopped() {
		listener("events").stop();
		this.tester.clean();
		assertThat(listener("events").isRunning()).isFalse();
		assertThat(listener("ping").isRunning()).isTrue();
		listener("events").start();
	}

	@Test
	void endsWhatIsHandledBeforeItCleans() throws InterruptedException {
		this.streams.send("events", "hold");
		this.listeners.holding.acquire();
		this.tester.clean();
		assertThat(this.listeners.interrupted.await(1, TimeUnit.SECONDS)).isTrue();
		assertThatNoException().isThrownBy(() -> this.tester.awaitDrained("events", SHORT));
	}

	private AbstractStringAssert<?> assertNotDrained(String name) {
		return assertThat(catchThrowableOfType(AssertionError.class, () -> this.tester.awaitDrained(name, SHORT)))
			.isNotNull()
			.extracting(Throwable::getMessage, InstanceOfAssertFactories.STRING);
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

	static class Listeners {

		final Semaphore handled = new Semaphore(0);

		final Semaphore holding = new Semaphore(0);

		final Semaphore held = new Semaphore(0);

		final CountDownLatch interrupted = new CountDownLatch(1);

		private final ObjectProvider<StreamTemplate> streams;

		Listeners(ObjectProvider<StreamTemplate> streams) {
			this.streams = streams;
		}

		void forget() {
			this.handled.drainPermits();
			this.holding.drainPermits();
			this.held.drainPermits();
		}

		@StreamListener("events")
		void handle(String content) throws InterruptedException {
			switch (content) {
				case "fail" -> throw new IllegalStateException("It was to fail");
				case "hold" -> hold();
				default -> this.handled.release();
			}
		}

		private void hold() throws InterruptedException {
			this.holding.release();
			try {
				this.held.acquire();
			}
			catch (InterruptedException ex) {
				this.interrupted.countDown();
				throw ex;
			}
		}

		@StreamListener("ping")
		@SendTo("pong")
		@Nullable Integer ping(int count) {
			return (count > 0) ? count - 1 : null;
		}

		@StreamListener("pong")
		@SendTo("ping")
		Integer pong(int count) {
			return count - 1;
		}

		@StreamListener("countdown")
		void count(int count) {
			if (count > 0) {
				this.streams.getObject().sendAfter("countdown", count - 1, Duration.ofMillis(1));
			}
		}

		@StreamListener(id = "first", value = "shared", group = "a")
		@StreamListener(id = "second", value = "shared", group = "b")
		void share(String content) {
		}

	}

}
