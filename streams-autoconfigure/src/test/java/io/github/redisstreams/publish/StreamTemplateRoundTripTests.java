package io.github.redisstreams.publish;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.redis.StreamConsumer;
import io.github.redisstreams.redis.StreamReader;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ResolvableType;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What {@link StreamTemplate} writes and a listener reads, on a real server.
 */
@RealRedis
class StreamTemplateRoundTripTests {

	private final EntryMessageConverter converter = new EntryMessageConverter(JsonMapper.shared());

	private final LettuceFactories factories = new LettuceFactories();

	private LettuceStreamCommands commands;

	private StreamTemplate template;

	@BeforeEach
	void connect(RedisServer redis) {
		this.commands = new LettuceStreamCommands(this.factories.to(redis.port()));
		this.template = new DefaultStreamTemplate(this.commands, this.converter);
	}

	@AfterEach
	void disconnect() {
		this.commands.close();
		this.factories.close();
	}

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
		assertThat(this.converter.toMessage(read(), Map.of()).getHeaders()).containsEntry("priority", "3")
			.containsEntry("signature", Entries.NOT_UTF_8)
			.containsEntry("id", "order-7");
	}

	@Test
	void aReceivedMessageIsSentOnWithItsFields(RedisServer redis) {
		this.template.send("events", MessageBuilder.withPayload("x").setHeader("priority", 3).build());
		Message<StreamEntry> received = this.converter.toMessage(read(), Map.of("redis_stream", "events"));
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

	record Order(UUID id, int number, State state, BigDecimal price, List<String> tags, Instant created) {

	}

	enum State {

		OPEN, PAID

	}

}
