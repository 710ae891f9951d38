package io.github.redisstreams.listener;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetterHeaders;
import io.github.redisstreams.listener.CaseWorker.Failed;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Positive;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Entries that no handler can handle.
 */
@Tag("core")
@RealRedis
class FieldCasePoisonTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

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

	private ApplicationContextRunner app(Class<?> listener) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					ValidationAutoConfiguration.class, RedisStreamsAutoConfiguration.class))
			.withUserConfiguration(listener)
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + this.server.port(),
					"redis.streams.listener.group=g", "redis.streams.consumer=me");
	}

	private String addPayload(byte[] payload) {
		return (String) this.server.command(Entries.bytes("XADD"), Entries.bytes("s"), Entries.bytes("*"),
				Entries.bytes("payload"), payload);
	}

	private String addPayload(String payload) {
		return addPayload(Entries.bytes(payload));
	}

	/**
	 * What is in the dead-letter stream, byte by byte, by the id that it had before.
	 */
	private Map<String, StreamEntry> deadLetters(int count) {
		Recorder reader = new Recorder();
		this.containers.start("auditor", (options) -> options.stream("{s}:dlq").group("audit"), reader);
		await().atMost(PATIENCE).until(() -> reader.size() >= count);
		Map<String, StreamEntry> letters = new ConcurrentHashMap<>();
		for (Delivery delivery : reader.deliveries()) {
			letters.put(text(delivery.entry(), DeadLetterHeaders.ID), delivery.entry());
		}
		assertThat(letters).hasSize(count);
		return letters;
	}

	private static StreamEntry of(Map<String, StreamEntry> letters, String id) {
		assertThat(letters).containsKey(id);
		return letters.getOrDefault(id, Entries.entry());
	}

	private static String text(StreamEntry entry, String name) {
		byte @Nullable [] value = entry.value(name);
		return (value != null) ? new String(value, StandardCharsets.UTF_8) : "";
	}

	private static String deep(int depth) {
		return "[".repeat(depth) + "]".repeat(depth);
	}

	private static byte[] garbage(int length) {
		byte[] bytes = new byte[length];
		Arrays.fill(bytes, (byte) 0xff);
		return bytes;
	}

	@Test
	@DisplayName("C46 undecodable, deep and huge payloads are dead-lettered as they are, neighbours unaffected")
	void whatCannotBeReadIsDeadLetteredAsItIs() {
		List<byte[]> bad = List.of(Entries.NOT_UTF_8, Entries.bytes("{\"number\":"), Entries.bytes(deep(100_000)),
				Entries.bytes("{\"number\":1,\"rest\":" + deep(100_000) + "}"), garbage(10 << 20));
		List<String> ids = new ArrayList<>();
		for (byte[] payload : bad) {
			addPayload("{\"number\":1}");
			ids.add(addPayload(payload));
			addPayload("{\"number\":2}");
		}
		app(Orders.class).run((context) -> {
			await().atMost(PATIENCE).until(() -> this.server.length("{s}:dlq") >= bad.size());
			await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 0);
			assertThat(context.getBean(Orders.class).handled).hasSize(10).containsOnly(new Order(1), new Order(2));
			ContainerCounters counters = counters(context.getBean(StreamListenerRegistry.class));
			assertThat(counters.retried()).isZero();
			await().untilAsserted(() -> assertThat(counters.deadLettered()).isEqualTo(5));
		});
		Map<String, StreamEntry> letters = deadLetters(bad.size());
		for (int i = 0; i < bad.size(); i++) {
			StreamEntry letter = of(letters, ids.get(i));
			assertThat(letter.value("payload")).as("payload " + i).isEqualTo(bad.get(i));
			assertThat(text(letter, DeadLetterHeaders.EXCEPTION)).contains("Exception");
			assertThat(text(letter, DeadLetterHeaders.REASON)).startsWith("cannot succeed");
			assertThat(text(letter, DeadLetterHeaders.MESSAGE)).isNotEmpty();
			assertThat(text(letter, DeadLetterHeaders.DELIVERY_COUNT)).isEqualTo("1");
		}
	}

	private static ContainerCounters counters(StreamListenerRegistry registry) {
		StreamListenerContainer container = registry.getContainers().iterator().next();
		return container.getCounters();
	}

	@Test
	@DisplayName("C46 in a batch too")
	void ofABatchToo() {
		List<byte[]> bad = List.of(Entries.NOT_UTF_8, Entries.bytes(deep(100_000)), garbage(10 << 20));
		List<String> ids = new ArrayList<>();
		for (byte[] payload : bad) {
			addPayload("{\"number\":1}");
			ids.add(addPayload(payload));
			addPayload("{\"number\":2}");
		}
		app(OrderBatches.class).run((context) -> {
			await().atMost(PATIENCE).until(() -> this.server.length("{s}:dlq") >= bad.size());
			await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 0);
			assertThat(context.getBean(OrderBatches.class).handled).hasSize(6).containsOnly(new Order(1), new Order(2));
		});
		Map<String, StreamEntry> letters = deadLetters(bad.size());
		for (int i = 0; i < bad.size(); i++) {
			assertThat(of(letters, ids.get(i)).value("payload")).as("payload " + i).isEqualTo(bad.get(i));
		}
	}

	@Test
	@DisplayName("C46 a payload of 10 MB that can be read is handled")
	void aHugePayloadThatCanBeReadIsHandled() {
		addPayload("x".repeat(10 << 20));
		addPayload(deep(100_000));
		app(Texts.class).run((context) -> {
			Texts listener = context.getBean(Texts.class);
			await().atMost(PATIENCE).until(() -> listener.lengths.size() == 2);
			await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 0);
			assertThat(listener.lengths).containsExactly(10 << 20, 200_000);
			assertThat(this.server.length("{s}:dlq")).isZero();
		});
	}

	@Test
	@DisplayName("C46 a handler that overflows its stack is tried again and dead-lettered")
	void aHandlerThatOverflowsItsStackIsTriedAgainAndDeadLettered() {
		String id = this.server.add("s", "n", "deep");
		String next = this.server.add("s", "n", "flat");
		Recorder handled = new Recorder();
		AtomicInteger calls = new AtomicInteger();
		this.containers.start("me",
				(options) -> options.maxDeliveries(2).retry((retry) -> retry.initialInterval(Duration.ofMillis(10))),
				(deliveries) -> {
					if (text(deliveries.get(0).entry(), "n").equals("deep")) {
						calls.incrementAndGet();
						overflow(0);
					}
					handled.handle(deliveries);
				});
		assertThat(of(deadLetters(1), id)).satisfies((letter) -> {
			assertThat(text(letter, DeadLetterHeaders.EXCEPTION)).isEqualTo(StackOverflowError.class.getName());
			assertThat(text(letter, "n")).isEqualTo("deep");
			assertThat(text(letter, DeadLetterHeaders.DELIVERY_COUNT)).isEqualTo("2");
		});
		await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 0);
		assertThat(calls).hasValue(2);
		assertThat(handled.ids()).containsExactly(next);
	}

	private static int overflow(int depth) {
		return overflow(depth + 1) + 1;
	}

	@Test
	@DisplayName("C33 what another writer wrote and the method cannot take is dead-lettered at once")
	void whatTheMethodCannotTakeIsDeadLetteredAtOnce() {
		String strange = this.server.add("s", "colour", "blue");
		String binary = (String) this.server.command(Entries.bytes("XADD"), Entries.bytes("s"), Entries.bytes("*"),
				Entries.NOT_UTF_8, garbage(100));
		String wrongType = this.server.add("s", "number", "seven", "priority", "1");
		String invalid = this.server.add("s", "number", "-7", "priority", "1");
		String wrongHeader = this.server.add("s", "payload", "{\"number\":7}", "priority", "high");
		String noHeader = this.server.add("s", "payload", "{\"number\":7}");
		this.server.add("s", "number", "7", "priority", "1");
		app(Priorities.class).run((context) -> {
			await().atMost(PATIENCE).until(() -> this.server.length("{s}:dlq") >= 6);
			await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 0);
			assertThat(context.getBean(Priorities.class).handled).containsExactly(new Order(7));
			assertThat(counters(context.getBean(StreamListenerRegistry.class)).retried()).isZero();
		});
		Map<String, StreamEntry> letters = deadLetters(6);
		assertThat(letters).containsOnlyKeys(strange, binary, wrongType, invalid, wrongHeader, noHeader);
		assertThat(letters.values()).allSatisfy((letter) -> {
			assertThat(text(letter, DeadLetterHeaders.REASON)).startsWith("cannot succeed");
			assertThat(text(letter, DeadLetterHeaders.EXCEPTION)).isNotEmpty();
			assertThat(text(letter, DeadLetterHeaders.DELIVERY_COUNT)).isEqualTo("1");
		});
		List<byte[]> fields = new ArrayList<>();
		of(letters, binary).forEachField((name, value) -> fields.addAll(List.of(name, value)));
		assertThat(fields.get(0)).isEqualTo(Entries.NOT_UTF_8);
		assertThat(fields.get(1)).isEqualTo(garbage(100));
	}

	@Test
	@DisplayName("C33 an entry of very many fields is dead-lettered too")
	void anEntryOfVeryManyFieldsIsDeadLetteredToo() {
		String[] words = new String[3 + 20_000];
		Arrays.setAll(words, (i) -> "f" + i);
		words[0] = "XADD";
		words[1] = "s";
		words[2] = "*";
		String id = this.server.text(words);
		this.containers.start("me", (options) -> options.maxDeliveries(1), (deliveries) -> {
			throw new Failed();
		});
		StreamEntry letter = of(deadLetters(1), id);
		assertThat(text(letter, "f3")).isEqualTo("f4");
		assertThat(text(letter, "f20001")).isEqualTo("f20002");
	}

	@Test
	@DisplayName("C33 a failure that is its own cause's cause is dead-lettered")
	void aFailureThatIsItsOwnCausesCauseIsDeadLettered() {
		String id = this.server.add("s", "n", "1");
		String next = this.server.add("s", "n", "2");
		Recorder handled = new Recorder();
		this.containers.start("me", (options) -> options.maxDeliveries(1), (deliveries) -> {
			if (deliveries.get(0).entry().id().equals(EntryId.parse(id))) {
				IllegalStateException first = new IllegalStateException("first");
				IllegalStateException second = new IllegalStateException("second", first);
				first.initCause(second);
				throw first;
			}
			handled.handle(deliveries);
		});
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(handled.ids()).containsExactly(next));
		assertThat(text(of(deadLetters(1), id), DeadLetterHeaders.MESSAGE)).isEqualTo("first");
	}

	@Test
	@DisplayName("C47 the good ones do not wait for the retries of those that always fail")
	void theGoodOnesDoNotWaitForRetries() {
		Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
		AtomicInteger good = new AtomicInteger();
		List<Long> deadLettersThen = new CopyOnWriteArrayList<>();
		List<String> ids = this.server.addPipelined("s", 1004);
		List<String> bad = List.of(ids.get(0), ids.get(1), ids.get(500), ids.get(1000));
		StreamListenerContainer container = this.containers.start("me", (options) -> options.maxDeliveries(4)
			.retry((retry) -> retry.initialInterval(Duration.ofSeconds(2)).jitter(0)), (deliveries) -> {
				String id = deliveries.get(0).entry().id().toString();
				if (bad.contains(id)) {
					calls.computeIfAbsent(id, (key) -> new AtomicInteger()).incrementAndGet();
					throw new Failed();
				}
				if (good.incrementAndGet() == 1000) {
					deadLettersThen.add(this.server.length("{s}:dlq"));
				}
			});
		await().atMost(PATIENCE).until(() -> !deadLettersThen.isEmpty());
		assertThat(deadLettersThen).containsExactly(0L);
		// 2 + 4 + 8 seconds of waiting, which held no handler
		await().atMost(PATIENCE).until(() -> this.server.length("{s}:dlq") == 4);
		await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 0);
		assertThat(deadLetters(4)).containsOnlyKeys(bad);
		assertThat(calls.values()).hasSize(4).allSatisfy((count) -> assertThat(count).hasValue(4));
		assertThat(good).hasValue(1000);
		await().untilAsserted(() -> assertThat(container.getCounters().retried()).isEqualTo(12));
	}

	@Test
	@DisplayName("C50 the cap holds on the server's count though the entry cannot be read")
	void theCapHoldsOnTheServersCount() {
		this.server.command("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM");
		String poison = (String) this.server.command(Entries.bytes("XADD"), Entries.bytes("s"), Entries.bytes("*"),
				Entries.NOT_UTF_8, garbage(100));
		String last = this.server.add("s", "number", "1");
		this.server.deliver("s", "g", "dead", 2);
		this.server.command("XCLAIM", "s", "g", "dead", "0", poison, "IDLE", "3600000", "RETRYCOUNT", "3", "JUSTID");
		this.server.command("XCLAIM", "s", "g", "dead", "0", last, "IDLE", "3600000", "RETRYCOUNT", "2", "JUSTID");
		Recorder handled = new Recorder();
		this.containers.start("me", (options) -> options.maxDeliveries(3), handled);
		await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 0);
		assertThat(handled.ids()).containsExactly(last);
		assertThat(handled.counts()).containsExactly(3L);
		StreamEntry letter = of(deadLetters(1), poison);
		assertThat(text(letter, DeadLetterHeaders.REASON)).startsWith("delivered 3 times")
			.contains("max-deliveries is 3");
		assertThat(text(letter, DeadLetterHeaders.EXCEPTION)).isEmpty();
		List<byte[]> fields = new ArrayList<>();
		letter.forEachField((name, value) -> fields.addAll(List.of(name, value)));
		assertThat(fields.get(0)).isEqualTo(Entries.NOT_UTF_8);
		assertThat(fields.get(1)).isEqualTo(garbage(100));
	}

	@Test
	@DisplayName("C50 the cap counts over restarts and over instances")
	void theCapCountsOverRestartsAndInstances() {
		AtomicInteger calls = new AtomicInteger();
		String id = this.server.add("s", "n", "1");
		for (String consumer : List.of("one", "one", "two")) {
			StreamListenerContainer container = this.containers.start(consumer,
					(options) -> options.maxDeliveries(3)
						.minIdle(Duration.ofMillis(500))
						.claimInterval(Duration.ofMillis(100))
						.retry((retry) -> retry.initialInterval(Duration.ofHours(1)).maxInterval(Duration.ofHours(1))),
					(deliveries) -> {
						calls.incrementAndGet();
						throw new Failed();
					});
			int before = calls.get();
			await().atMost(PATIENCE).until(() -> calls.get() == before + 1 || this.server.length("{s}:dlq") == 1);
			container.stop();
		}
		assertThat(deadLetters(1)).containsOnlyKeys(id);
		assertThat(calls).hasValue(3);
	}

	record Order(@Positive int number) {

	}

	static class Orders {

		final List<Order> handled = new CopyOnWriteArrayList<>();

		@StreamListener("s")
		void handle(Order order) {
			this.handled.add(order);
		}

	}

	static class OrderBatches {

		final List<Order> handled = new CopyOnWriteArrayList<>();

		@StreamListener("s")
		void handle(List<Order> orders) {
			this.handled.addAll(orders);
		}

	}

	static class Texts {

		final List<Integer> lengths = new CopyOnWriteArrayList<>();

		@StreamListener("s")
		void handle(String text) {
			this.lengths.add(text.length());
		}

	}

	static class Priorities {

		final List<Order> handled = new CopyOnWriteArrayList<>();

		@StreamListener("s")
		void handle(@Valid Order order, @Header("priority") int priority) {
			this.handled.add(order);
		}

	}

}
