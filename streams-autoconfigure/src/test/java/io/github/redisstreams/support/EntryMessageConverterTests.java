package io.github.redisstreams.support;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.test.Entries;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EntryMessageConverter}.
 */
class EntryMessageConverterTests {

	private static final List<String> initialized = new CopyOnWriteArrayList<>();

	private final EntryMessageConverter converter = new EntryMessageConverter(JsonMapper.shared());

	private @Nullable Object convert(StreamEntry entry, Class<?> type) {
		return this.converter.convert(entry, ResolvableType.forClass(type));
	}

	@Test
	void theFieldsOfAPythonClientAreARecord() {
		assertThat(
				convert(Entries.entry("task", "resize", "priority", "3", "urgent", "true", "ratio", "0.5"), Task.class))
			.isEqualTo(new Task("resize", 3, true, 0.5));
	}

	@Test
	void aPayloadBesideOtherFieldsIsTheContentAlone() {
		assertThat(convert(
				Entries.entry("task", "ignored", "payload",
						"{\"task\":\"resize\",\"priority\":3,\"urgent\":true,\"ratio\":0.5}", "priority", "9"),
				Task.class))
			.isEqualTo(new Task("resize", 3, true, 0.5));
	}

	@Test
	void fieldsThatTheTypeDoesNotHaveAreIgnored() {
		assertThat(convert(Entries.entry("task", "resize", "priority", "3", "ratio", "0.5", "urgent", "false",
				"traceparent", "00-1", "nested.field", "x"), Task.class))
			.isEqualTo(new Task("resize", 3, false, 0.5));
	}

	@Test
	void theApplicationsMapperReadsPayloadsAndFields() {
		EntryMessageConverter snakeCase = new EntryMessageConverter(JsonMapper.builder()
			.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
			.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
			.build());
		ResolvableType type = ResolvableType.forClass(Named.class);
		assertThat(snakeCase.convert(Entries.payload("{\"first_name\":\"Ann\"}"), type)).isEqualTo(new Named("Ann"));
		assertThat(snakeCase.convert(Entries.entry("first_name", "Ann", "_class", "x.Y"), type))
			.isEqualTo(new Named("Ann"));
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> snakeCase.convert(Entries.entry("first_name", "Ann", "age", "7"), type))
			.withMessageContaining("age");
	}

	@ParameterizedTest
	@ValueSource(strings = { "_class", "@class" })
	void aClassNamedInAnEntryIsNeverLoaded(String field) throws Exception {
		List<String> loaded = new CopyOnWriteArrayList<>();
		ClassLoader original = Thread.currentThread().getContextClassLoader();
		try (URLClassLoader watching = new URLClassLoader(new URL[0], original) {
			@Override
			protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
				loaded.add(name);
				return super.loadClass(name, resolve);
			}
		}) {
			Thread.currentThread().setContextClassLoader(watching);
			for (String className : List.of(Hostile.class.getName(), "com.example.DoesNotExist", "", "[[[")) {
				StreamEntry fields = Entries.entry("firstName", "Ann", field, className, "value." + field, className);
				assertThat(convert(fields, Named.class)).isEqualTo(new Named("Ann"));
				assertThat(convert(fields, Object.class)).isInstanceOf(Map.class);
				StreamEntry payload = Entries.payload("{\"" + field + "\":\"" + className + "\",\"firstName\":\"Ann\"}",
						field, className);
				assertThat(convert(payload, Named.class)).isEqualTo(new Named("Ann"));
				assertThat(convert(payload, Object.class)).isInstanceOf(Map.class);
			}
		}
		finally {
			Thread.currentThread().setContextClassLoader(original);
		}
		assertThat(initialized).isEmpty();
		assertThat(loaded).doesNotContain(Hostile.class.getName(), "com.example.DoesNotExist");
	}

	@Test
	void subtypesThatTheTypeItselfNamesAreChosenByTheirName() {
		assertThat(convert(Entries.entry("type", "circle", "radius", "3"), Shape.class)).isEqualTo(new Circle(3));
		assertThat(convert(Entries.payload("{\"type\":\"square\",\"side\":2}"), Shape.class)).isEqualTo(new Square(2));
	}

	@Test
	void numbersDatesAndFlagsThatAreNoneAreConversionErrorsThatNameEntryAndField() {
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> convert(Entries.entry("task", "resize", "priority", "high"), Task.class))
			.withMessageContaining("fields of entry 1700000000000-0")
			.withMessageContaining("Task")
			.withMessageContaining("high");
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> convert(Entries.entry("urgent", "2"), Task.class));
	}

	@Test
	void aSimpleTypeIsNotMadeOfFields() {
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> convert(Entries.entry("n", "7"), Integer.class))
			.withMessageContaining("fields of entry");
	}

	@ParameterizedTest
	@ValueSource(classes = { Object.class, Map.class, List.class, Task.class, Named.class })
	void jsonOfAbsurdDepthIsAConversionError(Class<?> type) {
		for (String json : List.of("[".repeat(100_000), "{\"firstName\":".repeat(100_000))) {
			assertThatExceptionOfType(MessageConversionException.class)
				.isThrownBy(() -> convert(Entries.payload(json), type));
		}
	}

	@Test
	void fieldNamesOfAbsurdDepthDoNoHarm() {
		StreamEntry entry = Entries.entry("a.".repeat(100_000) + "a", "1", "firstName", "Ann", "b[0]".repeat(100_000),
				"2");
		assertThat(convert(entry, Named.class)).isEqualTo(new Named("Ann"));
	}

	@Test
	void deepJsonIsTextAndBytesAsItIs() {
		String json = "[".repeat(100_000);
		assertThat(convert(Entries.payload(json), String.class)).isEqualTo(json);
		assertThat(convert(Entries.payload(json), byte[].class)).isEqualTo(Entries.bytes(json));
	}

	@Test
	void anEmptyPayloadIsEmptyTextOrAConversionError() {
		assertThat(convert(Entries.payload(""), String.class)).isEqualTo("");
		assertThat((byte[]) convert(Entries.payload(""), byte[].class)).isEmpty();
		for (Class<?> type : List.of(Task.class, Map.class, int.class)) {
			assertThatExceptionOfType(MessageConversionException.class)
				.isThrownBy(() -> convert(Entries.payload(""), type));
		}
	}

	@Test
	void aFieldWithAnEmptyNameIsKept() {
		assertThat(convert(Entries.entry("", "x", "n", "1"), Map.class)).isEqualTo(Map.of("", "x", "n", "1"));
		assertThat(convert(Entries.entry("", "x", "firstName", "Ann"), Named.class)).isEqualTo(new Named("Ann"));
	}

	@Test
	void aPayloadThatIsNotUtf8IsAConversionErrorWhereTextIsWanted() {
		StreamEntry entry = Entries.binary("payload", Entries.NOT_UTF_8);
		for (Class<?> type : List.of(String.class, Task.class, Map.class, int.class)) {
			assertThatExceptionOfType(MessageConversionException.class).isThrownBy(() -> convert(entry, type))
				.withMessageContaining("1700000000000-0");
		}
		assertThat(convert(entry, byte[].class)).isEqualTo(Entries.NOT_UTF_8);
	}

	@Test
	void aFieldNameThatIsNotUtf8IsAConversionErrorAndNoHeader() {
		StreamEntry entry = new StreamEntry(Entries.entry("n", "1").id(), 1, Entries.NOT_UTF_8, Entries.bytes("x"),
				Entries.bytes("n"), Entries.bytes("1"));
		assertThatExceptionOfType(MessageConversionException.class).isThrownBy(() -> convert(entry, Map.class))
			.withMessageContaining("not UTF-8");
		assertThat(this.converter.toMessage(entry, Map::of).getHeaders()).containsOnlyKeys("n", "timestamp");
	}

	@Test
	void writesTextAndBytesAsTheyAreAndTheRestAsJsonWithoutClassNames() {
		assertThat(written("text", Map.of())).containsExactly("payload", "text");
		assertThat(this.converter.toFields(Entries.NOT_UTF_8, Map.of())).containsExactly(Entries.bytes("payload"),
				Entries.NOT_UTF_8);
		assertThat(written(new Circle(3), Map.of())).containsExactly("payload", "{\"type\":\"circle\",\"radius\":3}");
		assertThat(written(new Named("Ann"), Map.of())).containsExactly("payload", "{\"firstName\":\"Ann\"}");
		assertThat(written(List.of(1, 2), Map.of())).containsExactly("payload", "[1,2]");
		assertThat(written(7, Map.of())).containsExactly("payload", "7");
	}

	@Test
	void writesHeadersAsFieldsOfText() {
		assertThat(written("x", Map.of("priority", 3))).containsExactly("payload", "x", "priority", "3");
		assertThat(this.converter.toFields("x", Map.of("signature", Entries.NOT_UTF_8)).get(3))
			.isEqualTo(Entries.NOT_UTF_8);
	}

	@Test
	void writesNoHeaderThatSaysWhereAnEntryCameFromNorASecondPayload() {
		assertThat(
				written("x", Map.of(StreamHeaders.STREAM, "events", StreamHeaders.DELIVERY_COUNT, 2L, "payload", "y")))
			.containsExactly("payload", "x");
	}

	@Test
	void writesNoIdAndTimestampThatSpringGaveTheMessage() {
		Message<String> message = MessageBuilder.withPayload("x").setHeader("priority", 3).build();
		assertThat(message.getHeaders()).containsKeys(MessageHeaders.ID, MessageHeaders.TIMESTAMP);
		assertThat(written("x", message.getHeaders())).containsExactly("payload", "x", "priority", "3");
	}

	@Test
	void writesIdAndTimestampThatTheWriterGave() {
		assertThat(written("x", Map.of("id", "order-7"))).containsExactly("payload", "x", "id", "order-7");
		assertThat(written("x", Map.of("timestamp", 7L))).containsExactly("payload", "x", "timestamp", "7");
	}

	@Test
	void writesIdAndTimestampFieldsOfAReceivedMessageOn() {
		Message<StreamEntry> received = this.converter.toMessage(Entries.payload("x", "id", "order-7"), Map::of);
		assertThat(written("x", received.getHeaders())).containsExactly("payload", "x", "id", "order-7");
	}

	@Test
	void aPayloadThatCannotBeWrittenIsAConversionErrorThatNamesItsClass() {
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> this.converter.toFields(new Unwritable(), Map.of()))
			.withMessageContaining(Unwritable.class.getName());
	}

	private List<String> written(Object payload, Map<String, ?> headers) {
		List<String> text = new ArrayList<>();
		this.converter.toFields(payload, headers)
			.forEach((bytes) -> text.add(new String(bytes, StandardCharsets.UTF_8)));
		return text;
	}

	record Task(String task, int priority, boolean urgent, double ratio) {

	}

	record Named(String firstName) {

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
	@JsonSubTypes({ @JsonSubTypes.Type(value = Circle.class, name = "circle"),
			@JsonSubTypes.Type(value = Square.class, name = "square") })
	interface Shape {

	}

	record Circle(int radius) implements Shape {

	}

	record Square(int side) implements Shape {

	}

	static class Unwritable {

		public String getValue() {
			throw new IllegalStateException("cannot tell");
		}

	}

	/**
	 * Notes when it is initialized.
	 */
	static class Hostile {

		static {
			initialized.add(Hostile.class.getName());
		}

		public void setFirstName(String firstName) {
		}

	}

}
