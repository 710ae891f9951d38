package io.github.redisstreams.event;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.redisstreams.listener.ContainerObservers;
import io.github.redisstreams.listener.ContainerState;
import io.github.redisstreams.listener.DeadLetteredEntry;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StopReason;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.test.StubCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.stream.RecordId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class ListenerEventPublisherTests {

	private final StreamListenerContainer container = new StreamListenerContainer("id",
			ListenerOptions.builder().stream("app:events").group("billing").consumer("one").build("id", "test"),
			(deliveries) -> {
			}, new StubCommands(), mock(ScheduledExecutorService.class), Thread::new, ContainerObservers.NONE);

	private final List<Object> published = new CopyOnWriteArrayList<>();

	private final CountDownLatch open = new CountDownLatch(1);

	private volatile Consumer<Object> listener = this.published::add;

	private final ListenerEventPublisher publisher = new ListenerEventPublisher((event) -> this.listener.accept(event),
			0);

	@AfterEach
	void close() {
		this.open.countDown();
		this.publisher.destroy();
	}

	private void waitUntilOpen(Object event) {
		try {
			this.open.await();
			this.published.add(event);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void idle(int seconds) {
		this.publisher.idle(this.container, Duration.ofSeconds(seconds));
	}

	private List<Long> idleSeconds() {
		return this.published.stream().map((event) -> ((ListenerIdleEvent) event).idleFor().toSeconds()).toList();
	}

	@Test
	void publishesAnEventForEachThingThatHappensInOrder() {
		this.publisher.started(this.container);
		this.publisher.stateChanged(this.container, ContainerState.STARTING, ContainerState.POLLING);
		this.publisher.deadLettered(this.container, new DeadLetteredEntry(new EntryId(1, 2), 5, "{app:events}:dlq",
				new EntryId(3, 4), "because", "java.io.IOException"));
		this.publisher.idle(this.container, Duration.ofSeconds(7));
		this.publisher.stopped(this.container, StopReason.SHUTDOWN);
		this.publisher.stop();
		assertThat(this.published).hasSize(5)
			.allSatisfy((event) -> assertThat(event).isInstanceOfSatisfying(StreamListenerEvent.class, (any) -> {
				assertThat(any.listenerId()).isEqualTo("id");
				assertThat(any.stream()).isEqualTo("app:events");
				assertThat(any.group()).isEqualTo("billing");
				assertThat(any.time()).isBeforeOrEqualTo(java.time.Instant.now());
			}));
		assertThat(this.published.get(0)).isInstanceOf(ListenerStartedEvent.class);
		assertThat(this.published.get(1)).isInstanceOfSatisfying(ListenerStateChangedEvent.class, (event) -> {
			assertThat(event.from()).isEqualTo(ContainerState.STARTING);
			assertThat(event.to()).isEqualTo(ContainerState.POLLING);
		});
		assertThat(this.published.get(2)).isInstanceOfSatisfying(EntryDeadLetteredEvent.class, (event) -> {
			assertThat(event.entryId()).isEqualTo(RecordId.of("1-2"));
			assertThat(event.deliveryCount()).isEqualTo(5);
			assertThat(event.deadLetterStream()).isEqualTo("{app:events}:dlq");
			assertThat(event.deadLetterId()).isEqualTo(RecordId.of("3-4"));
			assertThat(event.reason()).isEqualTo("because");
			assertThat(event.exception()).isEqualTo("java.io.IOException");
		});
		assertThat(this.published.get(3)).isInstanceOfSatisfying(ListenerIdleEvent.class,
				(event) -> assertThat(event.idleFor()).isEqualTo(Duration.ofSeconds(7)));
		assertThat(this.published.get(4)).isInstanceOfSatisfying(ListenerStoppedEvent.class,
				(event) -> assertThat(event.reason()).isEqualTo(StopReason.SHUTDOWN));
	}

	@Test
	void publishesOnAThreadOfItsOwnSoThatNobodyWaits() {
		List<String> threads = new CopyOnWriteArrayList<>();
		this.listener = (event) -> {
			threads.add(Thread.currentThread().getName());
			waitUntilOpen(event);
		};
		idle(1);
		await().until(() -> threads.size() == 1);
		idle(2);
		assertThat(this.published).isEmpty();
		this.open.countDown();
		await().untilAsserted(() -> assertThat(idleSeconds()).containsExactly(1L, 2L));
		assertThat(threads).containsOnly("streams-events-1");
	}

	@Test
	void publishesTheNextEventThoughAListenerFailed(CapturedOutput output) {
		this.listener = (event) -> {
			this.published.add(event);
			throw new NoClassDefFoundError("as asked");
		};
		idle(1);
		idle(2);
		await().untilAsserted(() -> assertThat(idleSeconds()).containsExactly(1L, 2L));
		await().untilAsserted(() -> assertThat(output).contains("An event listener failed on ListenerIdleEvent")
			.contains("NoClassDefFoundError: as asked"));
	}

	@Test
	void dropsWhatComesWhileTooManyWaitAndSaysSoOnce(CapturedOutput output) {
		CountDownLatch waiting = new CountDownLatch(1);
		this.listener = (event) -> {
			waiting.countDown();
			waitUntilOpen(event);
		};
		idle(0);
		await().until(() -> waiting.getCount() == 0);
		for (int i = 1; i <= ListenerEventPublisher.CAPACITY + 10; i++) {
			idle(i);
		}
		assertThat(output.getAll().split("Events of listeners are dropped", -1)).hasSize(2);
		this.open.countDown();
		await().until(() -> this.published.size() == ListenerEventPublisher.CAPACITY + 1);
		assertThat(idleSeconds()).isSorted();
		await().untilAsserted(() -> assertThat(output).contains("10 events of listeners were dropped"));
		idle(5000);
		await().until(() -> idleSeconds().contains(5000L));
		assertThat(output.getAll().split("events of listeners were dropped", -1)).hasSize(2);
	}

	@Test
	void aStopWaitsForWhatWaits() {
		CountDownLatch waiting = new CountDownLatch(1);
		this.listener = (event) -> {
			waiting.countDown();
			waitUntilOpen(event);
		};
		idle(1);
		idle(2);
		Thread stop = new Thread(this.publisher::stop);
		stop.start();
		await().until(() -> waiting.getCount() == 0 && stop.getState() == Thread.State.TIMED_WAITING);
		this.open.countDown();
		await().until(() -> !stop.isAlive());
		assertThat(idleSeconds()).containsExactly(1L, 2L);
	}

	@Test
	void aStopDoesNotWaitForLong(CapturedOutput output) {
		this.listener = this::waitUntilOpen;
		idle(1);
		long start = System.nanoTime();
		this.publisher.stop();
		assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(10));
		assertThat(output).contains("not published before the stop");
	}

	@Test
	void aListenerCanStopTheApplication(CapturedOutput output) {
		this.listener = (event) -> {
			this.publisher.stop();
			this.published.add(event);
		};
		idle(1);
		await().until(() -> this.published.size() == 1);
		assertThat(output).doesNotContain("not published before the stop");
	}

	@Test
	void aThreadThatIsNotNeededEnds() {
		idle(1);
		await().until(() -> this.published.size() == 1);
		await().atMost(Duration.ofSeconds(30))
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().startsWith("streams-events-")));
	}

}
