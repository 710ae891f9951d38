package io.github.redisstreams.support;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.test.Entries;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ResolvableType;
import org.springframework.data.redis.hash.JacksonHashMapper;
import org.springframework.data.redis.hash.ObjectHashMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Entries as the hash mappers of Spring Data Redis write them.
 */
class HashMappedEntriesTests {

	private final EntryMessageConverter converter = new EntryMessageConverter(JsonMapper.shared());

	private static final Order ORDER = order("U.S.$");

	// The keys of a map that it flattens cannot be told from paths
	private static final Order WITHOUT_DOTS = order("USD");

	private static Order order(String currency) {
		Map<String, BigDecimal> prices = new LinkedHashMap<>();
		prices.put("EUR", new BigDecimal("12.50"));
		prices.put(currency, new BigDecimal("13.75"));
		return new Order(UUID.fromString("0b3ee8ba-90b4-4ee9-a2a8-d9e9ae0c4a3f"), 7, 1L << 40, 0.25, true, false,
				State.PAID, new Address("Rome", 100), IntStream.range(0, 12).mapToObj((n) -> "tag " + n).toList(),
				List.of(new Line("book", 2), new Line("pen", 10)), prices, Map.of("home", new Address("Pisa", 200)),
				Instant.parse("2026-01-31T10:00:00.123Z"), LocalDate.of(2026, 1, 31),
				LocalDateTime.of(2026, 1, 31, 11, 30), Duration.ofMinutes(90), new Date(1_700_000_000_123L), "");
	}

	private @Nullable Object convert(StreamEntry entry, Class<?> type) {
		return this.converter.convert(entry, ResolvableType.forClass(type));
	}

	private static StreamEntry entryOfBytes(Map<byte[], byte[]> hash) {
		return new StreamEntry(new EntryId(1, 0), 1,
				hash.entrySet()
					.stream()
					.flatMap((field) -> Stream.of(field.getKey(), field.getValue()))
					.toArray(byte[][]::new));
	}

	private static StreamEntry entryOf(Map<String, ?> hash) {
		return Entries.entry(hash.entrySet()
			.stream()
			.filter((field) -> field.getValue() != null)
			.flatMap((field) -> Stream.of(field.getKey(), String.valueOf(field.getValue())))
			.toArray(String[]::new));
	}

	@Test
	void anEntryOfAnObjectHashMapperIsReadAsARecordWithAllItsParts() {
		StreamEntry entry = entryOfBytes(new ObjectHashMapper().toHash(ORDER));
		assertThat(convert(entry, Order.class)).isEqualTo(ORDER);
	}

	@Test
	void anEntryOfAnObjectHashMapperIsReadAsABean() {
		StreamEntry entry = entryOfBytes(new ObjectHashMapper().toHash(new OrderBean(7, true, State.OPEN)));
		assertThat(convert(entry, OrderBean.class)).isEqualTo(new OrderBean(7, true, State.OPEN));
	}

	@Test
	void anEntryOfAnObjectHashMapperIsReadAsTheFieldsThatItHas() {
		StreamEntry entry = entryOfBytes(new ObjectHashMapper().toHash(ORDER));
		assertThat(fields(entry)).containsEntry("_class", Order.class.getName())
			.containsEntry("address.city", "Rome")
			.containsEntry("tags.[11]", "tag 11")
			.containsEntry("paid", "1");
	}

	@Test
	void valuesWhoseClassAnObjectHashMapperNotesAreRead() {
		StreamEntry entry = entryOfBytes(
				new ObjectHashMapper().toHash(new Loose(Map.of("count", 1, "line", new Line("book", 2)))));
		assertThat(fields(entry)).containsKeys("values.[count]._class", "values.[line]._class");
		assertThat(convert(entry, Loose.class))
			.isEqualTo(new Loose(Map.of("count", "1", "line", Map.of("item", "book", "count", "2"))));
	}

	@Test
	void aFlatEntryOfAJacksonHashMapperIsReadAsARecordWithAllItsParts() {
		StreamEntry entry = entryOf(JacksonHashMapper.flattening().toHash(WITHOUT_DOTS));
		assertThat(fields(entry)).containsKeys("@class", "address.@class", "tags[11]", "lines[1].item");
		assertThat(convert(entry, Order.class)).isEqualTo(WITHOUT_DOTS);
	}

	@Test
	void anEntryOfABeanUtilsHashMapperIsReadAsABean() {
		StreamEntry entry = Entries.entry("class", "class com.example.OrderBean", "number", "7", "paid", "true",
				"state", "OPEN");
		assertThat(convert(entry, OrderBean.class)).isEqualTo(new OrderBean(7, true, State.OPEN));
	}

	private Map<String, String> fields(StreamEntry entry) {
		return this.converter.fields(entry);
	}

	record Order(UUID id, int number, long big, double ratio, boolean paid, Boolean shipped, State state,
			Address address, List<String> tags, List<Line> lines, Map<String, BigDecimal> prices,
			Map<String, Address> addresses, Instant created, LocalDate due, LocalDateTime seen, Duration patience,
			Date date, String empty) {

	}

	record Address(String city, int zip) {

	}

	record Line(String item, int count) {

	}

	enum State {

		OPEN, PAID

	}

	record Loose(Map<String, Object> values) {

	}

	static class OrderBean {

		private int number;

		private boolean paid;

		private State state = State.PAID;

		OrderBean() {
		}

		OrderBean(int number, boolean paid, State state) {
			this.number = number;
			this.paid = paid;
			this.state = state;
		}

		public int getNumber() {
			return this.number;
		}

		public void setNumber(int number) {
			this.number = number;
		}

		public boolean isPaid() {
			return this.paid;
		}

		public void setPaid(boolean paid) {
			this.paid = paid;
		}

		public State getState() {
			return this.state;
		}

		public void setState(State state) {
			this.state = state;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof OrderBean bean && toString().equals(bean.toString());
		}

		@Override
		public int hashCode() {
			return toString().hashCode();
		}

		@Override
		public String toString() {
			return this.number + " " + this.paid + " " + this.state;
		}

	}

}
