package io.github.redisstreams.publish;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.Promotion;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.redis.Trimming;
import io.github.redisstreams.support.StreamHeaders;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.Test;
import org.quicktheories.core.Gen;

import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.GenericMessage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.Generate.byteArrays;
import static org.quicktheories.generators.Generate.bytes;
import static org.quicktheories.generators.Generate.pick;
import static org.quicktheories.generators.Generate.range;
import static org.quicktheories.generators.SourceDSL.lists;
import static org.quicktheories.generators.SourceDSL.maps;
import static org.quicktheories.generators.SourceDSL.strings;

/**
 * That whatever {@link StreamTemplate} sends, now or later, is in the stream as it was:
 * any field names and bytes, in the order in which they were sent. A failure tells a
 * seed: {@code -DQT_SEED=...} repeats it.
 */
@RealRedis
class StreamTemplatePropertyTests extends TemplateFixture {

	private static final int EXAMPLES = 200;

	@Test
	void whatIsSentIsThere(RedisServer redis) {
		qt().withExamples(EXAMPLES).forAll(content()).checkAssert((content) -> {
			redis.command("FLUSHALL");
			RecordId id = this.template.send("events", content.payload(), content.headers());
			assertThat(entries()).singleElement().satisfies((entry) -> {
				assertThat(entry.id().toRecordId()).isEqualTo(id);
				assertIs(content, entry, content.size());
			});
		});
	}

	@Test
	void whatIsSentAsATaskIsThereWithTheTask(RedisServer redis) {
		qt().withExamples(EXAMPLES).forAll(content(), text()).checkAssert((content, key) -> {
			redis.command("FLUSHALL");
			Map<String, Object> headers = new LinkedHashMap<>(content.headers());
			headers.put(StreamHeaders.TASK_KEY, "k" + key);
			this.template.send("events", content.payload(), headers);
			assertThat(entries()).singleElement().satisfies((entry) -> {
				assertIs(content, entry, content.size() + 1);
				assertThat(entry.value(StreamHeaders.TASK)).isEqualTo(("k" + key).getBytes(StandardCharsets.UTF_8));
			});
			assertThat(this.commands.tasks().find("events", "k" + key)).isPresent();
		});
	}

	@Test
	void whatIsSentTogetherIsThereInItsOrder(RedisServer redis) {
		qt().withExamples(EXAMPLES)
			.forAll(lists().of(contentOfMessages()).ofSizeBetween(1, 20))
			.checkAssert((contents) -> {
				redis.command("FLUSHALL");
				List<Message<byte[]>> messages = contents.stream().map(Content::message).toList();
				List<RecordId> ids = this.template.sendAll("events", messages);
				List<StreamEntry> entries = entries();
				assertThat(entries).extracting((entry) -> entry.id().toRecordId()).isEqualTo(ids);
				assertThat(entries).extracting(StreamEntry::id).isSorted();
				for (int i = 0; i < contents.size(); i++) {
					assertIs(contents.get(i), entries.get(i), contents.get(i).size());
				}
			});
	}

	@Test
	void whatIsSentLaterIsThereOnceItIsDue(RedisServer redis) {
		qt().withExamples(EXAMPLES).forAll(lists().of(content()).ofSizeBetween(1, 5)).checkAssert((contents) -> {
			redis.command("FLUSHALL");
			contents.forEach((content) -> {
				String id = this.template.sendAfter("events", content.payload(), content.headers(),
						Duration.ofHours(1));
				assertThat(this.template.reschedule("events", id, Instant.EPOCH)).isTrue();
			});
			assertThat(entries()).isEmpty();
			Promotion promotion = this.commands.publishing()
				.promote("events", Trimming.NONE)
				.toCompletableFuture()
				.join();
			assertThat(promotion.lateness()).hasSameSizeAs(contents);
			assertThat(promotion.next()).isNull();
			List<StreamEntry> entries = entries();
			assertThat(entries).hasSameSizeAs(contents);
			// Those due at the same time are moved in the order of their ids
			assertThat(sorted(entries.stream().map((entry) -> Arrays.toString(entry.value("payload"))).toList()))
				.isEqualTo(sorted(contents.stream().map((content) -> Arrays.toString(content.payload())).toList()));
			if (contents.size() == 1) {
				assertIs(contents.get(0), entries.get(0), contents.get(0).size());
			}
		});
	}

	private static List<String> sorted(List<String> texts) {
		return texts.stream().sorted(Comparator.naturalOrder()).toList();
	}

	private List<StreamEntry> entries() {
		return this.commands.range("events", EntryId.ZERO, new EntryId(Long.MAX_VALUE, 0), false, 100);
	}

	private static void assertIs(Content content, StreamEntry entry, int size) {
		Map<String, byte[]> read = new LinkedHashMap<>();
		entry.forEachField((name, value) -> read.put(new String(name, StandardCharsets.UTF_8), value));
		assertThat(read).hasSize(size);
		assertThat(read.get("payload")).isEqualTo(content.payload());
		content.kept().forEach((name, value) -> assertThat(read.get(name)).as(name).isEqualTo(value));
	}

	private static Gen<Content> content() {
		Gen<byte[]> binary = byteArrays(range(0, 24), bytes(Byte.MIN_VALUE, Byte.MAX_VALUE, (byte) 0));
		return binary.zip(maps().of(names(), binary).ofSizeBetween(0, 6), Content::new);
	}

	/** Spring keeps two names of headers for itself. */
	private static Gen<Content> contentOfMessages() {
		return content().map((content) -> {
			Map<String, byte[]> fields = new LinkedHashMap<>(content.fields());
			fields.keySet().removeAll(Set.of("id", "timestamp"));
			return new Content(content.payload(), fields);
		});
	}

	/** Any, and often one that means something. */
	private static Gen<String> names() {
		return text().mix(pick(List.of("", "payload", "redis_stream", "redis_task", "redis_", "id", "timestamp", "1 a",
				"*", "MAXLEN", "~", "NOMKSTREAM")), 30);
	}

	/** Any but half of a surrogate pair, which is no character. */
	private static Gen<String> text() {
		return strings().allPossible()
			.ofLengthBetween(0, 12)
			.map((text) -> new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
	}

	/**
	 * What to send.
	 */
	private record Content(byte[] payload, Map<String, byte[]> fields) {

		Map<String, Object> headers() {
			return new LinkedHashMap<>(this.fields);
		}

		Message<byte[]> message() {
			return new GenericMessage<>(this.payload, headers());
		}

		Map<String, byte[]> kept() {
			Map<String, byte[]> kept = new LinkedHashMap<>(this.fields);
			kept.keySet().removeIf((name) -> name.equals("payload") || name.startsWith("redis_"));
			return kept;
		}

		int size() {
			return kept().size() + 1;
		}

		@Override
		public String toString() {
			Map<String, String> described = new LinkedHashMap<>();
			this.fields.forEach((name, value) -> described.put(name, Arrays.toString(value)));
			return Arrays.toString(this.payload) + " " + described;
		}

	}

}
