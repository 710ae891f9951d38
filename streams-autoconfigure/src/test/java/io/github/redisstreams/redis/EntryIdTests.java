package io.github.redisstreams.redis;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class EntryIdTests {

	private static final String LARGEST = "18446744073709551615-18446744073709551615";

	@ParameterizedTest
	@ValueSource(strings = { "0-0", "1700000000000-0", "1700000000000-42", LARGEST })
	void writesWhatItParsed(String id) {
		assertThat(EntryId.parse(id)).hasToString(id);
	}

	@Test
	void parsesIdWithoutSequenceAsSequenceZero() {
		assertThat(EntryId.parse("1700000000000")).isEqualTo(new EntryId(1700000000000L, 0));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "-", "1-", "-1", "a-b", "1-2-3", "1-x", "$", ">", "1 -2", "18446744073709551616-0" })
	void refusesWhatIsNoId(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> EntryId.parse(text))
			.withMessageContaining("'" + text + "'");
	}

	@Test
	void ordersByTimeThenSequenceAsUnsignedNumbers() {
		List<EntryId> ordered = Stream
			.of("0-0", "0-1", "9-9", "10-0", "10-2", "10-10", "9223372036854775808-0", LARGEST)
			.map(EntryId::parse)
			.toList();
		assertThat(ordered.stream().sorted(java.util.Collections.reverseOrder()).sorted())
			.containsExactlyElementsOf(ordered);
		assertThat(EntryId.parse("1-1")).isEqualByComparingTo(EntryId.parse("1-1"));
	}

	@Test
	void tellsWhenTheEntryWasAdded() {
		assertThat(EntryId.parse("1700000000123-7").timestamp()).isEqualTo(Instant.parse("2023-11-14T22:13:20.123Z"));
	}

	@Test
	void becomesTheRecordIdOfSpringDataRedis() {
		assertThat(EntryId.parse("1700000000123-7").toRecordId().getValue()).isEqualTo("1700000000123-7");
	}

	@Test
	void zeroIsBeforeEveryEntry() {
		assertThat(EntryId.ZERO).isEqualTo(EntryId.parse("0-0")).isLessThan(EntryId.parse("0-1"));
	}

	@ParameterizedTest
	@CsvSource({ "1-1, 1-2", "0-0, 0-1", "1-18446744073709551615, 2-0",
			"1-9223372036854775807, 1-9223372036854775808" })
	void knowsItsNeighbours(String id, String next) {
		assertThat(EntryId.parse(id).next()).hasToString(next);
		assertThat(EntryId.parse(next).previous()).hasToString(id);
	}

	@Test
	void maximumIsAfterEveryOther() {
		assertThat(EntryId.MAX).hasToString(LARGEST);
		assertThat(EntryId.MAX.previous()).isLessThan(EntryId.MAX);
	}

}
