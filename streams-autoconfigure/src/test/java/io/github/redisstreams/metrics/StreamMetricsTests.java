package io.github.redisstreams.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.redisstreams.config.ListenerSettings;
import io.github.redisstreams.config.StreamListenerContainerFactory;
import io.github.redisstreams.config.StreamListenerEndpoint;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.GroupInfo;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.StreamBacklog;
import io.github.redisstreams.redis.StreamBacklog.Ends;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.StubCommands;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Lag and pending as gauges, compared with what raw commands say. The listeners are never
 * started: the tests themselves are the consumers.
 */
@Tag("core")
@RealRedis(own = true)
class StreamMetricsTests {

	private static final Duration INTERVAL = Duration.ofMillis(50);

	private final LettuceFactories factories = new LettuceFactories();

	private final MeterRegistry meters = new SimpleMeterRegistry();

	private final StreamListenerRegistry registry = new StreamListenerRegistry();

	private LettuceStreamCommands commands;

	private StreamListenerContainerFactory containerFactory;

	private StreamMetrics metrics;

	@BeforeEach
	void setUp(RedisServer redis) {
		this.commands = new LettuceStreamCommands(this.factories.to(redis.port()));
		this.containerFactory = new StreamListenerContainerFactory(this.commands, ListenerSettings.NONE, List.of(),
				false);
		this.metrics = new StreamMetrics(this.commands, this.registry, this.meters, INTERVAL);
	}

	@AfterEach
	void tearDown() {
		this.metrics.stop();
		this.containerFactory.close();
		this.commands.close();
		this.factories.close();
	}

	private void listen(String stream, String group) {
		this.registry.register(new StreamListenerEndpoint(stream + "-" + group, stream, "this test", (deliveries) -> {
		}, (options) -> options.group(group).autoStartup(false)), this.containerFactory);
	}

	private double gauge(String name, String stream, String group) {
		return this.meters.get(name).tag("stream", stream).tag("group", group).gauge().value();
	}

	private double gauge(String name, String stream) {
		return this.meters.get(name).tag("stream", stream).gauge().value();
	}

	private void awaitGauges(String stream, String group, double lag, double pending) {
		await().untilAsserted(() -> {
			assertThat(gauge(StreamMetrics.LAG, stream, group)).as("lag").isEqualTo(Double.valueOf(lag));
			assertThat(gauge(StreamMetrics.PENDING, stream, group)).as("pending").isEqualTo(Double.valueOf(pending));
		});
	}

	@Test
	void showsLagAndPendingOfEachGroup(RedisServer redis) {
		redis.addPipelined("events", 10);
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		redis.command("XGROUP", "CREATE", "events", "audit", "0");
		redis.deliver("events", "billing", "someone", 4);
		listen("events", "billing");
		listen("events", "audit");
		this.metrics.start();
		awaitGauges("events", "billing", 6, 4);
		awaitGauges("events", "audit", 10, 0);
		List<String> delivered = redis.deliver("events", "billing", "someone", 6);
		redis.command("XACK", "events", "billing", delivered.get(0));
		awaitGauges("events", "billing", 0, 9);
	}

	@Test
	@DisplayName("C54 a lag that the server cannot tell is counted and never shows as 0")
	void countsTheLagThatTheServerCannotTell(RedisServer redis) {
		List<String> ids = redis.addPipelined("events", 30);
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		List<String> delivered = redis.deliver("events", "billing", "someone", 10);
		// Deleting an entry that is still to be delivered makes the server lose count
		redis.command("XDEL", "events", ids.get(20));
		redis.command("XACK", "events", "billing", delivered.get(0));
		assertThat(serverLag(redis)).isNull();
		listen("events", "billing");
		this.metrics.start();
		awaitGauges("events", "billing", 19, 9);
	}

	@Test
	void endsCountingAtABound(RedisServer redis) {
		List<String> ids = redis.addPipelined("events", StreamSampler.COUNT_BOUND + 500);
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		redis.command("XDEL", "events", ids.get(700));
		assertThat(serverLag(redis)).isNull();
		listen("events", "billing");
		this.metrics.start();
		awaitGauges("events", "billing", StreamSampler.COUNT_BOUND, 0);
	}

	private static @Nullable Object serverLag(RedisServer redis) {
		List<?> group = (List<?>) redis.list("XINFO", "GROUPS", "events").get(0);
		return group.contains("lag") ? group.get(group.indexOf("lag") + 1) : null;
	}

	@Test
	@DisplayName("C54 a lag that the server cannot tell and nobody may count is not a number")
	void doesNotGuessTheLag(RedisServer redis) {
		List<String> ids = redis.addPipelined("events", 30);
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		redis.deliver("events", "billing", "someone", 10);
		redis.command("XDEL", "events", ids.get(20));
		redis.command("ACL", "SETUSER", "noscripts", "on", "nopass", "~*", "+@all", "-@scripting");
		try (LettuceStreamCommands restricted = new LettuceStreamCommands(
				this.factories.to(redis.port(), (server) -> server.setUsername("noscripts"), (client) -> {
				}))) {
			listen("events", "billing");
			StreamMetrics metrics = new StreamMetrics(restricted, this.registry, this.meters, INTERVAL);
			metrics.start();
			awaitGauges("events", "billing", Double.NaN, 10);
			assertThat(gauge(StreamMetrics.CONSUMERS, "events", "billing")).isEqualTo(1);
			assertThat(gauge(StreamMetrics.OLDEST_PENDING, "events", "billing")).isNaN();
			assertThat(gauge(StreamMetrics.OLDEST_UNDELIVERED, "events", "billing")).isNaN();
			assertThat(gauge(StreamMetrics.LENGTH, "events")).isNaN();
			metrics.stop();
		}
	}

	@Test
	@DisplayName("C54 a negative lag shows as 0")
	void clampsNegativeLag() {
		StubCommands server = new StubCommands() {

			@Override
			public List<GroupInfo> groups(String stream) {
				return List.of(new GroupInfo("billing", 1, 2, EntryId.parse("5-0"), -3L));
			}

			@Override
			public StreamBacklog backlog(String stream, Collection<GroupInfo> groups) {
				// An id of the future, as where a writer chose it
				Ends ends = new Ends(EntryId.parse("18446744073709551615-0"), EntryId.parse("2000-0"));
				return new StreamBacklog(Instant.ofEpochMilli(1000), 7, Map.of("billing", ends));
			}

		};
		listen("events", "billing");
		StreamMetrics metrics = new StreamMetrics(server, this.registry, this.meters, INTERVAL);
		metrics.start();
		awaitGauges("events", "billing", 0, 2);
		assertThat(gauge(StreamMetrics.OLDEST_PENDING, "events", "billing")).isZero();
		assertThat(gauge(StreamMetrics.OLDEST_UNDELIVERED, "events", "billing")).isZero();
		metrics.stop();
	}

	@Test
	@DisplayName("C55 lag, pending and the ages of the oldest pending and undelivered entries are all exported")
	void showsTheAgesOfTheOldestEntries(RedisServer redis) {
		long now = System.currentTimeMillis();
		redis.command("XGROUP", "CREATE", "events", "billing", "0", "MKSTREAM");
		for (int minutes = 50; minutes >= 10; minutes -= 10) {
			redis.command("XADD", "events", (now - minutes * 60_000) + "-0", "n", "1");
		}
		redis.command("XADD", "{events}:dlq", "*", "n", "1");
		List<String> delivered = redis.deliver("events", "billing", "someone", 3);
		redis.command("XACK", "events", "billing", delivered.get(0));
		listen("events", "billing");
		this.metrics.start();
		awaitGauges("events", "billing", 2, 2);
		assertThat(gauge(StreamMetrics.OLDEST_PENDING, "events", "billing")).isBetween(2400.0, 2430.0);
		assertThat(gauge(StreamMetrics.OLDEST_UNDELIVERED, "events", "billing")).isBetween(1200.0, 1230.0);
		assertThat(gauge(StreamMetrics.CONSUMERS, "events", "billing")).isEqualTo(1);
		assertThat(gauge(StreamMetrics.LENGTH, "events")).isEqualTo(5);
		await().until(() -> gauge(StreamMetrics.DEAD_LETTERS, "events") == 1);
		delivered.forEach((id) -> redis.command("XACK", "events", "billing", id));
		redis.deliver("events", "billing", "someone", 2)
			.forEach((id) -> redis.command("XACK", "events", "billing", id));
		awaitGauges("events", "billing", 0, 0);
		await().until(() -> gauge(StreamMetrics.OLDEST_PENDING, "events", "billing") == 0
				&& gauge(StreamMetrics.OLDEST_UNDELIVERED, "events", "billing") == 0);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void samplesNoStreamBeforeItsListenersHaveTheirGroups(RedisServer redis, CapturedOutput output) {
		CountDownLatch created = new CountDownLatch(1);
		StreamListenerRegistry starting = new StreamListenerRegistry() {

			@Override
			public void awaitGroups(String stream) {
				try {
					created.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}

		};
		starting.register(new StreamListenerEndpoint("events", "events", "this test", (deliveries) -> {
		}, (options) -> options.group("billing").autoStartup(false)), this.containerFactory);
		StreamMetrics metrics = new StreamMetrics(this.commands, starting, this.meters, INTERVAL);
		metrics.start();
		try {
			await().during(INTERVAL.multipliedBy(3))
				.until(() -> Double.isNaN(gauge(StreamMetrics.LAG, "events", "billing")));
			redis.command("XGROUP", "CREATE", "events", "billing", "0", "MKSTREAM");
			created.countDown();
			awaitGauges("events", "billing", 0, 0);
			assertThat(output).doesNotContain("unknown for now");
		}
		finally {
			metrics.stop();
		}
	}

	@Test
	void countsWhatTheListenersHaveDone(RedisServer redis) {
		EntryId first = EntryId.parse(redis.addPipelined("events", 5).get(0));
		this.registry.register(new StreamListenerEndpoint("events", "events", "this test", (deliveries) -> {
			if (deliveries.get(0).entry().id().equals(first)) {
				throw new IllegalStateException("the first fails");
			}
		}, (options) -> options.group("billing").consumer("one").maxDeliveries(1).pollTimeout(Duration.ofMillis(100))),
				this.containerFactory);
		this.registry.start();
		try {
			this.metrics.start();
			await().untilAsserted(() -> {
				assertThat(counter("redis.streams.acknowledged")).isEqualTo(4);
				assertThat(counter("redis.streams.dead.lettered")).isEqualTo(1);
				assertThat(gauge(StreamMetrics.DEAD_LETTERS, "events")).isEqualTo(1);
			});
			Stream
				.of("claimed", "retried", "dead.letters.failed", "dead.letters.dropped", "trimmed.pending",
						"lease.lost", "group.recreated", "suspended")
				.forEach((name) -> assertThat(counter("redis.streams." + name)).as(name).isZero());
			redis.command("XGROUP", "DESTROY", "events", "billing");
			await().untilAsserted(() -> assertThat(counter("redis.streams.group.recreated")).isEqualTo(1));
		}
		finally {
			this.registry.stop();
		}
	}

	private double counter(String name) {
		return this.meters.get(name).tag("stream", "events").tag("group", "billing").functionCounter().count();
	}

	@Test
	@DisplayName("C54 while the stream is missing its gauges are not a number, and they come back")
	void isNotANumberWhileTheStreamOrTheGroupIsMissing(RedisServer redis) {
		listen("events", "billing");
		this.metrics.start();
		awaitGauges("events", "billing", Double.NaN, Double.NaN);
		redis.add("events", "n", "1");
		awaitGauges("events", "billing", Double.NaN, Double.NaN);
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		awaitGauges("events", "billing", 1, 0);
		assertThat(gauge(StreamMetrics.LENGTH, "events")).isEqualTo(1);
		redis.command("DEL", "events");
		awaitGauges("events", "billing", Double.NaN, Double.NaN);
		await().until(() -> Double.isNaN(gauge(StreamMetrics.LENGTH, "events")));
		assertThat(gauge(StreamMetrics.OLDEST_PENDING, "events", "billing")).isNaN();
		assertThat(gauge(StreamMetrics.OLDEST_UNDELIVERED, "events", "billing")).isNaN();
		redis.add("events", "n", "1");
		redis.command("XGROUP", "CREATE", "events", "billing", "$");
		awaitGauges("events", "billing", 0, 0);
		await().until(() -> gauge(StreamMetrics.OLDEST_UNDELIVERED, "events", "billing") == 0);
	}

	@Test
	@DisplayName("C56 with Redis down a scrape answers within 100 ms with NaN")
	void aScrapeWithRedisDownIsFastAndNotANumber(RedisServer redis) {
		redis.add("events", "n", "1");
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		listen("events", "billing");
		this.metrics.start();
		awaitGauges("events", "billing", 1, 0);
		redis.stop();
		awaitGauges("events", "billing", Double.NaN, Double.NaN);
		await().until(() -> Double.isNaN(gauge(StreamMetrics.DEAD_LETTERS, "events")));
		List<Gauge> gauges = this.meters.getMeters()
			.stream()
			.filter(Gauge.class::isInstance)
			.map(Gauge.class::cast)
			.toList();
		double[] values = new double[gauges.size()];
		long start = System.nanoTime();
		Arrays.setAll(values, (i) -> gauges.get(i).value());
		long nanos = System.nanoTime() - start;
		assertThat(Duration.ofNanos(nanos)).isLessThan(Duration.ofMillis(100));
		assertThat(values).hasSize(8).containsOnly(Double.NaN);
		redis.start();
		awaitGauges("events", "billing", 1, 0);
	}

	@Test
	void aScrapeAsksRedisNothing(RedisServer redis) {
		redis.add("events", "n", "1");
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		listen("events", "billing");
		StreamMetrics slow = new StreamMetrics(this.commands, this.registry, this.meters, Duration.ofHours(1));
		slow.start();
		try {
			awaitGauges("events", "billing", 1, 0);
			long before = commandsProcessed(redis);
			for (int i = 0; i < 100; i++) {
				gauge(StreamMetrics.LAG, "events", "billing");
			}
			// The INFO itself
			assertThat(commandsProcessed(redis) - before).isEqualTo(1);
		}
		finally {
			slow.stop();
		}
	}

	private static long commandsProcessed(RedisServer redis) {
		return Long.parseLong(redis.info("total_commands_processed").orElseThrow());
	}

	@Test
	void asksOncePerStreamAndIntervalHoweverManyGroups(RedisServer redis) {
		redis.add("events", "n", "1");
		for (int i = 0; i < 5; i++) {
			redis.command("XGROUP", "CREATE", "events", "group-" + i, "0");
			listen("events", "group-" + i);
		}
		AtomicInteger asked = new AtomicInteger();
		redis.command("CONFIG", "RESETSTAT");
		StreamMetrics once = new StreamMetrics(this.commands, this.registry, this.meters, Duration.ofHours(1));
		once.start();
		try {
			for (int i = 0; i < 5; i++) {
				awaitGauges("events", "group-" + i, 1, 0);
			}
			redis.text("INFO", "commandstats")
				.lines()
				.filter((line) -> line.startsWith("cmdstat_xinfo"))
				.forEach((line) -> asked.addAndGet(Integer.parseInt(line.replaceAll("[^=]*=(\\d+),.*", "$1"))));
			assertThat(asked.get()).isEqualTo(1);
		}
		finally {
			once.stop();
		}
	}

	@Test
	void goesOnSamplingAfterTheRegistryOfListenersHasFailedOnce(RedisServer redis) {
		AtomicInteger failures = new AtomicInteger();
		StreamListenerRegistry failing = new StreamListenerRegistry() {

			@Override
			public Collection<StreamListenerContainer> getContainers() {
				// Not in the start of the metrics, but on their thread
				if (Thread.currentThread().getName().startsWith("streams-metrics-")
						&& failures.getAndIncrement() == 0) {
					throw new IllegalStateException("once");
				}
				return super.getContainers();
			}

		};
		goesOnSamplingOnce(failures, failing, this.meters, redis);
	}

	@Test
	void goesOnSamplingAfterTheMeterRegistryHasRefusedAGaugeOnce(RedisServer redis) {
		AtomicInteger failures = new AtomicInteger();
		MeterRegistry failing = new SimpleMeterRegistry();
		failing.config().meterFilter(new MeterFilter() {

			@Override
			public Meter.Id map(Meter.Id id) {
				if (failures.getAndIncrement() == 0) {
					throw new IllegalStateException("once");
				}
				return id;
			}

		});
		goesOnSamplingOnce(failures, this.registry, failing, redis);
	}

	@Test
	void goesOnSamplingAfterAnErrorOfTheMeterRegistry(RedisServer redis) {
		AtomicInteger failures = new AtomicInteger();
		MeterRegistry failing = new SimpleMeterRegistry();
		failing.config().meterFilter(new MeterFilter() {

			@Override
			public Meter.Id map(Meter.Id id) {
				// The second gauge of a group that has two
				if (failures.getAndIncrement() == 1) {
					throw new NoClassDefFoundError("once");
				}
				return id;
			}

		});
		goesOnSamplingOnce(failures, this.registry, failing, redis);
	}

	private void goesOnSamplingOnce(AtomicInteger failures, StreamListenerRegistry registry, MeterRegistry meters,
			RedisServer redis) {
		redis.addPipelined("events", 10);
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		redis.deliver("events", "billing", "someone", 4);
		StreamMetrics metrics = new StreamMetrics(this.commands, registry, meters, INTERVAL);
		metrics.start();
		try {
			registry.register(new StreamListenerEndpoint("events", "events", "this test", (deliveries) -> {
			}, (options) -> options.group("billing").autoStartup(false)), this.containerFactory);
			await().ignoreExceptions().untilAsserted(() -> {
				assertThat(failures.get()).isGreaterThan(1);
				assertThat(meters.get(StreamMetrics.LAG).tag("group", "billing").gauge().value()).isEqualTo(6);
				assertThat(meters.get(StreamMetrics.PENDING).tag("group", "billing").gauge().value()).isEqualTo(4);
			});
		}
		finally {
			metrics.stop();
		}
	}

	@Test
	void seesListenersThatAreRegisteredLater(RedisServer redis) {
		this.metrics.start();
		redis.add("events", "n", "1");
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		listen("events", "billing");
		await().until(() -> this.meters.find(StreamMetrics.LAG).gauge() != null);
		awaitGauges("events", "billing", 1, 0);
	}

}
