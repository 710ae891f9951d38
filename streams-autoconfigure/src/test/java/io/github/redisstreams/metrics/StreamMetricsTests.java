package io.github.redisstreams.metrics;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.redisstreams.config.ListenerSettings;
import io.github.redisstreams.config.StreamListenerContainerFactory;
import io.github.redisstreams.config.StreamListenerEndpoint;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
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

	private StreamSampler sampler;

	@BeforeEach
	void setUp(RedisServer redis) {
		this.commands = new LettuceStreamCommands(this.factories.to(redis.port()));
		this.containerFactory = new StreamListenerContainerFactory(this.commands, ListenerSettings.NONE, List.of(),
				false);
		this.sampler = sampler(this.commands, INTERVAL);
	}

	private StreamSampler sampler(StreamCommands commands, Duration interval) {
		return sampler(commands, this.registry, this.meters, interval);
	}

	private static StreamSampler sampler(StreamCommands commands, StreamListenerRegistry registry, MeterRegistry meters,
			Duration interval) {
		StreamSampler sampler = new StreamSampler(commands, registry, List.of(), interval);
		new StreamMetrics(sampler, registry, meters);
		return sampler;
	}

	@AfterEach
	void tearDown() {
		this.sampler.stop();
		this.containerFactory.close();
		this.commands.close();
		this.factories.close();
	}

	private void listen(String stream, String group) {
		this.registry.register(new StreamListenerEndpoint(stream + "-" + group, stream, "this test", (deliveries) -> {
		}, (options) -> options.group(group).consumer("one").autoStartup(false)), this.containerFactory);
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
		this.sampler.start();
		awaitGauges("events", "billing", 6, 4);
		awaitGauges("events", "audit", 10, 0);
		List<String> delivered = redis.deliver("events", "billing", "someone", 6);
		redis.command("XACK", "events", "billing", delivered.get(0));
		awaitGauges("events", "billing", 0, 9);
	}

	@Test
	void showsTheTrueLagAfterEntriesWereTrimmedThatTheGroupHadStillToBeGiven(RedisServer redis) {
		redis.addPipelined("events", 100);
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		redis.deliver("events", "billing", "someone", 2);
		redis.command("XTRIM", "events", "MAXLEN", "80");
		redis.deliver("events", "billing", "someone", 30);
		listen("events", "billing");
		this.sampler.start();
		awaitGauges("events", "billing", 50, 32);
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
		this.sampler.start();
		awaitGauges("events", "billing", 19, 9);
		assertThat(gauge(StreamMetrics.LAG_BOUNDED, "events", "billing")).isZero();
	}

	@Test
	void saysWhenItHasCountedUpToABound(RedisServer redis) {
		List<String> ids = redis.addPipelined("events", 1000);
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		redis.deliver("events", "billing", "someone", 400);
		redis.command("XDEL", "events", ids.get(700));
		assertThat(serverLag(redis)).isNull();
		listen("events", "billing");
		// At most 100 entries in 50 ms
		this.sampler.start();
		await().untilAsserted(() -> {
			assertThat(gauge(StreamMetrics.LAG, "events", "billing")).isBetween(30.0, 70.0);
			assertThat(gauge(StreamMetrics.LAG_BOUNDED, "events", "billing")).isEqualTo(1);
		});
		this.sampler.stop();
		StreamSampler patient = sampler(this.commands, Duration.ofSeconds(1));
		patient.sample();
		assertThat(patient.group("events", "billing")).satisfies((group) -> {
			assertThat(group.lag()).isEqualTo(599);
			assertThat(group.lagBounded()).isFalse();
		});
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
			StreamSampler sampler = sampler(restricted, INTERVAL);
			sampler.start();
			awaitGauges("events", "billing", Double.NaN, 10);
			assertThat(gauge(StreamMetrics.LAG_BOUNDED, "events", "billing")).isNaN();
			assertThat(gauge(StreamMetrics.CONSUMERS, "events", "billing")).isEqualTo(1);
			assertThat(gauge(StreamMetrics.OLDEST_PENDING, "events", "billing")).isNaN();
			assertThat(gauge(StreamMetrics.OLDEST_UNDELIVERED, "events", "billing")).isNaN();
			assertThat(gauge(StreamMetrics.LENGTH, "events")).isEqualTo(29);
			sampler.stop();
		}
		finally {
			redis.command("ACL", "DELUSER", "noscripts");
		}
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
		this.sampler.start();
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
		StreamSampler sampler = sampler(this.commands, starting, this.meters, INTERVAL);
		sampler.start();
		try {
			await().during(INTERVAL.multipliedBy(3))
				.until(() -> Double.isNaN(gauge(StreamMetrics.LAG, "events", "billing")));
			redis.command("XGROUP", "CREATE", "events", "billing", "0", "MKSTREAM");
			created.countDown();
			awaitGauges("events", "billing", 0, 0);
			assertThat(output).doesNotContain("unknown for now");
		}
		finally {
			sampler.stop();
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
			this.sampler.start();
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
		this.sampler.start();
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
		this.sampler.start();
		awaitGauges("events", "billing", 1, 0);
		redis.kill();
		awaitGauges("events", "billing", Double.NaN, Double.NaN);
		assertThatAScrapeIsFastAndNotANumber();
		redis.start();
		awaitGauges("events", "billing", 1, 0);
	}

	@Test
	@DisplayName("C56 with Redis frozen a scrape answers within 100 ms with NaN")
	void aScrapeWithRedisFrozenIsFastAndNotANumber(RedisServer redis) {
		redis.add("events", "n", "1");
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		listen("events", "billing");
		this.sampler.start();
		awaitGauges("events", "billing", 1, 0);
		redis.pause();
		try {
			awaitGauges("events", "billing", Double.NaN, Double.NaN);
			assertThatAScrapeIsFastAndNotANumber();
		}
		finally {
			redis.resume();
		}
		awaitGauges("events", "billing", 1, 0);
	}

	@Test
	@DisplayName("C56 with a network that swallows everything a scrape answers within 100 ms with NaN")
	void aScrapeWithASilentNetworkIsFastAndNotANumber(RedisServer redis) {
		redis.add("events", "n", "1");
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		listen("events", "billing");
		try (TcpProxy proxy = new TcpProxy(redis.port());
				LettuceStreamCommands commands = new LettuceStreamCommands(this.factories.to(proxy.port(), (server) -> {
				}, (client) -> client.commandTimeout(Duration.ofMillis(500))))) {
			StreamSampler sampler = sampler(commands, INTERVAL);
			sampler.start();
			awaitGauges("events", "billing", 1, 0);
			proxy.swallowRequests();
			awaitGauges("events", "billing", Double.NaN, Double.NaN);
			assertThatAScrapeIsFastAndNotANumber();
			proxy.heal();
			awaitGauges("events", "billing", 1, 0);
			sampler.stop();
		}
	}

	private void assertThatAScrapeIsFastAndNotANumber() {
		List<Gauge> gauges = this.meters.getMeters()
			.stream()
			.filter((meter) -> !meter.getId().getName().equals(StreamMetrics.IN_FLIGHT))
			.filter(Gauge.class::isInstance)
			.map(Gauge.class::cast)
			.toList();
		double[] values = new double[gauges.size()];
		long start = System.nanoTime();
		Arrays.setAll(values, (i) -> gauges.get(i).value());
		long nanos = System.nanoTime() - start;
		assertThat(Duration.ofNanos(nanos)).isLessThan(Duration.ofMillis(100));
		assertThat(values).hasSize(10).containsOnly(Double.NaN);
	}

	@Test
	void aScrapeAsksRedisNothing(RedisServer redis) {
		redis.add("events", "n", "1");
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		listen("events", "billing");
		StreamSampler slow = sampler(this.commands, Duration.ofHours(1));
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
	void sendsOneCommandPerStreamAndIntervalHoweverManyListeners(RedisServer redis) {
		for (String stream : List.of("events", "orders")) {
			redis.add(stream, "n", "1");
			for (int i = 0; i < 5; i++) {
				redis.command("XGROUP", "CREATE", stream, "group-" + i, "0");
				listen(stream, "group-" + i);
			}
		}
		StreamSampler sampler = new StreamSampler(this.commands, this.registry, List.of("events"), INTERVAL);
		sampler.sample();
		redis.command("CONFIG", "RESETSTAT");
		for (int round = 1; round <= 3; round++) {
			sampler.sample();
			assertThat(redis.commandStat("evalsha").orElseThrow()).startsWith("calls=" + 2 * round + ",");
		}
		assertThat(redis.commandStat("eval")).isEmpty();
		for (int i = 0; i < 5; i++) {
			assertThat(sampler.group("events", "group-" + i)).isNotNull();
			assertThat(sampler.group("orders", "group-" + i)).isNotNull();
		}
	}

	@Test
	void goesOnSamplingAfterTheRegistryOfListenersHasFailedOnce(RedisServer redis) {
		AtomicInteger failures = new AtomicInteger();
		StreamListenerRegistry failing = new StreamListenerRegistry() {

			@Override
			public Collection<StreamListenerContainer> getContainers() {
				// Not in the start of the metrics, but on their thread
				if (Thread.currentThread().getName().startsWith("streams-sampler-")
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
		StreamSampler sampler = sampler(this.commands, registry, meters, INTERVAL);
		sampler.start();
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
			sampler.stop();
		}
	}

	@Test
	void seesListenersThatAreRegisteredLater(RedisServer redis) {
		this.sampler.start();
		redis.add("events", "n", "1");
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		listen("events", "billing");
		await().until(() -> this.meters.find(StreamMetrics.LAG).gauge() != null);
		awaitGauges("events", "billing", 1, 0);
	}

	@Test
	void showsForHowLongAListenerCouldNotPollAtAll(RedisServer redis) {
		listen("events", "billing");
		this.sampler.start();
		redis.stop();
		StreamListenerContainer container = this.registry.getContainers().iterator().next();
		container.start();
		try {
			await().until(() -> gauge(StreamMetrics.LAST_POLL_AGE, "events", "billing") > 1);
			redis.start();
			await().until(() -> gauge(StreamMetrics.LAST_POLL_AGE, "events", "billing") < 1);
		}
		finally {
			redis.start();
			container.stop();
		}
	}

	@Test
	void showsWhatAListenerHoldsAndWhenItPolled(RedisServer redis) {
		CountDownLatch done = new CountDownLatch(1);
		this.registry.register(new StreamListenerEndpoint("events", "events", "this test", (deliveries) -> done.await(),
				(options) -> options.group("billing")
					.consumer("one")
					.concurrency(2)
					.pollTimeout(Duration.ofMillis(100))),
				this.containerFactory);
		this.sampler.start();
		assertThat(gauge(StreamMetrics.LAST_POLL_AGE, "events", "billing")).as("before the first poll").isNaN();
		assertThat(gauge(StreamMetrics.IN_FLIGHT, "events", "billing")).isZero();
		this.registry.start();
		StreamListenerContainer container = this.registry.getContainers().iterator().next();
		try {
			redis.add("events", "n", "1");
			await().until(() -> gauge(StreamMetrics.IN_FLIGHT, "events", "billing") == 1);
			await().untilAsserted(
					() -> assertThat(gauge(StreamMetrics.LAST_POLL_AGE, "events", "billing")).isBetween(0.0, 1.0));
			redis.pause();
			try {
				await().until(() -> gauge(StreamMetrics.LAST_POLL_AGE, "events", "billing") > 2);
			}
			finally {
				redis.resume();
			}
			await().atMost(Duration.ofSeconds(20))
				.until(() -> gauge(StreamMetrics.LAST_POLL_AGE, "events", "billing") < 1);
			container.pause();
			assertThat(gauge(StreamMetrics.LAST_POLL_AGE, "events", "billing")).as("paused").isNaN();
			container.resume();
			await().until(() -> gauge(StreamMetrics.LAST_POLL_AGE, "events", "billing") < 1);
		}
		finally {
			done.countDown();
			this.registry.stop();
		}
		assertThat(gauge(StreamMetrics.LAST_POLL_AGE, "events", "billing")).as("stopped").isNaN();
		assertThat(gauge(StreamMetrics.IN_FLIGHT, "events", "billing")).isZero();
	}

	@Test
	void aStreamThatIsNoneDoesNotHideTheOthers(RedisServer redis) {
		redis.add("events", "n", "1");
		redis.command("XGROUP", "CREATE", "events", "billing", "0");
		redis.command("SET", "broken", "text");
		listen("broken", "billing");
		listen("events", "billing");
		this.sampler.start();
		awaitGauges("events", "billing", 1, 0);
		assertThat(gauge(StreamMetrics.LAG, "broken", "billing")).isNaN();
		assertThat(gauge(StreamMetrics.LENGTH, "broken")).isNaN();
		assertThat(gauge(StreamMetrics.DEAD_LETTERS, "broken")).isZero();
		redis.command("DEL", "broken");
		redis.add("broken", "n", "1");
		redis.command("XGROUP", "CREATE", "broken", "billing", "0");
		awaitGauges("broken", "billing", 1, 0);
	}

}
