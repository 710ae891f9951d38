package io.github.redisstreams.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.listener.EntryHandler;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.EntryBatch;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.PendingEntry;
import io.github.redisstreams.redis.ServerInfo;
import io.github.redisstreams.redis.StreamConsumer;
import io.github.redisstreams.redis.StreamReader;
import io.github.redisstreams.test.StubCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link StreamListenerRegistry} and {@link StreamListenerContainerFactory}.
 */
@Timeout(30)
class StreamListenerRegistryTests {

	private final IdleCommands commands = new IdleCommands();

	private final StreamListenerContainerFactory factory = new StreamListenerContainerFactory(this.commands);

	private final StreamListenerRegistry registry = new StreamListenerRegistry();

	@AfterEach
	void end() {
		this.commands.blocked.forEach((stream, latch) -> latch.countDown());
		this.registry.stop();
		this.factory.close();
	}

	private void registerFromLatest(String id) {
		this.registry.register(new StreamListenerEndpoint(id, id, "handler of " + id, (deliveries) -> {
		}, (options) -> options.group("group").startFrom(ListenerOptions.LATEST)), this.factory);
	}

	private void assertWaitsForTheGroupOfEvents(Runnable waiting) {
		CompletableFuture<Void> waited = CompletableFuture.runAsync(waiting);
		await().until(() -> this.commands.attempts.contains("events"));
		assertThat(waited).isNotDone();
		this.commands.creating.countDown();
		waited.join();
		assertThat(this.commands.groups).containsExactly("events");
	}

	private StreamListenerContainer register(String id, boolean autoStartup) {
		this.registry.register(endpoint(id, id, "group", autoStartup), this.factory);
		return Objects.requireNonNull(this.registry.getContainer(id));
	}

	private static StreamListenerEndpoint endpoint(String id, String stream, String group, boolean autoStartup) {
		EntryHandler handler = (deliveries) -> {
		};
		return new StreamListenerEndpoint(id, stream, "handler of " + id, handler,
				(options) -> options.group(group).autoStartup(autoStartup).shutdownTimeout(Duration.ofSeconds(10)));
	}

	@Test
	void containersAreFoundByIdInTheOrderOfTheirRegistration() {
		StreamListenerContainer second = register("second", true);
		StreamListenerContainer first = register("first", true);
		assertThat(this.registry.getContainer("first")).isSameAs(first);
		assertThat(this.registry.getContainer("other")).isNull();
		assertThat(this.registry.getContainers()).containsExactly(second, first);
		assertThat(first.getId()).isEqualTo("first");
	}

	@Test
	void startsAndStopsTheContainersThatStartByThemselves() {
		StreamListenerContainer auto = register("auto", true);
		StreamListenerContainer manual = register("manual", false);
		assertThat(auto.isRunning()).isFalse();
		this.registry.start();
		assertThat(this.registry.isRunning()).isTrue();
		assertThat(auto.isRunning()).isTrue();
		assertThat(manual.isRunning()).isFalse();
		await().until(() -> this.commands.groups.equals(Set.of("auto")));
		this.registry.stop();
		assertThat(this.registry.isRunning()).isFalse();
		assertThat(auto.isRunning()).isFalse();
	}

	@Test
	void doesNotWaitForAGroupThatIsGivenTheWholeStreamWheneverItIsCreated() {
		this.commands.creating = new CountDownLatch(1);
		register("events", true);
		this.registry.start();
		assertThat(this.commands.groups).isEmpty();
		this.commands.creating.countDown();
	}

	@Test
	void waitsForAGroupThatIsGivenNothingAddedBeforeItIsCreated() {
		this.commands.creating = new CountDownLatch(1);
		registerFromLatest("events");
		assertWaitsForTheGroupOfEvents(this.registry::start);
	}

	@Test
	void waitsForTheGroupsOfAStreamThatIsAboutToBeWrittenTo() {
		this.commands.creating = new CountDownLatch(1);
		register("events", true);
		register("manual", false);
		this.registry.start();
		this.registry.awaitGroups("others");
		this.registry.awaitGroups("manual");
		assertWaitsForTheGroupOfEvents(() -> this.registry.awaitGroups("events"));
	}

	@Test
	void waitsNoLongerThanFiveSecondsForRedisToAnswer() {
		this.commands.creating = new CountDownLatch(1);
		registerFromLatest("events");
		long start = System.nanoTime();
		this.registry.start();
		this.registry.awaitGroups("events");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(8));
		this.commands.creating.countDown();
		await().until(() -> this.commands.groups.contains("events"));
	}

	@Test
	void whoeverCancelsAStartDoesSoForNobodyElse() {
		this.commands.creating = new CountDownLatch(1);
		StreamListenerContainer container = register("events", true);
		this.registry.start();
		container.start().cancel(false);
		assertThat(container.start()).isNotDone();
		this.commands.creating.countDown();
		container.start().join();
		assertThat(this.commands.groups).containsExactly("events");
	}

	@Test
	void aContainerThatDoesNotStartByItselfIsStartedByHandAndStoppedWithTheRest() {
		StreamListenerContainer manual = register("manual", false);
		this.registry.start();
		manual.start().join();
		assertThat(this.commands.groups).containsExactly("manual");
		assertThat(manual.isRunning()).isTrue();
		this.registry.stop();
		assertThat(manual.isRunning()).isFalse();
	}

	@Test
	void aListenerRegisteredWhileTheRegistryRunsStartsAtOnce() {
		this.registry.start();
		assertThat(register("late", true).isRunning()).isTrue();
		assertThat(register("manual", false).isRunning()).isFalse();
	}

	@Test
	void aListenerRegisteredAfterTheStopDoesNotStart() {
		this.registry.start();
		this.registry.stop();
		assertThat(register("late", true).isRunning()).isFalse();
	}

	@Test
	void startsAgainAfterAStop() {
		StreamListenerContainer container = register("events", true);
		this.registry.start();
		this.registry.stop();
		this.registry.start();
		assertThat(container.isRunning()).isTrue();
	}

	@Test
	void stopsAllContainersInParallel() {
		StreamListenerContainer first = register("first", true);
		StreamListenerContainer second = register("second", true);
		this.registry.start();
		await().until(() -> this.commands.blocked.size() == 2);
		this.commands.stopTogether = new CountDownLatch(2);
		this.registry.stop();
		assertThat(first.isRunning()).isFalse();
		assertThat(second.isRunning()).isFalse();
		assertThat(this.commands.interrupted).isEmpty();
		assertThat(this.commands.stopTogether.getCount()).isZero();
	}

	@Test
	void tellsWhenAllHaveStopped() {
		StreamListenerContainer container = register("events", true);
		this.registry.start();
		CompletableFuture<Boolean> runningAtCallback = new CompletableFuture<>();
		this.registry.stop(() -> runningAtCallback.complete(container.isRunning()));
		assertThat(runningAtCallback.join()).isFalse();
	}

	@Test
	void stopsWithoutListeners() {
		this.registry.start();
		CompletableFuture<Void> called = new CompletableFuture<>();
		this.registry.stop(() -> called.complete(null));
		called.join();
		assertThat(this.registry.isRunning()).isFalse();
	}

	@Test
	void startsAfterAndStopsBeforeEverythingOfTheDefaultPhases() {
		assertThat(this.registry.getPhase()).isPositive().isLessThan(Integer.MAX_VALUE);
		assertThat(this.registry.isAutoStartup()).isTrue();
	}

	@Test
	void aSecondListenerWithAnIdIsRefusedAndTheFirstKept() {
		StreamListenerContainer first = register("events", true);
		assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> this.registry
			.register(new StreamListenerEndpoint("events", "other", "another handler", (deliveries) -> {
			}, (options) -> options.group("group")), this.factory))
			.withMessageContaining("handler of events and another handler");
		assertThat(this.registry.getContainers()).containsExactly(first);
	}

	@Test
	void oneMethodOfTwoBeansIsToldAsSuch() {
		register("events", true);
		assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> register("events", true))
			.withMessageEndingWith(", in two beans");
	}

	@Test
	void aSecondListenerOfAStreamAndGroupIsRefused() {
		register("events", true);
		assertThatExceptionOfType(StreamsConfigurationException.class)
			.isThrownBy(() -> this.registry.register(endpoint("again", "events", "group", true), this.factory))
			.withMessageContaining("stream 'events'")
			.withMessageContaining("group 'group'")
			.withMessageContaining("handler of events and handler of again");
		this.registry.register(endpoint("again", "events", "other", true), this.factory);
		this.registry.register(endpoint("other", "others", "group", true), this.factory);
		assertThat(this.registry.getContainers()).hasSize(3);
	}

	@Test
	void theFactoryAsksSettingsForDefaultsThenNameThenIdAndCustomizersLast() {
		ListenerSettings settings = new ListenerSettings() {

			@Override
			public void applyDefaults(ListenerOptions.Builder options) {
				options.consumer("default").group("default").concurrency(2).batchSize(2);
			}

			@Override
			public void applyOverrides(String nameOrId, ListenerOptions.Builder options) {
				options.batchSize(nameOrId.equals("id") ? 5 : 4).group(nameOrId);
			}

		};
		try (StreamListenerContainerFactory layered = new StreamListenerContainerFactory(this.commands, settings,
				List.of((endpoint, options) -> options.consumer(endpoint.source())), false)) {
			ListenerOptions options = layered
				.createContainer(new StreamListenerEndpoint("id", "name", "source", (deliveries) -> {
				}, (builder) -> builder.concurrency(3).batchSize(3)))
				.getOptions();
			assertThat(options.stream()).isEqualTo("name");
			assertThat(options.group()).isEqualTo("id");
			assertThat(options.consumer()).isEqualTo("source");
			assertThat(options.concurrency()).isEqualTo(3);
			assertThat(options.batchSize()).isEqualTo(5);
		}
	}

	@Test
	void theFactoryHasSettingsCheckTheOptionsThatWon() {
		List<String> checked = new ArrayList<>();
		ListenerSettings settings = new ListenerSettings() {

			@Override
			public void check(StreamListenerEndpoint endpoint, ListenerOptions options) {
				checked.add(endpoint.id() + " " + options.consumer());
			}

		};
		try (StreamListenerContainerFactory layered = new StreamListenerContainerFactory(this.commands, settings,
				List.of((endpoint, options) -> options.consumer("customized")), false)) {
			layered.createContainer(endpoint("events", "events", "group", false));
		}
		assertThat(checked).containsExactly("events customized");
	}

	@Test
	void whileRedisIsDownAnyDeadLetterStreamWillDo() {
		StubCommands down = new StubCommands() {

			@Override
			public boolean areTogether(String first, String second) {
				throw new RedisConnectionFailureException("down");
			}

		};
		try (StreamListenerContainerFactory factory = new StreamListenerContainerFactory(down)) {
			StreamListenerEndpoint endpoint = new StreamListenerEndpoint("events", "events", "source", (deliveries) -> {
			}, (options) -> options.group("group").deadLetter((letters) -> letters.stream("dead")));
			assertThat(factory.createContainer(endpoint).getOptions().deadLetterStream()).isEqualTo("dead");
		}
	}

	@Test
	void nobodyAsksWhetherDeadLettersThatNobodyWritesAreInTheSameSlot() {
		StubCommands cluster = new StubCommands() {

			@Override
			public boolean areTogether(String first, String second) {
				return false;
			}

		};
		try (StreamListenerContainerFactory factory = new StreamListenerContainerFactory(cluster)) {
			StreamListenerEndpoint endpoint = new StreamListenerEndpoint("events", "events", "source", (deliveries) -> {
			}, (options) -> options.group("group").deadLetter((letters) -> letters.stream("dead").enabled(false)));
			assertThat(factory.createContainer(endpoint).getOptions().deadLetter().enabled()).isFalse();
		}
	}

	@Test
	void deadLettersAreInTheSlotOfTheStreamThatANameStandsFor() {
		ListenerSettings settings = new ListenerSettings() {

			@Override
			public String streamKey(String name) {
				return "app:" + name;
			}

		};
		assertThat(settings.deadLetterStream("events")).isEqualTo("{app:events}:dlq");
		assertThat(ListenerSettings.NONE.deadLetterStream("events")).isEqualTo("{events}:dlq");
	}

	/**
	 * A Redis without entries, whose reads last until they are ended.
	 */
	private static final class IdleCommands extends StubCommands {

		private final Set<String> groups = ConcurrentHashMap.newKeySet();

		private final Map<String, CountDownLatch> blocked = new ConcurrentHashMap<>();

		private final Set<String> interrupted = ConcurrentHashMap.newKeySet();

		private final Set<String> attempts = ConcurrentHashMap.newKeySet();

		/** Opened when the server answers. */
		private volatile CountDownLatch creating = new CountDownLatch(0);

		/** How many different reads are to be ended before any of them ends. */
		private volatile CountDownLatch stopTogether = new CountDownLatch(0);

		@Override
		public ServerInfo serverInfo() {
			return new ServerInfo("redis", "7.0.0", Set.of());
		}

		@Override
		public boolean createGroup(String stream, String group, String start) {
			this.attempts.add(stream);
			try {
				this.creating.await();
			}
			catch (InterruptedException ex) {
				throw new RedisSystemException("Interrupted", ex);
			}
			return this.groups.add(stream);
		}

		@Override
		public StreamReader openReader(StreamConsumer consumer) {
			return new IdleReader(consumer.stream());
		}

		@Override
		public List<PendingEntry> pending(StreamConsumer consumer, EntryId after, int count) {
			return List.of();
		}

		@Override
		public CompletionStage<Boolean> removeConsumer(StreamConsumer consumer) {
			return CompletableFuture.completedFuture(true);
		}

		private final class IdleReader implements StreamReader {

			private static final EntryBatch NOTHING = new EntryBatch(EntryId.ZERO, List.of(), List.of(), 0);

			private final String stream;

			private final CountDownLatch ended = new CountDownLatch(1);

			IdleReader(String stream) {
				this.stream = stream;
			}

			@Override
			public EntryBatch claim(EntryId cursor, Duration minIdle, int count) {
				return NOTHING;
			}

			@Override
			public EntryBatch readNew(int count, Duration block, Consumer<EntryBatch> taker) {
				IdleCommands.this.blocked.put(this.stream, this.ended);
				try {
					this.ended.await();
					IdleCommands.this.stopTogether.await();
				}
				catch (InterruptedException ex) {
					IdleCommands.this.interrupted.add(this.stream);
				}
				return NOTHING;
			}

			@Override
			public EntryBatch claimAndReadNew(int count, Duration block, Duration minIdle, Consumer<EntryBatch> taker) {
				return readNew(count, block, taker);
			}

			@Override
			public void unblock() {
				if (this.ended.getCount() > 0) {
					this.ended.countDown();
					IdleCommands.this.stopTogether.countDown();
				}
			}

			@Override
			public void close() {
			}

		}

	}

}
