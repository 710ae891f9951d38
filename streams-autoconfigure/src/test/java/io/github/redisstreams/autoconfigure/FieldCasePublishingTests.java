package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.metrics.RedisStreamsMetricsAutoConfiguration;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.metrics.PublishMeters;
import io.github.redisstreams.metrics.StreamMetrics;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Field cases: producers that are faster than consumers, and entries that are scheduled.
 */
@Tag("slow")
@RealRedis
@ExtendWith(OutputCaptureExtension.class)
class FieldCasePublishingTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final int DISCONNECTS = 100;

	private static ApplicationContextRunner application(int port, String consumer) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					RedisStreamsAutoConfiguration.class, RedisStreamsMetricsAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("spring.application.name=billing", "redis.streams.consumer=" + consumer,
					"redis.streams.metrics.interval=50ms", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + port);
	}

	private static ApplicationContextRunner listening(int port, String consumer) {
		return application(port, consumer).withUserConfiguration(Recorder.class);
	}

	private static List<String> payloads(int from, int to) {
		return IntStream.range(from, to).mapToObj(Integer::toString).toList();
	}

	private static void awaitHandled(ApplicationContext context, List<String> payloads) {
		List<String> handled = context.getBean(Recorder.class).payloads;
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(handled).containsExactlyInAnyOrderElementsOf(payloads));
	}

	/**
	 * An application that has handled 30 entries and does not read any more.
	 */
	private static StreamListenerContainer stoppedAfterThirty(ApplicationContext context) {
		StreamListenerContainer container = Objects
			.requireNonNull(context.getBean(StreamListenerRegistry.class).getContainer("events"));
		context.getBean(StreamTemplate.class).sendAll("events", payloads(0, 30));
		awaitHandled(context, payloads(0, 30));
		container.stop();
		return container;
	}

	private static double undelivered(ApplicationContext context) {
		return context.getBean(MeterRegistry.class).get(PublishMeters.TRIMMED_UNDELIVERED).counter().count();
	}

	private static void awaitGauge(ApplicationContext context, String name, double value) {
		MeterRegistry meters = context.getBean(MeterRegistry.class);
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(meters.get(name).gauge().value()).as(name).isEqualTo(value));
	}

	@Test
	@DisplayName("C37 a producer outruns a stopped consumer: with trim 'finished' nothing is lost and the gauges show it")
	void losesNothingWhileAConsumerIsStopped(RedisServer redis, CapturedOutput output) {
		listening(redis.port(), "one").withPropertyValues("redis.streams.publisher.max-length=100").run((context) -> {
			StreamTemplate template = context.getBean(StreamTemplate.class);
			StreamListenerContainer container = stoppedAfterThirty(context);
			payloads(30, 1030).forEach((payload) -> template.send("events", payload));
			assertThat(redis.length("events")).isGreaterThanOrEqualTo(1000);
			awaitGauge(context, StreamMetrics.LAG, 1000);
			awaitGauge(context, StreamMetrics.LENGTH, redis.length("events"));
			assertThat(undelivered(context)).isZero();
			container.start().join();
			awaitHandled(context, payloads(0, 1030));
			awaitGauge(context, StreamMetrics.LAG, 0);
			payloads(1030, 1250).forEach((payload) -> template.send("events", payload));
			awaitHandled(context, payloads(0, 1250));
			payloads(1250, 1270).forEach((payload) -> template.send("events", payload));
			assertThat(redis.length("events")).as("bounded again").isLessThan(300);
		});
		assertThat(output).doesNotContain("were trimmed");
	}

	@Test
	@DisplayName("C37 a producer outruns a stopped consumer: with trim 'strict' the loss is counted and a WARN tells it")
	void countsWhatIsLostWhileAConsumerIsStopped(RedisServer redis, CapturedOutput output) {
		listening(redis.port(), "one")
			.withPropertyValues("redis.streams.publisher.max-length=100", "redis.streams.publisher.trim=strict")
			.run((context) -> {
				StreamTemplate template = context.getBean(StreamTemplate.class);
				StreamListenerContainer container = stoppedAfterThirty(context);
				assertThat(undelivered(context)).isZero();
				int sent = 30;
				while (undelivered(context) == 0 && sent < 1000) {
					template.send("events", Integer.toString(sent++));
				}
				assertThat(warnings(output)).containsExactly((long) undelivered(context));
				for (; sent < 2000; sent++) {
					template.send("events", Integer.toString(sent));
				}
				assertThat(redis.length("events")).as("bounded").isLessThan(300);
				awaitGauge(context, StreamMetrics.LENGTH, redis.length("events"));
				int left = undeliveredIn(redis);
				container.start().join();
				awaitHandled(context,
						Stream.concat(payloads(0, 30).stream(), payloads(2000 - left, 2000).stream()).toList());
				assertThat(undelivered(context)).isEqualTo(2000 - 30 - left);
			});
		assertThat(warnings(output)).as("not one for each").hasSize(1);
	}

	private static int undeliveredIn(RedisServer redis) {
		List<?> group = (List<?>) redis.list("XINFO", "GROUPS", "events").get(0);
		String last = (String) group.get(group.indexOf("last-delivered-id") + 1);
		return redis.list("XRANGE", "events", "(" + last, "+").size();
	}

	private static List<Long> warnings(CapturedOutput output) {
		Pattern pattern = Pattern.compile("(\\d+) entries of stream 'events' were trimmed that a group had still");
		return output.getOut()
			.lines()
			.filter((line) -> line.contains(" WARN "))
			.map(pattern::matcher)
			.filter(Matcher::find)
			.map((matcher) -> Long.valueOf(matcher.group(1)))
			.toList();
	}

	@Test
	@DisplayName("C43 scheduled entries move with no producer alive")
	void movesWhatAProducerHasScheduledThatIsGone(RedisServer redis) {
		application(redis.port(), "producer").run((context) -> {
			StreamTemplate template = context.getBean(StreamTemplate.class);
			payloads(0, 50).forEach((payload) -> template.sendAfter("events", payload, Duration.ofMillis(1)));
		});
		assertThat(redis.integer("ZCARD", "{events}:delayed")).isEqualTo(50);
		listening(redis.port(), "one").run((context) -> {
			awaitHandled(context, payloads(0, 50));
			assertThat(redis.list("KEYS", "{events}:*")).noneMatch((key) -> key.toString().contains("parked"));
			assertThat(redis.integer("ZCARD", "{events}:delayed")).isZero();
		});
	}

	@Test
	@DisplayName("C43 scheduled entries move after a reconnect")
	void movesWhatWasDueWhileItWasDisconnected(RedisServer redis) {
		try (TcpProxy proxy = new TcpProxy(redis.port())) {
			listening(proxy.port(), "one").run((context) -> {
				StreamTemplate template = context.getBean(StreamTemplate.class);
				awaitPromoting(redis);
				payloads(0, 20).forEach((payload) -> template.sendAfter("events", payload, Duration.ofSeconds(1)));
				proxy.refuseConnections();
				proxy.cutConnections();
				await().atMost(PATIENCE).until(() -> dueIn(redis) == 20);
				proxy.heal();
				awaitHandled(context, payloads(0, 20));
				payloads(20, 40).forEach((payload) -> template.sendAfter("events", payload, Duration.ofMillis(1)));
				awaitHandled(context, payloads(0, 40));
			});
		}
	}

	private static long dueIn(RedisServer redis) {
		return redis.integer("ZCOUNT", "{events}:delayed", "-inf", redis.list("TIME").get(0).toString() + "000");
	}

	@Test
	@DisplayName("C43 scheduled entries move by any one consumer")
	void anyOfTheConsumersMovesThem(RedisServer redis) {
		List<String> handled = new ArrayList<>();
		application(redis.port(), "producer").run((producer) -> {
			StreamTemplate template = producer.getBean(StreamTemplate.class);
			listening(redis.port(), "one").run((one) -> {
				listening(redis.port(), "two").run((two) -> {
					IntStream.range(0, 200)
						.forEach((n) -> template.sendAfter("events", n, Duration.ofMillis(1 + 5 * n)));
					await().atMost(PATIENCE)
						.until(() -> one.getBean(Recorder.class).payloads.size()
								+ two.getBean(Recorder.class).payloads.size() >= 200);
					handled.addAll(two.getBean(Recorder.class).payloads);
				});
				IntStream.range(200, 250).forEach((n) -> template.sendAfter("events", n, Duration.ofMillis(1)));
				await().atMost(PATIENCE)
					.until(() -> one.getBean(Recorder.class).payloads.size() + handled.size() >= 250);
				handled.addAll(one.getBean(Recorder.class).payloads);
			});
		});
		assertThat(handled).as("each once").containsExactlyInAnyOrderElementsOf(payloads(0, 250));
		assertThat(redis.length("events")).isEqualTo(250);
	}

	@Test
	@DisplayName("C44 after 100 disconnects there is one mover, and no more commands are sent while idle than before")
	void disconnectsAddNoMovers(RedisServer redis) {
		try (TcpProxy proxy = new TcpProxy(redis.port())) {
			listening(proxy.port(), "one")
				.withPropertyValues("redis.streams.listener.poll-timeout=500ms", "redis.streams.metrics.interval=1h")
				.run((context) -> {
					awaitPromoting(redis);
					Idle before = Idle.measure(redis);
					StreamTemplate template = context.getBean(StreamTemplate.class);
					for (int i = 0; i < DISCONNECTS; i++) {
						proxy.cutConnections();
						// Over the connection of the mover, which is to look at once
						await().pollDelay(Duration.ZERO)
							.pollInterval(Duration.ofMillis(10))
							.atMost(PATIENCE)
							.ignoreExceptions()
							.until(() -> !template.sendAfter("events", "x", Duration.ofMillis(1)).isEmpty());
					}
					await().atMost(PATIENCE)
						.until(() -> context.getBean(Recorder.class).payloads.size() >= DISCONNECTS);
					await().atMost(PATIENCE).untilAsserted(() -> assertThat(movers()).isEqualTo(1));
					Idle after = Idle.measure(redis);
					assertThat(after.commandsPerSecond()).as("%s, before %s", after, before)
						.isLessThan(1.5 * before.commandsPerSecond() + 1);
					assertThat(after.scriptsPerSecond()).as("%s, before %s", after, before)
						.isLessThan(1.5 * before.scriptsPerSecond() + 0.5);
				});
		}
	}

	private static long movers() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("streams-promoter-"))
			.count();
	}

	private static void awaitPromoting(RedisServer redis) {
		long calls = calls(redis, "evalsha");
		await().atMost(PATIENCE).until(() -> calls(redis, "evalsha") > calls + 1);
	}

	private static long calls(RedisServer redis, String command) {
		return redis.commandStat(command)
			.map((stat) -> Long.parseLong(stat.substring("calls=".length(), stat.indexOf(','))))
			.orElse(0L);
	}

	@Configuration(proxyBeanMethods = false)
	static class Recorder {

		final List<String> payloads = new CopyOnWriteArrayList<>();

		@StreamListener("events")
		void handle(String payload) {
			this.payloads.add(payload);
		}

	}

	/**
	 * What an application sends while there is nothing to do.
	 */
	private record Idle(double scriptsPerSecond, double commandsPerSecond) {

		private static final int SCRIPTS = 4;

		/**
		 * Watch until some scripts were run, which is about one in a second.
		 */
		static Idle measure(RedisServer redis) {
			long start = System.nanoTime();
			long scripts = calls(redis, "evalsha");
			long commands = commands(redis);
			await().pollInterval(Duration.ofMillis(20))
				.atMost(PATIENCE)
				.until(() -> calls(redis, "evalsha") >= scripts + SCRIPTS);
			double seconds = (System.nanoTime() - start) / 1e9;
			return new Idle((calls(redis, "evalsha") - scripts) / seconds, (commands(redis) - commands) / seconds);
		}

		private static long commands(RedisServer redis) {
			return Stream.of("evalsha", "eval", "xreadgroup", "xautoclaim", "set", "hello", "ping")
				.mapToLong((command) -> calls(redis, command))
				.sum();
		}

	}

}
