package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class StreamEntryTests {

	private static final EntryId ID = EntryId.parse("5-1");

	private final StreamEntry entry = entry("a", "1", "b", "", "a", "2");

	@Test
	void findsTheFirstValueOfAName() {
		assertThat(this.entry.value("a")).asString().isEqualTo("1");
		assertThat(this.entry.value("b")).isEmpty();
		assertThat(this.entry.value("c")).isNull();
	}

	@Test
	void findsNamesThatAreNotAscii() {
		assertThat(entry("größe", "7").value("größe")).asString().isEqualTo("7");
	}

	@Test
	void passesRepeatedNamesInTheirOrder() {
		List<String> fields = new ArrayList<>();
		this.entry.forEachField((name, value) -> fields.add(text(name) + "=" + text(value)));
		assertThat(fields).containsExactly("a=1", "b=", "a=2");
	}

	@Test
	void keepsFieldsWhenTheDeliveryCountChanges() {
		StreamEntry again = this.entry.withDeliveryCount(7);
		assertThat(again.deliveryCount()).isEqualTo(7);
		assertThat(again.id()).isEqualTo(ID);
		assertThat(again.value("a")).asString().isEqualTo("1");
	}

	@Test
	void refusesANameWithoutAValue() {
		assertThatIllegalArgumentException().isThrownBy(() -> entry("a", "1", "b")).withMessageContaining("5-1");
	}

	@Test
	void tellsNothingOfItsContentInLogs() {
		assertThat(entry("secret-name", "secret-value")).asString()
			.contains("5-1", "1 fields", "delivery 1")
			.doesNotContain("secret");
	}

	private static StreamEntry entry(String... words) {
		byte[][] bytes = new byte[words.length][];
		for (int i = 0; i < words.length; i++) {
			bytes[i] = words[i].getBytes(StandardCharsets.UTF_8);
		}
		return new StreamEntry(ID, 1, bytes);
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
