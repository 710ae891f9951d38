package io.github.redisstreams.listener.adapter;

import java.util.ArrayList;

import java.util.List;
import java.util.Map;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.listener.Acknowledgment;
import io.github.redisstreams.listener.EntriesFailedException;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.support.StreamHeaders;
import io.github.redisstreams.test.Entries;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Positive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.support.MethodArgumentNotValidException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for handler methods that take the entries of one read at once.
 */
class BatchHandlerTests {

	private final Listener listener = new Listener();

	private final Handlers handlers = new Handlers(this.listener, null);

	private static final StreamEntry FIRST = Entries.entry(1, "payload", "{\"number\":1}", "priority", "high");

	private static final StreamEntry BROKEN = Entries.entry(2, "payload", "{\"number\":");

	private static final StreamEntry THIRD = Entries.entry(3, "number", "3");

	private List<?> batchOf(String method, StreamEntry... entries) throws Exception {
		this.handlers.call(method, entries);
		return this.listener.batch;
	}

	@Test
	void aListParameterMakesItABatchHandler() {
		assertThat(this.handlers.adapt("records").isBatch()).isTrue();
		assertThat(this.handlers.adapt("payloadRecords").isBatch()).isTrue();
		assertThat(this.handlers.adapt("listHeader").isBatch()).isFalse();
	}

	@Test
	void elementsAreOfEveryKindThatSingleArgumentsAre() throws Exception {
		assertThat(batchOf("records", FIRST, THIRD)).isEqualTo(List.of(new Order(1), new Order(3)));
		assertThat(batchOf("payloadRecords", FIRST, THIRD)).isEqualTo(List.of(new Order(1), new Order(3)));
		assertThat(batchOf("texts", FIRST, THIRD)).isEqualTo(List.of("{\"number\":1}", "{\"number\":\"3\"}"));
		assertThat((byte[]) batchOf("bytes", FIRST).get(0)).isEqualTo(Entries.bytes("{\"number\":1}"));
		assertThat(batchOf("maps", FIRST, THIRD)).isEqualTo(List.of(Map.of("number", 1), Map.of("number", "3")));
		assertThat(batchOf("nested", Entries.payload("[{\"number\":1}]"))).isEqualTo(List.of(List.of(new Order(1))));
		assertThat(batchOf("numbers", Entries.payload("7"))).isEqualTo(List.of(7));
		assertThat(batchOf("entries", FIRST, THIRD)).isEqualTo(List.of(FIRST, THIRD));
		assertThat(batchOf("ids", FIRST, THIRD))
			.isEqualTo(List.of(RecordId.of("1700000000000-1"), RecordId.of("1700000000000-3")));
	}

	@Test
	void messagesHaveTheHeadersOfTheirEntries() throws Exception {
		Message<?> message = (Message<?>) batchOf("messages", FIRST, THIRD).get(0);
		assertThat(message.getPayload()).isEqualTo(new Order(1));
		assertThat(message.getHeaders()).containsEntry("priority", "high")
			.containsEntry(StreamHeaders.ID, RecordId.of("1700000000000-1"))
			.containsEntry(StreamHeaders.STREAM, "events");
	}

	@Test
	void mapRecordsHaveStreamIdAndFields() throws Exception {
		MapRecord<?, ?, ?> record = (MapRecord<?, ?, ?>) batchOf("mapRecords", FIRST, THIRD).get(1);
		assertThat(record.getStream()).isEqualTo("events");
		assertThat(record.getId()).isEqualTo(RecordId.of("1700000000000-3"));
		assertThat(record.getValue()).isEqualTo(Map.of("number", "3"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "records", "messages" })
	void anEntryThatCannotBeConvertedFailsAlone(String method) {
		assertThatExceptionOfType(EntriesFailedException.class)
			.isThrownBy(() -> this.handlers.call(method, FIRST, BROKEN, THIRD))
			.satisfies((ex) -> {
				assertThat(ex.getFailures()).containsOnlyKeys(BROKEN.id());
				assertThat(ex.getFailures().get(BROKEN.id())).isInstanceOf(MessageConversionException.class);
			});
		assertThat(this.listener.batch).hasSize(2);
		assertThat(this.listener.calls).isOne();
	}

	@Test
	void aBatchOfWhichNothingCanBeConvertedIsNotHandedOver() {
		assertThatExceptionOfType(EntriesFailedException.class)
			.isThrownBy(() -> this.handlers.call("records", BROKEN, Entries.entry(4, "payload", "null")))
			.satisfies((ex) -> assertThat(ex.getFailures()).containsOnlyKeys(BROKEN.id(),
					Entries.entry(4, "n", "1").id()));
		assertThat(this.listener.calls).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "validRecords", "validElements", "validMessages" })
	void anInvalidEntryFailsAlone(String method) {
		StreamEntry invalid = Entries.entry(2, "number", "-2");
		assertThatExceptionOfType(EntriesFailedException.class)
			.isThrownBy(() -> this.handlers.call(method, FIRST, invalid, THIRD))
			.satisfies((ex) -> {
				assertThat(ex.getFailures()).containsOnlyKeys(invalid.id());
				assertThat(ex.getFailures().get(invalid.id())).isInstanceOf(MethodArgumentNotValidException.class)
					.hasMessageContaining("number");
			});
		assertThat(this.listener.batch).hasSize(2);
	}

	@Test
	void aFailureOfTheHandlerIsThatOfAllEntries() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.handlers.call("failing", FIRST, THIRD));
	}

	@Test
	void aFailureOfTheHandlerAddsToThoseOfConversion() {
		assertThatExceptionOfType(EntriesFailedException.class)
			.isThrownBy(() -> this.handlers.call("failing", FIRST, BROKEN, THIRD))
			.satisfies((ex) -> {
				assertThat(ex.getFailures()).containsOnlyKeys(FIRST.id(), BROKEN.id(), THIRD.id());
				assertThat(ex.getFailures().get(FIRST.id())).isInstanceOf(IllegalStateException.class);
				assertThat(ex.getFailures().get(BROKEN.id())).isInstanceOf(MessageConversionException.class);
			});
	}

	@Test
	void aHandlerNamesTheEntriesThatFailed() {
		assertThatExceptionOfType(EntriesFailedException.class)
			.isThrownBy(() -> this.handlers.call("failingPartly", FIRST, BROKEN, THIRD))
			.satisfies((ex) -> assertThat(ex.getFailures()).containsOnlyKeys(BROKEN.id(), THIRD.id()));
	}

	@Test
	void oneAcknowledgmentStandsForAllEntriesThatWereHandedOver() {
		assertThatExceptionOfType(EntriesFailedException.class)
			.isThrownBy(() -> this.handlers.call("acknowledging", FIRST, BROKEN, THIRD));
		assertThat(this.handlers.acknowledged()).containsExactly(FIRST.id(), THIRD.id());
	}

	@ParameterizedTest
	@ValueSource(strings = { "withHeader", "withHeaders", "withMessage", "withId", "twoLists" })
	void aParameterThatNoBatchHasIsAnErrorThatNamesTheMethod(String method) {
		assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> this.handlers.adapt(method))
			.withMessageContaining("Listener." + method)
			.satisfies((ex) -> assertThat(ex.getAction()).contains("List<Message<T>>"));
	}

	record Order(@Positive int number) {

	}

	@SuppressWarnings("unused")
	static class Listener {

		private List<?> batch = List.of();

		private int calls;

		private void called(List<?> batch) {
			this.batch = new ArrayList<>(batch);
			this.calls++;
		}

		void records(List<Order> batch) {
			called(batch);
		}

		void payloadRecords(@Payload List<Order> batch) {
			called(batch);
		}

		void texts(List<String> batch) {
			called(batch);
		}

		void bytes(List<byte[]> batch) {
			called(batch);
		}

		void maps(List<Map<String, Object>> batch) {
			called(batch);
		}

		void nested(List<List<Order>> batch) {
			called(batch);
		}

		void numbers(List<Integer> batch) {
			called(batch);
		}

		void entries(List<StreamEntry> batch) {
			called(batch);
		}

		void ids(List<RecordId> batch) {
			called(batch);
		}

		void messages(List<Message<Order>> batch) {
			called(batch);
		}

		void mapRecords(List<MapRecord<String, String, String>> batch) {
			called(batch);
		}

		void listHeader(String payload, @Header("tags") List<String> tags) {
		}

		void validRecords(@Valid List<Order> batch) {
			called(batch);
		}

		void validElements(List<@Valid Order> batch) {
			called(batch);
		}

		void validMessages(@Valid List<Message<Order>> batch) {
			called(batch);
		}

		void failing(List<Order> batch) {
			throw new IllegalStateException("out of order");
		}

		void failingPartly(List<Message<Order>> batch) throws EntriesFailedException {
			Object last = batch.get(batch.size() - 1).getHeaders().get(StreamHeaders.ID);
			EntryId id = EntryId.parse(String.valueOf(last));
			throw new EntriesFailedException(Map.of(id, new IllegalStateException("this one")));
		}

		void acknowledging(Acknowledgment acknowledgment, List<Order> batch) {
			acknowledgment.acknowledge();
		}

		void withHeader(List<Order> batch, @Header("priority") String priority) {
		}

		void withHeaders(List<Order> batch, @Headers Map<String, Object> headers) {
		}

		void withMessage(List<Order> batch, Message<Order> message) {
		}

		void withId(List<Order> batch, RecordId id) {
		}

		void twoLists(List<Order> batch, List<String> texts) {
		}

	}

}
