package io.github.redisstreams.support;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.quicktheories.core.Gen;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ResolvableType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.Generate.byteArrays;
import static org.quicktheories.generators.Generate.bytes;
import static org.quicktheories.generators.Generate.pick;
import static org.quicktheories.generators.Generate.range;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;
import static org.quicktheories.generators.SourceDSL.maps;
import static org.quicktheories.generators.SourceDSL.strings;

/**
 * That whatever is written as an entry is read from it again. A failure tells a seed:
 * {@code -DQT_SEED=...} repeats it.
 */
class EntryMessageConverterPropertyTests {

	private final EntryMessageConverter converter = new EntryMessageConverter(JsonMapper.shared());

	@Test
	void textComesBackAsItWasWritten() {
		qt().forAll(text(), maps().of(names(), text()).ofSizeBetween(0, 6)).checkAssert((payload, headers) -> {
			StreamEntry entry = written(payload, headers);
			assertThat(convert(entry, String.class)).isEqualTo(payload);
			Map<String, String> fields = kept(headers);
			assertThat(this.converter.toMessage(entry, Map::of).getHeaders()).containsAllEntriesOf(fields);
			fields.put("payload", payload);
			assertThat(this.converter.fields(entry)).isEqualTo(fields);
		});
	}

	@Test
	void bytesComeBackAsTheyWereWritten() {
		Gen<Map<String, byte[]>> headersOfBytes = maps().of(names(), binary())
			.ofSizeBetween(0, 6)
			.describedAs(EntryMessageConverterPropertyTests::describe);
		qt().forAll(binary(), headersOfBytes).checkAssert((payload, headers) -> {
			StreamEntry entry = written(payload, headers);
			assertThat(convert(entry, byte[].class)).isEqualTo(payload);
			Map<String, byte[]> fields = kept(headers);
			Map<String, Object> received = this.converter.toMessage(entry, Map::of).getHeaders();
			fields.forEach((name, value) -> assertThat(bytesOf(received.get(name))).as(name).isEqualTo(value));
			fields.put("payload", payload);
			Map<String, byte[]> read = new LinkedHashMap<>();
			entry.forEachField((name, value) -> read.put(new String(name, StandardCharsets.UTF_8), value));
			assertThat(read).containsOnlyKeys(fields.keySet());
			read.forEach((name, value) -> assertThat(value).as(name).isEqualTo(fields.get(name)));
		});
	}

	@Test
	void objectsComeBackAsTheyWereWritten() {
		qt().forAll(text(), integers().all(), lists().of(text()).ofSizeBetween(0, 4),
				maps().of(names(), text()).ofSizeBetween(0, 4))
			.checkAssert((name, quantity, tags, headers) -> {
				Item item = new Item(name, quantity, tags, headers);
				assertThat(convert(written(item, headers), Item.class)).isEqualTo(item);
			});
	}

	private StreamEntry written(Object payload, Map<String, ?> headers) {
		return new StreamEntry(new EntryId(1_700_000_000_000L, 0), 1,
				this.converter.toFields(payload, headers).toArray(byte[][]::new));
	}

	private @Nullable Object convert(StreamEntry entry, Class<?> type) {
		return this.converter.convert(entry, ResolvableType.forClass(type));
	}

	private static String describe(Map<String, byte[]> headers) {
		Map<String, String> described = new LinkedHashMap<>();
		headers.forEach((name, value) -> described.put(name, Arrays.toString(value)));
		return described.toString();
	}

	private static byte @Nullable [] bytesOf(@Nullable Object header) {
		return (header instanceof String text) ? text.getBytes(StandardCharsets.UTF_8) : (byte[]) header;
	}

	private static <T> Map<String, T> kept(Map<String, T> headers) {
		Map<String, T> kept = new LinkedHashMap<>(headers);
		kept.keySet().removeIf((name) -> name.equals("payload") || name.startsWith("redis_"));
		return kept;
	}

	/** Any, and often one that means something. */
	private static Gen<String> names() {
		return text().mix(pick(List.of("", "payload", "Payload", "redis_stream", "redis_", "redis", "id", "timestamp",
				"_class", "a.b", "tags.[0]")), 30);
	}

	/** Any but half of a surrogate pair, which is no character. */
	private static Gen<String> text() {
		return strings().allPossible()
			.ofLengthBetween(0, 12)
			.mix(strings().ascii().ofLengthBetween(0, 12), 30)
			.map((text) -> new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
	}

	private static Gen<byte[]> binary() {
		return byteArrays(range(0, 24), bytes(Byte.MIN_VALUE, Byte.MAX_VALUE, (byte) 0))
			.mix(text().map((text) -> text.getBytes(StandardCharsets.UTF_8)), 30)
			.describedAs(Arrays::toString);
	}

	record Item(String name, int quantity, List<String> tags, Map<String, String> attributes) {

	}

}
