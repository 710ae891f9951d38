package io.github.redisstreams.autoconfigure.metrics;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.autoconfigure.observation.RedisStreamsObservationAutoConfiguration;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.ContainerState;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.test.RawRedis.RedisError;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.stream.RecordId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Every meter that there is after a workload of everything that can happen to entries,
 * compared with what raw commands tell of the server.
 */
@Tag("core")
@RealRedis(own = true)
class MetersTruthTests {

	private static final String GROUP = "billing";

	private static final String CONSUMER = "one";

	private static final int ADDED_TO_ORDERS = 1000;

	/** Entries of events that another has left. */
	private static final int CLAIMED = 4;

	/** Handlers of events that do not return. */
	private static final int HELD = 2;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				RedisStreamsAutoConfiguration.class, RedisStreamsMetricsAutoConfiguration.class,
				MetricsAutoConfiguration.class, ObservationAutoConfiguration.class,
				RedisStreamsObservationAutoConfiguration.class))
		.withBean(MeterRegistry.class, () -> this.meters)
		.withUserConfiguration(Workload.class)
		.withPropertyValues("spring.application.name=" + GROUP, "redis.streams.consumer=" + CONSUMER,
				"redis.streams.metrics.interval=1s", "redis.streams.listener.concurrency=" + HELD,
				"redis.streams.listener.poll-timeout=200ms", "redis.streams.listener.min-idle=1s",
				"redis.streams.listener.max-deliveries=2", "redis.streams.listener.retry.initial-interval=50ms",
				"redis.streams.listeners.poison.dead-letter.max-length=10",
				"redis.streams.listeners.flaky.circuit.minimum-failures=3",
				"redis.streams.listeners.flaky.circuit.initial-pause=1m",
				"redis.streams.listeners.flaky.max-deliveries=100",
				"redis.streams.listeners.archive.auto-startup=false", "redis.streams.publisher.promote=reminders",
				"redis.streams.publisher.streams.orders.trim=strict",
				"redis.streams.publisher.streams.orders.max-length=100");

	private static void abandon(RedisServer redis) {
		redis.command("XGROUP", "CREATE", "events", GROUP, "0", "MKSTREAM");
		redis.addPipelined("events", 6, (n) -> new String[] { "payload", "ok" });
		List<String> ids = redis.deliver("events", GROUP, "dead", 6);
		ids.forEach((id) -> redis.command("XCLAIM", "events", GROUP, "dead", "0", id, "IDLE", "3600000", "JUSTID"));
		redis.command("XDEL", "events", ids.get(2), ids.get(4));
	}

	private static void archive(RedisServer redis) {
		long now = System.currentTimeMillis();
		for (int hours = 9; hours > 0; hours--) {
			redis.command("XADD", "archive", (now - hours * 3_600_000) + "-0", "payload", "ok");
		}
		redis.command("XGROUP", "CREATE", "archive", GROUP, "0");
		List<String> ids = redis.deliver("archive", GROUP, "someone", 4);
		redis.command("XACK", "archive", GROUP, ids.get(0));
		// So that the lag has to be counted
		redis.command("XDEL", "archive", (now - 2 * 3_600_000) + "-0");
	}

	private void work(RedisServer redis, StreamTemplate template, Workload workload, StreamListenerRegistry listeners) {
		IntStream.range(0, 20).forEach((n) -> template.send("events", "ok"));
		IntStream.range(0, 3).forEach((n) -> template.send("events", "fail"));
		IntStream.range(0, 2).forEach((n) -> template.send("events", "reject"));
		IntStream.range(0, 2).forEach((n) -> template.sendAfter("events", "ok", Duration.ofMillis(20)));
		IntStream.range(0, 3).forEach((n) -> template.sendAfter("events", "ok", Duration.ofHours(1)));
		IntStream.range(0, 4).forEach((n) -> template.sendAfter("reminders", "ok", Duration.ofHours(1)));
		template.sendAfter("reminders", "ok", Duration.ofMillis(20));
		await().until(() -> redis.length("reminders") == 1);
		IntStream.range(0, 250).forEach((n) -> template.send("poison", "reject"));
		IntStream.range(0, 5).forEach((n) -> template.send("flaky", "fail"));
		await().until(() -> state(listeners, "flaky") == ContainerState.SUSPENDED);
		IntStream.range(0, 5).forEach((n) -> template.send("audit", "ok"));
		await().until(() -> counter("redis.streams.acknowledged", "audit") == 5);
		redis.command("XGROUP", "DESTROY", "audit", GROUP);
		redis.addPipelined("orders", ADDED_TO_ORDERS);
		redis.command("XGROUP", "CREATE", "orders", "shipping", "0");
		template.send("orders", "one more");
		// Nothing else waits any more, so that it is these that stay
		await().until(() -> redis.length("{events}:dlq") == 5 && redis.pending("events", GROUP) == 0
				&& counter("redis.streams.dead.lettered", "poison") == 250);
		String lost = template.send("events", "hold").toString();
		await().until(() -> workload.held.containsKey(lost));
		redis.command("XACK", "events", GROUP, lost);
		await().until(() -> counter("redis.streams.lease.lost", "events") == 1);
		workload.release(lost);
		IntStream.range(0, 200).forEach((n) -> template.send("events", "hold"));
		await().until(() -> workload.held.size() == 1 + HELD);
		// Nothing can be added after the last id that there is
		redis.command("XADD", "{refused}:dlq", "18446744073709551615-18446744073709551615", "n", "1");
		redis.command("CONFIG", "RESETSTAT");
		redis.add("refused", "payload", "reject");
	}

	private static ContainerState state(StreamListenerRegistry listeners, String id) {
		return Objects.requireNonNull(listeners.getContainer(id)).getStatus().state();
	}

	private double counter(String name, String stream) {
		return this.meters.get(name).tag("stream", stream).functionCounter().count();
	}

	@Test
	void everyMeterTellsTheTruth(RedisServer redis) {
		abandon(redis);
		archive(redis);
		this.runner.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port())
			.run((context) -> {
				Workload workload = context.getBean(Workload.class);
				StreamListenerRegistry listeners = context.getBean(StreamListenerRegistry.class);
				try {
					work(redis, context.getBean(StreamTemplate.class), workload, listeners);
					Truth truth = new Truth(redis, workload);
					await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> compare(truth));
					assertThatTheWorkloadWasOneOfEverything();
					listeners.getContainers().forEach(StreamListenerContainer::pause);
					assertThat(this.meters.find("redis.streams.last.poll.age").gauges()).hasSize(6)
						.allSatisfy((gauge) -> assertThat(gauge.value()).isNaN());
				}
				finally {
					workload.releaseAll();
				}
			});
	}

	private void compare(Truth truth) {
		for (Meter meter : this.meters.getMeters()) {
			Meter.Id id = meter.getId();
			if (id.getName().startsWith("redis.streams.")) {
				Figure figure = truth.of(id);
				double value = value(meter);
				if (Double.isNaN(figure.value)) {
					assertThat(value).as("%s", id).isNaN();
				}
				else {
					assertThat(value).as("%s", id).isCloseTo(figure.value, Offset.offset(figure.tolerance));
				}
			}
		}
	}

	private static double value(Meter meter) {
		if (meter instanceof Timer timer) {
			return timer.count();
		}
		if (meter instanceof LongTaskTimer timer) {
			return timer.activeTasks();
		}
		return meter.measure().iterator().next().getValue();
	}

	// Or else what was compared would be zeros
	private void assertThatTheWorkloadWasOneOfEverything() {
		Map<String, Double> most = new TreeMap<>();
		for (Meter meter : this.meters.getMeters()) {
			if (meter.getId().getName().startsWith("redis.streams.")) {
				double value = value(meter);
				most.merge(meter.getId().getName(), Double.isNaN(value) ? 0 : value, Math::max);
			}
		}
		most.remove("redis.streams.last.poll.age");
		// By now all is sent
		assertThat(most.remove("redis.streams.send.active")).isZero();
		// Exact here: every stream is shorter than the bound
		assertThat(most.remove("redis.streams.group.lag.bounded")).isZero();
		assertThat(most).hasSizeGreaterThan(20).allSatisfy((name, value) -> assertThat(value).as(name).isPositive());
		assertThat(this.meters.get("redis.streams.listener").tag("stream", "events").timers())
			.extracting((timer) -> timer.getId().getTag("outcome") + " " + timer.getId().getTag("exception"))
			.containsExactlyInAnyOrder("acknowledged none", "retried IllegalStateException",
					"dead-lettered IllegalStateException", "dead-lettered DeadLetterException");
	}

	/**
	 * What is true.
	 */
	private record Figure(double value, double tolerance) {

		static Figure exactly(double value) {
			return new Figure(value, 0);
		}

	}

	/**
	 * What raw commands tell, and of what has been only what this workload must have come
	 * to.
	 */
	private static final class Truth {

		private final RedisServer redis;

		private final Workload workload;

		Truth(RedisServer redis, Workload workload) {
			this.redis = redis;
			this.workload = workload;
		}

		Figure of(Meter.Id id) {
			String name = id.getName();
			String stream = Objects.requireNonNull(id.getTag("stream"));
			return switch (name) {
				case "redis.streams.listener" -> Figure.exactly(calls(stream,
						Objects.requireNonNull(id.getTag("outcome")), Objects.requireNonNull(id.getTag("exception"))));
				case "redis.streams.group.oldest.pending" -> age(oldestPending(stream));
				case "redis.streams.group.oldest.undelivered" -> age(firstOrNull(undelivered(stream)));
				// Any of these has polled a moment ago, and the archive never
				case "redis.streams.last.poll.age" ->
					stream.equals("archive") ? Figure.exactly(Double.NaN) : new Figure(1, 1);
				default ->
					Figure.exactly((id.getTag("group") != null) ? ofGroup(name, stream) : ofStream(name, stream));
			};
		}

		private double ofStream(String name, String stream) {
			return switch (name) {
				case "redis.streams.length" -> number("XLEN", stream);
				case "redis.streams.delayed" -> number("ZCARD", "{" + stream + "}:delayed");
				case "redis.streams.dead.letters" -> number("XLEN", "{" + stream + "}:dlq");
				case "redis.streams.trimmed.undelivered" ->
					stream.equals("orders") ? ADDED_TO_ORDERS + 1 - this.redis.length(stream) : 0;
				case "redis.streams.send" -> sent(stream);
				case "redis.streams.send.active" -> 0;
				case "redis.streams.delayed.lateness" -> switch (stream) {
					case "events" -> 2;
					case "reminders" -> 1;
					default -> 0;
				};
				default -> throw new AssertionError(name + " is not compared with anything");
			};
		}

		private double ofGroup(String name, String stream) {
			boolean events = stream.equals("events");
			return switch (name) {
				case "redis.streams.group.lag" -> undelivered(stream).size();
				case "redis.streams.group.lag.bounded", "redis.streams.last.poll.age" -> 0;
				case "redis.streams.group.pending" -> this.redis.pending(stream, GROUP);
				case "redis.streams.group.consumers" -> this.redis.list("XINFO", "CONSUMERS", stream, GROUP).size();
				case "redis.streams.in.flight" ->
					this.redis.list("XPENDING", stream, GROUP, "-", "+", "10000", CONSUMER).size();
				case "redis.streams.listener.active" -> events ? HELD : 0;
				case "redis.streams.delivery.delay" -> handled(stream);
				case "redis.streams.acknowledged" -> acknowledged(stream);
				case "redis.streams.claimed" -> events ? CLAIMED : 0;
				case "redis.streams.retried" -> events ? 3 : deliveredAgain(stream);
				case "redis.streams.dead.lettered" -> deadLettered(stream);
				case "redis.streams.dead.letters.failed" -> stream.equals("refused") ? refusedAdditions() : 0;
				case "redis.streams.dead.letters.dropped" ->
					stream.equals("poison") ? 250 - number("XLEN", "{poison}:dlq") : 0;
				case "redis.streams.trimmed.pending" -> events ? 2 : 0;
				case "redis.streams.lease.lost" -> events ? 1 : 0;
				case "redis.streams.group.recreated" -> stream.equals("audit") ? 1 : 0;
				case "redis.streams.suspended" -> stream.equals("flaky") ? 1 : 0;
				default -> throw new AssertionError(name + " is not compared with anything");
			};
		}

		// What somebody else has added to events, and not deleted, was then claimed
		private double sent(String stream) {
			return stream.equals("orders") ? 1 : this.redis.length(stream) + number("ZCARD", "{" + stream + "}:delayed")
					- (stream.equals("events") ? CLAIMED : 0);
		}

		private double calls(String stream, String outcome, String exception) {
			return switch (outcome) {
				case "acknowledged" -> acknowledged(stream);
				case "retried" -> stream.equals("flaky") ? this.workload.flaky.size() : 3;
				case "dead-lettered" -> switch (stream) {
					case "events" -> exception.equals("IllegalStateException") ? 3 : 2;
					case "refused" -> 1;
					default -> deadLettered(stream);
				};
				default -> throw new AssertionError("No call was " + outcome);
			};
		}

		// Each entry once. What was claimed had been delivered before
		private double handled(String stream) {
			return switch (stream) {
				case "events" -> acknowledged(stream) + deadLettered(stream) + HELD - CLAIMED;
				case "flaky" -> Set.copyOf(this.workload.flaky).size();
				case "refused" -> 1;
				default -> acknowledged(stream) + deadLettered(stream);
			};
		}

		private double number(String... command) {
			try {
				return this.redis.integer(command);
			}
			catch (RedisError ex) {
				return Double.NaN;
			}
		}

		private List<String> undelivered(String stream) {
			List<?> group = (List<?>) this.redis.list("XINFO", "GROUPS", stream).get(0);
			String last = (String) group.get(group.indexOf("last-delivered-id") + 1);
			return this.redis.list("XRANGE", stream, "(" + last, "+")
				.stream()
				.map((entry) -> (String) ((List<?>) entry).get(0))
				.toList();
		}

		private @Nullable String oldestPending(String stream) {
			return firstOrNull(
					List.copyOf(this.redis.pendingEntries(stream, GROUP).keySet()).stream().sorted().toList());
		}

		private static @Nullable String firstOrNull(List<String> ids) {
			return ids.isEmpty() ? null : ids.get(0);
		}

		private Figure age(@Nullable String id) {
			if (id == null) {
				return Figure.exactly(0);
			}
			long now = Long.parseLong((String) this.redis.list("TIME").get(0));
			return new Figure(now - Long.parseLong(id.replaceAll("-.*", "")) / 1000.0, 1.5);
		}

		// What is in the stream and neither undelivered nor pending nor a dead letter;
		// the group of audit was given all of it twice
		private double acknowledged(String stream) {
			if (stream.equals("archive")) {
				return 0;
			}
			double finished = this.redis.length(stream) - undelivered(stream).size() - this.redis.pending(stream, GROUP)
					- deadLettered(stream);
			return stream.equals("audit") ? 2 * finished : finished;
		}

		private double deadLettered(String stream) {
			return switch (stream) {
				case "poison" -> 250;
				case "refused" -> 0;
				default -> number("XLEN", "{" + stream + "}:dlq");
			};
		}

		private double deliveredAgain(String stream) {
			return stream.equals("archive") ? 0
					: this.redis.pendingEntries(stream, GROUP)
						.values()
						.stream()
						.mapToLong((entry) -> entry.deliveries() - 1)
						.sum();
		}

		// Nobody else adds anything since the entry that is refused was added
		private double refusedAdditions() {
			return Long.parseLong(this.redis.commandStat("xadd").orElseThrow().replaceAll("^calls=(\\d+),.*", "$1"))
					- 1;
		}

	}

	/**
	 * Does with each entry what its payload says.
	 */
	static class Workload {

		private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();

		private final List<String> flaky = new CopyOnWriteArrayList<>();

		private volatile boolean over;

		@StreamListener("events")
		void events(String payload, RecordId id) throws InterruptedException {
			if (payload.equals("hold") && !this.over) {
				this.held.computeIfAbsent(id.getValue(), (key) -> new CountDownLatch(1)).await();
			}
			handle(payload);
		}

		@StreamListener("audit")
		void audit(String payload) {
			handle(payload);
		}

		@StreamListener("poison")
		void poison(String payload) {
			handle(payload);
		}

		@StreamListener("refused")
		void refused(String payload) {
			handle(payload);
		}

		@StreamListener("flaky")
		void flaky(String payload, RecordId id) {
			this.flaky.add(id.getValue());
			handle(payload);
		}

		@StreamListener("archive")
		void archive(String payload) {
			handle(payload);
		}

		private static void handle(String payload) {
			if (payload.equals("fail")) {
				throw new IllegalStateException("as asked");
			}
			if (payload.equals("reject")) {
				throw new DeadLetterException("as asked");
			}
		}

		void release(String id) {
			Objects.requireNonNull(this.held.get(id)).countDown();
		}

		void releaseAll() {
			this.over = true;
			this.held.values().forEach(CountDownLatch::countDown);
		}

	}

}
