package io.github.redisstreams.publish;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redisstreams.redis.StreamConsumer;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.redis.StreamReader;
import io.github.redisstreams.redis.TaskState;
import io.github.redisstreams.support.StreamHeaders;
import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.ResolvableType;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What {@link StreamTemplate} writes and a listener reads, on a real server.
 */
@Tag("core")
@RealRedis
@ExtendWith(OutputCaptureExtension.class)
class StreamTemplateRoundTripTests extends TemplateFixture {

	private StreamEntry read() {
		this.commands.createGroup("events", "workers", "0");
		try (StreamReader reader = this.commands.openReader(new StreamConsumer("events", "workers", "one"))) {
			return reader.readNew(1, Duration.ZERO).entries().get(0);
		}
	}

	static Stream<Object> payloads() {
		return Stream.of(
				new Order(UUID.randomUUID(), 7, State.PAID, new BigDecimal("12.50"), List.of("a", "größe", "\u0000"),
						Instant.parse("2026-01-31T10:00:00.123456789Z")),
				"text – \"quoted\"\r\n", "", "{\"json\":true}", Entries.NOT_UTF_8, new byte[0],
				Map.of("a", 1, "b", List.of(true)), List.of("x", "y"), 42, 1L << 60, true, State.OPEN,
				UUID.randomUUID(), Instant.now());
	}

	@ParameterizedTest
	@MethodSource("payloads")
	void whatIsWrittenIsReadBackAsItWas(Object payload) {
		this.template.send("events", payload);
		Class<?> type = (payload instanceof Map) ? Map.class
				: (payload instanceof List) ? List.class : payload.getClass();
		assertThat(this.converter.convert(read(), ResolvableType.forClass(type))).isEqualTo(payload);
	}

	@Test
	void headersAreReadBackAsText() {
		this.template.send("events", "x", Map.of("priority", 3, "signature", Entries.NOT_UTF_8, "id", "order-7"));
		assertThat(this.converter.toMessage(read(), Map::of).getHeaders()).containsEntry("priority", "3")
			.containsEntry("signature", Entries.NOT_UTF_8)
			.containsEntry("id", "order-7");
	}

	@Test
	void aReceivedMessageIsSentOnWithItsFields(RedisServer redis) {
		this.template.send("events", MessageBuilder.withPayload("x").setHeader("priority", 3).build());
		Message<StreamEntry> received = this.converter.toMessage(read(), () -> Map.of("redis_stream", "events"));
		this.template.send("copies", "y", received.getHeaders());
		assertThat(((List<?>) redis.list("XRANGE", "copies", "-", "+").get(0)).get(1))
			.isEqualTo(List.of("payload", "y", "priority", "3"));
	}

	@Test
	void theIdIsTheServers(RedisServer redis) {
		RecordId id = this.template.send("events", "x");
		assertThat(redis.list("XRANGE", "events", "-", "+")).singleElement()
			.isEqualTo(List.of(id.getValue(), List.of("payload", "x")));
	}

	@Test
	void noClassNameIsWritten(RedisServer redis) {
		this.template.send("events",
				new Order(UUID.randomUUID(), 7, State.PAID, BigDecimal.ONE, List.of(), Instant.now()));
		assertThat(redis.list("XRANGE", "events", "-", "+").toString()).doesNotContain("class")
			.doesNotContain("redisstreams");
	}

	@Test
	void aKeyOfAnotherTypeIsAnErrorThatNamesTheStream(RedisServer redis) {
		redis.command("SET", "events", "text");
		// The first trims, and so is a script
		for (String command : List.of(" add on 'events'", "(XADD on 'events'")) {
			assertThatExceptionOfType(InvalidDataAccessResourceUsageException.class)
				.isThrownBy(() -> this.template.send("events", "x"))
				.withMessageContaining("WRONGTYPE")
				.withMessageContaining(command);
		}
	}

	@Test
	void tracesAndCorrelationsReachTheListener() {
		Map<String, String> headers = Map.of("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
				"tracestate", "congo=t61rcWkgMzE", "baggage", "user=7", "b3", "4bf92f3577b34da6", "correlationId",
				"c-7");
		this.template.send("events", "x", headers);
		assertThat(this.converter.toMessage(read(), Map::of).getHeaders()).containsAllEntriesOf(headers);
	}

	@Test
	void aCollectionIsWrittenInItsOrder(RedisServer redis) {
		List<String> payloads = IntStream.range(0, 1234).mapToObj(Integer::toString).toList();
		List<RecordId> ids = this.template.sendAll("events", payloads);
		assertThat(redis.list("XRANGE", "events", "-", "+")).isEqualTo(IntStream.range(0, 1234)
			.mapToObj((i) -> List.of(ids.get(i).getValue(), List.of("payload", payloads.get(i))))
			.toList());
	}

	@Test
	void whatIsDoneWithAnIdMaySendAndWait() {
		Set<String> threads = ConcurrentHashMap.newKeySet();
		List<CompletableFuture<RecordId>> all = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			all.add(this.template.sendAsync("events", "x").thenApply((id) -> {
				threads.add(Thread.currentThread().getName());
				this.template.send("events", "after " + id);
				return this.template.sendAsync("events", "and after that").join();
			}));
		}
		assertThat(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)))
			.succeedsWithin(Duration.ofSeconds(20));
		assertThat(threads).noneMatch((thread) -> thread.startsWith("lettuce"));
	}

	@Test
	void aTaskIsRefusedWhileOneWithItsKeyIsStillToBeDone(RedisServer redis) {
		Map<String, Object> key = Map.of(StreamHeaders.TASK_KEY, "order-7");
		this.template.send("events", "x", key);
		assertThatExceptionOfType(TaskActiveException.class).isThrownBy(() -> this.template.send("events", "y", key))
			.satisfies((ex) -> assertThat(ex.getState()).isEqualTo(TaskState.QUEUED));
		assertThatExceptionOfType(TaskActiveException.class)
			.isThrownBy(() -> this.template.sendAfter("events", "y", key, Duration.ofHours(1)));
		Object message = MessageBuilder.withPayload("y").copyHeaders(key).build();
		assertThatExceptionOfType(PartlySentException.class)
			.isThrownBy(() -> this.template.sendAll("events", List.of("a", message, "b")))
			.satisfies((ex) -> {
				assertThat(ex.getSent()).containsOnlyKeys(0, 2);
				assertThat(ex.getFailures().get(1)).isInstanceOf(TaskActiveException.class);
			});
		assertThat(redis.length("events")).isEqualTo(3);
		assertThat(new RedisStreamTasks(this.commands, UnaryOperator.identity()).find("events", "order-7"))
			.hasValueSatisfying((task) -> assertThat(task.state()).isEqualTo(TaskState.QUEUED));
	}

	@Test
	void whatIsSentAgainWithItsIdempotencyKeyIsOneEntryWhereTheServerKnowsHow(RedisServer redis,
			CapturedOutput output) {
		boolean known = redis.documents("XADD", "IDMP") || redis.documents("XADD", "idmp");
		List<RecordId> ids = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			ids.add(this.template.send("events", "x", Map.of(StreamHeaders.IDEMPOTENCY_KEY, "payment-7")));
		}
		ids.add(this.template.send("events", "x", Map.of(StreamHeaders.IDEMPOTENCY_KEY, "payment-8")));
		assertThat(redis.length("events")).isEqualTo(known ? 2 : 4);
		assertThat(Set.copyOf(ids)).hasSize(known ? 2 : 4);
		assertThat(output.toString().lines().filter((line) -> line.contains("idempotency key"))).hasSize(known ? 0 : 1)
			.allMatch((line) -> line.contains("WARN"));
	}

	@Test
	void whatIsDueAlreadyIsAddedAtOnce(RedisServer redis) {
		this.template.sendAt("events", "past", Instant.EPOCH);
		this.template.sendAfter("events", "now", Duration.ZERO);
		this.template.sendAfter("events", "before", Duration.ofSeconds(-1));
		assertThat(redis.length("events")).isEqualTo(3);
		assertThat(redis.command("ZCARD", "{events}:delayed")).isEqualTo(0L);
	}

	@Test
	void whatIsScheduledIsReadAsItWasOnceItIsDue(RedisServer redis) {
		Message<byte[]> message = MessageBuilder.withPayload(Entries.NOT_UTF_8)
			.setHeader("traceparent", "00-4bf92f3577b34da6")
			.setHeader("signature", Entries.NOT_UTF_8)
			.build();
		String id = this.template.sendAt("events", message, Instant.now().plus(Duration.ofDays(1)));
		assertThat(redis.length("events")).isZero();
		DelayedPromoter promoter = new DelayedPromoter(this.commands, PublisherSettings.DEFAULTS,
				() -> Set.of("events"), new PublishEvents() {
				}, 0);
		promoter.start();
		try {
			assertThat(this.template.reschedule("events", id, Instant.now())).isTrue();
			await().until(() -> redis.length("events") == 1);
		}
		finally {
			promoter.stop();
		}
		StreamEntry entry = read();
		assertThat(entry.value("payload")).isEqualTo(Entries.NOT_UTF_8);
		assertThat(entry.value("signature")).isEqualTo(Entries.NOT_UTF_8);
		assertThat(this.converter.toMessage(entry, Map::of).getHeaders()).containsEntry("traceparent",
				"00-4bf92f3577b34da6");
		assertThat(this.template.reschedule("events", id, Instant.now())).isFalse();
		assertThat(this.template.cancel("events", id)).isFalse();
	}

	@Test
	void whatIsCancelledIsGone(RedisServer redis) {
		String id = this.template.sendAfter("events", "x", Duration.ofHours(1));
		assertThat(this.template.cancel("events", id)).isTrue();
		assertThat(this.template.cancel("events", id)).isFalse();
		assertThat(redis.list("KEYS", "*")).isEmpty();
	}

	record Order(UUID id, int number, State state, BigDecimal price, List<String> tags, Instant created) {

	}

	enum State {

		OPEN, PAID

	}

}
