package io.github.redisstreams.listener.adapter;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.github.redisstreams.listener.Acknowledgment;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.support.StreamHeaders;
import io.github.redisstreams.test.Entries;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.core.MethodParameter;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.support.MethodArgumentNotValidException;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the arguments that a handler method of single entries can take.
 */
class HandlerArgumentsTests {

	private static final String ORDER_JSON = "{\"number\":7,\"item\":\"book\"}";

	private final Listener listener = new Listener();

	private final Handlers handlers = new Handlers(this.listener, null, new TenantResolver());

	private Object[] argumentsOf(String method, StreamEntry entry) throws Exception {
		this.handlers.call(method, entry);
		return this.listener.arguments;
	}

	@ParameterizedTest
	@ValueSource(strings = { "record", "annotatedRecord", "validRecord" })
	void aRecordIsReadFromThePayloadOrTheFields(String method) throws Exception {
		assertThat(argumentsOf(method, Entries.payload(ORDER_JSON))).containsExactly(new Order(7, "book"));
		assertThat(argumentsOf(method, Entries.entry("number", "7", "item", "book")))
			.containsExactly(new Order(7, "book"));
	}

	@Test
	void aBeanIsReadFromThePayloadOrTheFields() throws Exception {
		for (StreamEntry entry : List.of(Entries.payload(ORDER_JSON), Entries.entry("number", "7", "item", "book"))) {
			assertThat(argumentsOf("bean", entry)[0]).isInstanceOfSatisfying(OrderBean.class, (bean) -> {
				assertThat(bean.getNumber()).isEqualTo(7);
				assertThat(bean.getItem()).isEqualTo("book");
			});
		}
	}

	@Test
	void textIsThePayloadAsItIsOrTheFieldsAsJson() throws Exception {
		assertThat(argumentsOf("text", Entries.payload("not \"JSON\""))).containsExactly("not \"JSON\"");
		assertThat(argumentsOf("text", Entries.payload(""))).containsExactly("");
		assertThat(argumentsOf("text", Entries.entry("number", "7", "item", "book")))
			.containsExactly("{\"number\":\"7\",\"item\":\"book\"}");
	}

	@Test
	void bytesAreThePayloadAsItIsOrTheFieldsAsJson() throws Exception {
		assertThat(argumentsOf("bytes", Entries.binary("payload", Entries.NOT_UTF_8)))
			.containsExactly(Entries.NOT_UTF_8);
		assertThat(argumentsOf("bytes", Entries.entry("number", "7")))
			.containsExactly(Entries.bytes("{\"number\":\"7\"}"));
	}

	@Test
	void aMapOfTextHasTheFieldsAsTheyAreOrThePayload() throws Exception {
		assertThat(argumentsOf("textMap", Entries.entry("number", "7", "address.city", "Rome", "_class", "x.Y")))
			.containsExactly(Map.of("number", "7", "address.city", "Rome", "_class", "x.Y"));
		assertThat(argumentsOf("textMap", Entries.payload(ORDER_JSON)))
			.containsExactly(Map.of("number", "7", "item", "book"));
	}

	@Test
	void aMapOfObjectsHasTheFieldsAsTextOrThePayloadWithItsTypes() throws Exception {
		assertThat(argumentsOf("objectMap", Entries.entry("number", "7"))).containsExactly(Map.of("number", "7"));
		assertThat(
				argumentsOf("objectMap", Entries.payload("{\"number\":7,\"tags\":[\"a\"],\"to\":{\"city\":\"Rome\"}}")))
			.containsExactly(Map.of("number", 7, "tags", List.of("a"), "to", Map.of("city", "Rome")));
	}

	@Test
	void mapsListsAndGenericTypesKeepTheirElementTypes() throws Exception {
		assertThat(argumentsOf("nestedMap", Entries.payload("{\"a\":[" + ORDER_JSON + "]}")))
			.containsExactly(Map.of("a", List.of(new Order(7, "book"))));
		assertThat(argumentsOf("numberMap", Entries.entry("2026-01-31", "7", "2026-02-01", "8")))
			.containsExactly(Map.of(LocalDate.of(2026, 1, 31), 7, LocalDate.of(2026, 2, 1), 8));
		assertThat(argumentsOf("wrapped", Entries.payload("{\"kind\":\"new\",\"content\":" + ORDER_JSON + "}")))
			.containsExactly(new Wrapper<>("new", new Order(7, "book")));
		assertThat(argumentsOf("wrapped", Entries.entry("kind", "new", "content.number", "7", "content.item", "book")))
			.containsExactly(new Wrapper<>("new", new Order(7, "book")));
		assertThat(argumentsOf("array", Entries.payload("[" + ORDER_JSON + "]")))
			.containsExactly((Object) new Order[] { new Order(7, "book") });
		assertThat(argumentsOf("wildcards", Entries.payload("{\"7\":[1,2]}")))
			.containsExactly(Map.of(7, List.of(1, 2)));
	}

	@Test
	void aJsonTreeIsReadFromThePayloadOrTheFields() throws Exception {
		assertThat(argumentsOf("tree", Entries.payload(ORDER_JSON))[0]).hasToString(ORDER_JSON);
		assertThat(argumentsOf("tree", Entries.entry("to.city", "Rome"))[0])
			.hasToString("{\"to\":{\"city\":\"Rome\"}}");
	}

	@Test
	void simpleValuesAreReadFromThePayloadWithOrWithoutQuotes() throws Exception {
		UUID uuid = UUID.randomUUID();
		for (String quote : List.of("", "\"")) {
			assertThat(argumentsOf("constant", Entries.payload(quote + "PAID" + quote))).containsExactly(State.PAID);
			assertThat(argumentsOf("uuid", Entries.payload(quote + uuid + quote))).containsExactly(uuid);
			assertThat(argumentsOf("integer", Entries.payload(quote + "-7" + quote))).containsExactly(-7);
			assertThat(argumentsOf("boxed", Entries.payload(quote + "7" + quote))).containsExactly(7L);
			assertThat(argumentsOf("decimal", Entries.payload(quote + "1.50" + quote)))
				.containsExactly(new BigDecimal("1.50"));
			assertThat(argumentsOf("flag", Entries.payload(quote + "true" + quote))).containsExactly(true);
			assertThat(argumentsOf("instant", Entries.payload(quote + "2026-01-31T10:00:00Z" + quote)))
				.containsExactly(Instant.parse("2026-01-31T10:00:00Z"));
		}
	}

	@Test
	void theEntryItselfAndItsIdAreGiven() throws Exception {
		StreamEntry entry = Entries.entry("number", "7");
		assertThat(argumentsOf("entry", entry)).containsExactly(entry);
		assertThat(argumentsOf("id", entry)).containsExactly(RecordId.of("1700000000000-0"));
	}

	@Test
	void aMapRecordHasStreamIdAndAllFields() throws Exception {
		MapRecord<?, ?, ?> record = (MapRecord<?, ?, ?>) argumentsOf("mapRecord",
				Entries.payload(ORDER_JSON, "priority", "3"))[0];
		assertThat(record.getStream()).isEqualTo("events");
		assertThat(record.getId()).isEqualTo(RecordId.of("1700000000000-0"));
		assertThat(record.getValue()).isEqualTo(Map.of("payload", ORDER_JSON, "priority", "3"));
	}

	@Test
	void aMessageHasThePayloadAndTheOtherFieldsAsHeaders() throws Exception {
		Message<?> message = (Message<?>) argumentsOf("message", Entries.payload(ORDER_JSON, "priority", "3"))[0];
		assertThat(message.getPayload()).isEqualTo(new Order(7, "book"));
		assertThat(message.getHeaders()).containsEntry("priority", "3")
			.containsEntry(StreamHeaders.STREAM, "events")
			.containsEntry(StreamHeaders.GROUP, "workers")
			.containsEntry(StreamHeaders.CONSUMER, "one")
			.containsEntry(StreamHeaders.ID, RecordId.of("1700000000000-0"))
			.containsEntry(StreamHeaders.DELIVERY_COUNT, 1L)
			.doesNotContainKey("payload");
		assertThat(message.getHeaders().getTimestamp()).isEqualTo(1_700_000_000_000L);
	}

	@Test
	void headersAreConvertedAndMayHaveDefaultsAndPlaceholders() throws Exception {
		assertThat(argumentsOf("headers", Entries.payload("x", "priority", "3", "tenant", "acme"))).containsExactly("3",
				3, "acme", 3, null);
		assertThat(argumentsOf("headers", Entries.payload("x", "priority", "3", "note", "hi"))).containsExactly("3", 3,
				"nobody", 3, "hi");
		assertThat(argumentsOf("headerDefault", Entries.payload("x"))).containsExactly(5);
	}

	@Test
	void aMissingHeaderIsAnErrorThatNamesIt() {
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> this.handlers.call("headers", Entries.payload("x")))
			.withMessageContaining("'priority'");
	}

	@Test
	void fieldsCalledIdAndTimestampAreHeadersLikeAnyOther() throws Exception {
		assertThat(argumentsOf("idAndTimestamp", Entries.payload("x", "id", "order-7", "timestamp", "2026")))
			.containsExactly("order-7", "2026");
		Message<?> message = (Message<?>) argumentsOf("message",
				Entries.payload(ORDER_JSON, "id", "order-7", "timestamp", "2026"))[0];
		assertThat(message.getHeaders()).containsEntry("id", "order-7").containsEntry("timestamp", "2026");
		assertThat(message.getHeaders().getId()).isNull();
		assertThat(message.getHeaders().getTimestamp()).isNull();
	}

	@Test
	void allHeadersAreGivenAsAMap() throws Exception {
		for (String method : List.of("headersMap", "messageHeaders")) {
			assertThat(argumentsOf(method, Entries.entry("number", "7", "redis_stream", "forged"))[0])
				.asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
				.containsEntry("number", "7")
				.containsEntry("redis_stream", "events");
		}
	}

	@Test
	void ofARepeatedFieldTheLastValueCountsExceptForThePayload() throws Exception {
		assertThat(argumentsOf("headersMap", Entries.entry("n", "1", "n", "2"))[0])
			.asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
			.containsEntry("n", "2");
		assertThat(argumentsOf("textMap", Entries.entry("n", "1", "n", "2"))).containsExactly(Map.of("n", "2"));
		assertThat(argumentsOf("text", Entries.payload("first", "payload", "second"))).containsExactly("first");
	}

	@Test
	void aBinaryFieldIsAHeaderOfBytes() throws Exception {
		assertThat(argumentsOf("bytesHeader", Entries.binary("signature", Entries.NOT_UTF_8)))
			.containsExactly(Entries.NOT_UTF_8);
		assertThat(((Map<?, ?>) argumentsOf("headersMap", Entries.binary("signature", Entries.NOT_UTF_8))[0])
			.get("signature")).isEqualTo(Entries.NOT_UTF_8);
	}

	@Test
	void aBinaryFieldWhoseBytesHappenToBeTextIsAHeaderOfBytesToo() throws Exception {
		assertThat(argumentsOf("bytesHeader", Entries.binary("signature", Entries.bytes("ab,é"))))
			.containsExactly(Entries.bytes("ab,é"));
	}

	@Test
	void aBinaryFieldIsNeverTurnedIntoATextHeader() {
		assertThatExceptionOfType(ConversionFailedException.class)
			.isThrownBy(() -> this.handlers.call("textHeader", Entries.binary("signature", Entries.NOT_UTF_8)))
			.havingCause()
			.withMessageContaining("not UTF-8");
	}

	@Test
	void anAcknowledgmentAcknowledgesItsEntryOnce() throws Exception {
		Acknowledgment acknowledgment = (Acknowledgment) argumentsOf("acknowledgment", Entries.payload("x"))[0];
		assertThat(this.handlers.acknowledged()).isEmpty();
		acknowledgment.acknowledge();
		acknowledgment.acknowledge();
		assertThat(this.handlers.acknowledged()).containsExactly(Entries.entry("n", "1").id());
	}

	@Test
	void manyArgumentsCanBeTakenAtOnce() throws Exception {
		Object[] arguments = argumentsOf("many", Entries.payload(ORDER_JSON, "priority", "3"));
		assertThat(arguments[0]).isEqualTo(new Order(7, "book"));
		assertThat(arguments[1]).isEqualTo(3);
		assertThat(arguments[2]).isInstanceOf(Map.class);
		assertThat(((Message<?>) arguments[3]).getPayload()).isEqualTo(Map.of("number", 7, "item", "book"));
		assertThat(arguments[4]).isInstanceOf(MapRecord.class);
		assertThat(arguments[5]).isEqualTo(RecordId.of("1700000000000-0"));
		assertThat(arguments[6]).isInstanceOf(Acknowledgment.class);
		assertThat(arguments[7]).isInstanceOf(StreamEntry.class);
	}

	@Test
	void aMethodWithoutArgumentsIsCalledForEachEntry() throws Exception {
		assertThat(argumentsOf("nothing", Entries.payload("x"))).isEmpty();
		assertThat(this.listener.calls).isOne();
	}

	@Test
	void argumentsOfAnApplicationsOwnTypesAreResolvedByItsResolvers() throws Exception {
		assertThat(argumentsOf("ownType", Entries.payload(ORDER_JSON, "tenant", "acme")))
			.containsExactly(new Order(7, "book"), new Tenant("acme"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "validRecord", "validatedRecord" })
	void anInvalidPayloadIsAnErrorThatNamesTheViolation(String method) {
		assertThatExceptionOfType(MethodArgumentNotValidException.class)
			.isThrownBy(() -> this.handlers.call(method, Entries.payload("{\"number\":-1,\"item\":\"\"}")))
			.withMessageContaining("number")
			.withMessageContaining("item");
		assertThat(this.listener.calls).isZero();
	}

	@Test
	void aPayloadNotMarkedValidIsNotValidated() throws Exception {
		assertThat(argumentsOf("record", Entries.payload("{\"number\":-1}"))).containsExactly(new Order(-1, null));
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"number\":\"many\"}", "{", "", "null", "[1]", "not JSON" })
	void aPayloadThatIsNoSuchThingIsAConversionError(String payload) {
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> this.handlers.call("record", Entries.payload(payload)));
		assertThat(this.listener.calls).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "record", "text", "textMap", "mapRecord", "message", "tree" })
	void aFieldThatIsNotUtf8IsAConversionErrorThatNamesFieldAndEntryWhereTextIsWanted(String method) {
		assertThatExceptionOfType(MessageConversionException.class)
			.isThrownBy(() -> this.handlers.call(method, Entries.binary("blob", Entries.NOT_UTF_8)))
			.withMessageContaining("'blob'")
			.withMessageContaining("1700000000000-0")
			.withMessageContaining("not UTF-8");
	}

	record Order(@Positive int number, @Nullable @NotBlank String item) {

	}

	static class OrderBean {

		private int number;

		private String item = "";

		public int getNumber() {
			return this.number;
		}

		public void setNumber(int number) {
			this.number = number;
		}

		public String getItem() {
			return this.item;
		}

		public void setItem(String item) {
			this.item = item;
		}

	}

	record Wrapper<T>(String kind, T content) {

	}

	record Tenant(String name) {

	}

	enum State {

		OPEN, PAID

	}

	static final class TenantResolver implements HandlerMethodArgumentResolver {

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return parameter.getParameterType() == Tenant.class;
		}

		@Override
		public Object resolveArgument(MethodParameter parameter, Message<?> message) {
			return new Tenant(String.valueOf(message.getHeaders().get("tenant")));
		}

	}

	@SuppressWarnings("unused")
	static class Listener {

		private @Nullable Object[] arguments = {};

		private int calls;

		private void called(@Nullable Object... arguments) {
			this.arguments = arguments;
			this.calls++;
		}

		void record(Order order) {
			called(order);
		}

		void annotatedRecord(@Payload Order order) {
			called(order);
		}

		void validRecord(@Payload @Valid Order order) {
			called(order);
		}

		void validatedRecord(@Validated Order order) {
			called(order);
		}

		void bean(OrderBean bean) {
			called(bean);
		}

		void text(String payload) {
			called(payload);
		}

		void bytes(byte[] payload) {
			called((Object) payload);
		}

		void textMap(Map<String, String> payload) {
			called(payload);
		}

		void objectMap(Map<String, Object> payload) {
			called(payload);
		}

		void nestedMap(Map<String, List<Order>> payload) {
			called(payload);
		}

		void numberMap(Map<LocalDate, Integer> payload) {
			called(payload);
		}

		void wrapped(Wrapper<Order> payload) {
			called(payload);
		}

		void array(Order[] payload) {
			called((Object) payload);
		}

		void wildcards(Map<Integer, List<?>> payload) {
			called(payload);
		}

		void tree(JsonNode payload) {
			called(payload);
		}

		void constant(State payload) {
			called(payload);
		}

		void uuid(UUID payload) {
			called(payload);
		}

		void integer(int payload) {
			called(payload);
		}

		void boxed(Long payload) {
			called(payload);
		}

		void decimal(BigDecimal payload) {
			called(payload);
		}

		void flag(boolean payload) {
			called(payload);
		}

		void instant(Instant payload) {
			called(payload);
		}

		void entry(StreamEntry entry) {
			called(entry);
		}

		void id(RecordId id) {
			called(id);
		}

		void mapRecord(MapRecord<String, String, String> entry) {
			called(entry);
		}

		void message(Message<Order> message) {
			called(message);
		}

		void headers(@Header("priority") String text, @Header("priority") int number,
				@Header(name = "tenant", defaultValue = "nobody") String tenant,
				@Header("${app.header}") Integer placeholder,
				@Header(name = "note", required = false) @Nullable String note) {
			called(text, number, tenant, placeholder, note);
		}

		void headerDefault(@Header(name = "priority", defaultValue = "${app.priority}") int priority) {
			called(priority);
		}

		void idAndTimestamp(@Header("id") String id, @Header String timestamp) {
			called(id, timestamp);
		}

		void headersMap(@Headers Map<String, Object> headers) {
			called(headers);
		}

		void messageHeaders(MessageHeaders headers) {
			called(headers);
		}

		void bytesHeader(@Header("signature") byte[] signature) {
			called((Object) signature);
		}

		void textHeader(@Header("signature") String signature) {
			called(signature);
		}

		void acknowledgment(Acknowledgment acknowledgment) {
			called(acknowledgment);
		}

		void many(Order order, @Header("priority") int priority, @Headers Map<String, Object> headers,
				Message<Map<String, Object>> message, MapRecord<String, String, String> record, RecordId id,
				Acknowledgment acknowledgment, StreamEntry entry) {
			called(order, priority, headers, message, record, id, acknowledgment, entry);
		}

		void nothing() {
			called();
		}

		void ownType(Order order, Tenant tenant) {
			called(order, tenant);
		}

	}

}
