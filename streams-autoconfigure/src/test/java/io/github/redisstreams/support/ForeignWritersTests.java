package io.github.redisstreams.support;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.redis.StreamConsumer;
import io.github.redisstreams.redis.StreamReader;
import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ResolvableType;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.stream.StreamRecords;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.hash.JacksonHashMapper;
import org.springframework.data.redis.serializer.GenericToStringSerializer;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.messaging.converter.MessageConversionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Entries that others wrote, read back from a real server.
 */
@Tag("core")
@RealRedis
class ForeignWritersTests {

	private static final Order ORDER = new Order(UUID.fromString("0b3ee8ba-90b4-4ee9-a2a8-d9e9ae0c4a3f"), 7, true,
			State.PAID, new Address("Rome", 100), List.of("new", "gift"), Map.of("EUR", new BigDecimal("12.50")),
			Instant.parse("2026-01-31T10:00:00Z"), LocalDate.of(2026, 1, 31));

	private final EntryMessageConverter converter = new EntryMessageConverter(JsonMapper.shared());

	private final LettuceFactories factories = new LettuceFactories();

	private LettuceConnectionFactory connectionFactory;

	private LettuceStreamCommands commands;

	@BeforeEach
	void connect(RedisServer redis) {
		this.connectionFactory = this.factories.to(redis.port());
		this.commands = new LettuceStreamCommands(this.connectionFactory);
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

	private @Nullable Object convert(StreamEntry entry, Class<?> type) {
		return this.converter.convert(entry, ResolvableType.forClass(type));
	}

	@Test
	void redisCliWritesFields(RedisServer redis) {
		redis.command("XADD", "events", "*", "task", "resize", "priority", "3", "done", "false");
		StreamEntry entry = read();
		assertThat(convert(entry, Task.class)).isEqualTo(new Task("resize", 3, false));
		assertThat(convert(entry, Map.class)).isEqualTo(Map.of("task", "resize", "priority", "3", "done", "false"));
		assertThat(convert(entry, String.class))
			.isEqualTo("{\"task\":\"resize\",\"priority\":\"3\",\"done\":\"false\"}");
	}

	@Test
	void redisCliWritesWhatIsNoPayload(RedisServer redis) {
		redis.command("XADD", "events", "*", "", "");
		StreamEntry entry = read();
		assertThat(convert(entry, Map.class)).isEqualTo(Map.of("", ""));
		assertThatExceptionOfType(MessageConversionException.class).isThrownBy(() -> convert(entry, int.class));
	}

	@Test
	void aPythonClientWritesAJsonPayloadAndHeadersBeside(RedisServer redis) {
		redis.command("XADD", "events", "*", "payload", "{\"task\": \"größer\", \"priority\": 3, \"done\": true}",
				"task_id", "42", "id", "7", "timestamp", "1700000000.5");
		StreamEntry entry = read();
		assertThat(convert(entry, Task.class)).isEqualTo(new Task("größer", 3, true));
		assertThat(convert(entry, Map.class)).isEqualTo(Map.of("task", "größer", "priority", 3, "done", true));
		assertThat(this.converter.toMessage(entry, Map::of).getHeaders())
			.containsExactlyInAnyOrderEntriesOf(Map.of("task_id", "42", "id", "7", "timestamp", "1700000000.5"));
	}

	@Test
	void aClientWritesBinaryFieldsAndRepeatsNames(RedisServer redis) {
		redis.command(Entries.bytes("XADD"), Entries.bytes("events"), Entries.bytes("*"), Entries.bytes("blob"),
				Entries.NOT_UTF_8, Entries.bytes("n"), Entries.bytes("1"), Entries.bytes("n"), Entries.bytes("2"));
		StreamEntry entry = read();
		assertThat(this.converter.toMessage(entry, Map::of).getHeaders()).containsEntry("n", "2")
			.containsEntry("blob", Entries.NOT_UTF_8);
	}

	@Test
	void aStringTemplateWritesAMap() {
		new StringRedisTemplate(this.connectionFactory).opsForStream()
			.add("events", Map.of("task", "resize", "priority", "3", "done", "true"));
		assertThat(convert(read(), Task.class)).isEqualTo(new Task("resize", 3, true));
	}

	@Test
	void aStringTemplateWritesAnObjectRecordWithItsClassAndAllItsParts() {
		new StringRedisTemplate(this.connectionFactory).opsForStream()
			.add(StreamRecords.newRecord().in("events").ofObject(ORDER));
		StreamEntry entry = read();
		assertThat(this.converter.fields(entry)).containsEntry("_class", Order.class.getName());
		assertThat(convert(entry, Order.class)).isEqualTo(ORDER);
		assertThat(convert(entry, OrderOfAnotherService.class))
			.isEqualTo(new OrderOfAnotherService(7, new Address("Rome", 100)));
	}

	@Test
	void aStringTemplateWritesAnObjectRecordOfText() {
		new StringRedisTemplate(this.connectionFactory).opsForStream()
			.add(StreamRecords.newRecord().in("events").ofObject("{\"task\":\"resize\",\"priority\":3,\"done\":true}"));
		StreamEntry entry = read();
		assertThat(convert(entry, String.class)).isEqualTo("{\"task\":\"resize\",\"priority\":3,\"done\":true}");
		assertThat(convert(entry, Task.class)).isEqualTo(new Task("resize", 3, true));
	}

	@Test
	void aTemplateWithJacksonHashMapperWritesAFlatObject() {
		RedisTemplate<String, String> template = new RedisTemplate<>();
		template.setConnectionFactory(this.connectionFactory);
		template.setDefaultSerializer(RedisSerializer.string());
		template.setHashValueSerializer(new GenericToStringSerializer<>(Object.class));
		template.afterPropertiesSet();
		template.opsForStream(JacksonHashMapper.flattening())
			.add(StreamRecords.newRecord().in("events").ofObject(ORDER));
		StreamEntry entry = read();
		assertThat(this.converter.fields(entry)).containsEntry("@class", Order.class.getName())
			.containsEntry("tags[1]", "gift");
		assertThat(convert(entry, Order.class)).isEqualTo(ORDER);
	}

	@Test
	void aTemplateWithItsDefaultsWritesSerializedJavaWhichIsNeverDeserialized() {
		RedisTemplate<String, Object> template = new RedisTemplate<>();
		template.setConnectionFactory(this.connectionFactory);
		template.setKeySerializer(RedisSerializer.string());
		template.setHashKeySerializer(RedisSerializer.string());
		template.afterPropertiesSet();
		template.opsForStream().add("events", Map.of("task", "resize"));
		StreamEntry entry = read();
		assertThat(entry.value("task")).startsWith(0xac, 0xed);
		assertThatExceptionOfType(MessageConversionException.class).isThrownBy(() -> convert(entry, Task.class))
			.withMessageContaining("'task'")
			.withMessageContaining("not UTF-8");
	}

	record Task(String task, int priority, boolean done) {

	}

	record Order(UUID id, int number, boolean paid, State state, Address address, List<String> tags,
			Map<String, BigDecimal> prices, Instant created, LocalDate due) {

	}

	record OrderOfAnotherService(int number, Address address) {

	}

	record Address(String city, int zip) {

	}

	enum State {

		OPEN, PAID

	}

}
