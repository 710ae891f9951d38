package io.github.redisstreams.autoconfigure.actuate;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.github.redisstreams.deadletter.DeadLetterEntry;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.test.Entries;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.data.redis.connection.stream.RecordId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

class DeadLetterDescriberTests {

	private final DeadLetterDescriber describer = new DeadLetterDescriber(List.of());

	private static DeadLetterEntry letter(@Nullable String stream, @Nullable String reason, @Nullable String message,
			byte[]... fields) {
		return new DeadLetterEntry(RecordId.of("5000-1"), new StreamEntry(new EntryId(4000, 2), 3, fields), stream, "g",
				"c", Instant.ofEpochMilli(4000), reason, "java.io.IOException", "java.net.ConnectException", message,
				"at some place", 1);
	}

	private static byte[] bytes(String text) {
		return Entries.bytes(text);
	}

	@Test
	void hidesFieldsAndMessages() {
		DeadLettersDescriptor.Letter described = this.describer
			.describe(letter("s", "failed at delivery 3 of 3", "no: 4711", bytes("payload"), bytes("4711")), false);
		assertThat(described).isEqualTo(new DeadLettersDescriptor.Letter("5000-1", Instant.ofEpochMilli(5000), "s",
				"4000-2", "g", "c", 3L, Instant.ofEpochMilli(4000), "failed at delivery 3 of 3", "java.io.IOException",
				"java.net.ConnectException", "******", 1, described.fields()));
		assertThat(described.fields()).containsExactly(entry("payload", "******"));
	}

	@Test
	void hidesAReasonThatIsTheMessage() {
		assertThat(this.describer.describe(letter("s", "no: 4711", "no: 4711"), false).reason()).isEqualTo("******");
		assertThat(this.describer.describe(letter("s", "no: 4711", "no: 4711"), true).reason()).isEqualTo("no: 4711");
	}

	@Test
	void hidesAReasonThatMayBeTheMessageOfACause() {
		assertThat(this.describer.describe(letter("s", "no: 4711", "outer"), false).reason()).isEqualTo("******");
	}

	@ParameterizedTest
	@ValueSource(strings = { "cannot succeed: com.example.Order$Invalid", "failed at delivery 3 of 5",
			"delivered 5 times before without being settled; max-deliveries is 5" })
	void showsWhatListenersThemselvesSay(String reason) {
		assertThat(this.describer.describe(letter("s", reason, "no: 4711"), false).reason()).isEqualTo(reason);
	}

	@Test
	void hidesNothingThatIsNotThere() {
		DeadLettersDescriptor.Letter described = this.describer.describe(letter("s", null, null), false);
		assertThat(described.message()).isNull();
		assertThat(described.reason()).isNull();
	}

	@Test
	void tellsNoOriginOfWhatSomethingElseHasAdded() {
		DeadLettersDescriptor.Letter described = this.describer.describe(letter(null, null, null), false);
		assertThat(described.entryId()).isNull();
		assertThat(described.deliveryCount()).isNull();
	}

	@Test
	void showsFieldsInTheirOrderAndOfSeveralWithOneNameTheFirst() {
		assertThat(this.describer
			.describe(letter("s", null, null, bytes("b"), bytes("1"), bytes("a"), bytes("2"), bytes("b"), bytes("3")),
					true)
			.fields()).containsExactly(entry("b", "1"), entry("a", "2"));
	}

	@Test
	void cutsWhatIsLong() {
		List<byte[]> fields = new ArrayList<>();
		for (int i = 0; i < 150; i++) {
			fields.add(bytes("name" + i));
			fields.add(bytes("x".repeat(1001)));
		}
		assertThat(this.describer.describe(letter("s", null, null, fields.toArray(byte[][]::new)), true).fields())
			.hasSize(100)
			.containsEntry("name0", "x".repeat(1000) + "...");
	}

	@Test
	void showsHowLongWhatIsNoText() {
		assertThat(this.describer
			.describe(letter("s", null, null, bytes("image"), Entries.NOT_UTF_8, Entries.NOT_UTF_8, bytes("x")), true)
			.fields()).containsEntry("image", Entries.NOT_UTF_8.length + " bytes")
			.containsEntry(Entries.NOT_UTF_8.length + " bytes", "x");
	}

	@Test
	void sanitizesTheWholeValueBeforeItIsCut() {
		DeadLetterDescriber sanitizing = new DeadLetterDescriber(
				List.of(SanitizingFunction.sanitizeValue().ifValueStringMatches(".*secret")));
		assertThat(sanitizing.describe(letter("s", null, null, bytes("a"), bytes("x".repeat(2000) + "secret")), true)
			.fields()).containsEntry("a", "******");
	}

}
