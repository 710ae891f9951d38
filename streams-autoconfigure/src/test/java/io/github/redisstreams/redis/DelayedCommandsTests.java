package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.RealRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.InvalidDataAccessResourceUsageException;

import static io.github.redisstreams.redis.Publishing.fields;
import static io.github.redisstreams.redis.Publishing.get;
import static io.github.redisstreams.redis.Publishing.plain;
import static io.github.redisstreams.redis.Publishing.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Entries that are scheduled, and moved into their stream when they are due.
 */
@Tag("core")
@RealRedis
class DelayedCommandsTests extends PublishingFixture {

	private static final String DELAYED = "{s}:delayed";

	private static final Duration HOUR = Duration.ofHours(1);

	private static final int MOST_PROMOTED = 50;

	private void scheduleDue(String id, String... namesAndValues) {
		this.publishing.scheduleInAnHour(plain("s", namesAndValues), id);
		this.publishing.makeDue("s", id);
	}

	private List<byte[]> written() {
		List<byte[]> fields = new ArrayList<>();
		this.publishing.commands.range("s", EntryId.ZERO, EntryId.MAX, false, 10)
			.forEach((entry) -> entry.forEachField((name, value) -> fields.addAll(List.of(name, value))));
		return fields;
	}

	private List<String> values() {
		return this.redis.list("XRANGE", "s", "-", "+")
			.stream()
			.map((entry) -> (String) ((List<?>) ((List<?>) entry).get(1)).get(1))
			.toList();
	}

	static Stream<List<byte[]>> contents() {
		byte[] everyByte = new byte[256];
		for (int i = 0; i < everyByte.length; i++) {
			everyByte[i] = (byte) i;
		}
		Random random = new Random(7);
		List<byte[]> arbitrary = IntStream.range(0, 200).mapToObj((i) -> {
			byte[] bytes = new byte[random.nextInt(5)];
			random.nextBytes(bytes);
			return bytes;
		}).toList();
		return Stream.of(fields("n", "1"), fields("", "", "", "again"), fields("a b", "1", " ", "2", "1 a", " 3 "),
				fields("z", "1", "a", "2", "z", "3", "a", "2"), fields("\0", "\0\0", "a\0b", "\r\n"),
				List.of(Entries.NOT_UTF_8, everyByte, everyByte, Entries.NOT_UTF_8),
				IntStream.range(0, 30).boxed().flatMap((i) -> fields("f" + i, "v").stream()).toList(), arbitrary,
				fields("big", "x".repeat(3_000_000)), Collections.nCopies(2 * PublishScripts.MOST_FIELDS, everyByte));
	}

	@ParameterizedTest
	@MethodSource("contents")
	void writesFieldsAsTheyAreAndInTheirOrder(List<byte[]> content) {
		NewEntry entry = new NewEntry("s", content);
		this.publishing.scheduleInAnHour(entry, "a");
		this.publishing.makeDue("s", "a");
		this.publishing.promote("s");
		assertThat(written()).containsExactlyElementsOf(content);
		this.redis.command("DEL", "s");
		this.publishing.schedule(entry, "a", DueTime.after(Duration.ZERO));
		assertThat(written()).as("due at once").containsExactlyElementsOf(content);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a b", "größe", "a\0b", "{t}", "1", "inf" })
	void takesAnyId(String id) {
		scheduleDue(id, "n", "1");
		assertThat(this.publishing.promote("s").missing()).isEmpty();
		assertThat(values()).containsExactly("1");
		this.publishing.scheduleInAnHour(plain("s", "n", "2"), id);
		assertThat(this.publishing.cancel("s", id)).isTrue();
		assertThat(this.redis.list("KEYS", "*")).containsExactly("s");
	}

	@Test
	void waitsUntilAnEntryIsDue() {
		Added added = this.publishing.scheduleInAnHour(plain("s", "n", "1"), "a");
		assertThat(added.id()).isNull();
		assertThat(added.dueIn()).isEqualTo(HOUR);
		assertThat(this.publishing.commands.publishing().scheduled("s")).isEqualTo(1);
		Promotion promotion = this.publishing.promote("s");
		assertThat(promotion.lateness()).isEmpty();
		assertThat(promotion.next()).isBetween(HOUR.minusMinutes(1), HOUR);
		assertThat(this.redis.integer("EXISTS", "s")).isZero();
		this.publishing.makeDue("s", "a");
		promotion = this.publishing.promote("s");
		assertThat(promotion.lateness()).singleElement()
			.satisfies((late) -> assertThat(late).isGreaterThan(Duration.ofDays(365)));
		assertThat(promotion.next()).isNull();
		assertThat(values()).containsExactly("1");
		assertThat(this.redis.list("KEYS", "*")).containsExactly("s");
		assertThat(this.publishing.commands.publishing().scheduled("s")).isZero();
	}

	@Test
	void addsWhatIsDueAtOnce() {
		for (DueTime due : List.of(DueTime.at(Instant.EPOCH), DueTime.at(Instant.MIN), DueTime.after(Duration.ZERO),
				DueTime.after(Duration.ofDays(-1)))) {
			Added added = this.publishing.schedule(plain("s", "n", "1"), "a", due);
			assertThat(added.id()).isNotNull();
			assertThat(added.dueIn()).isNull();
		}
		assertThat(this.redis.length("s")).isEqualTo(4);
		assertThat(this.redis.list("KEYS", "*")).containsExactly("s");
	}

	@Test
	void waitsForAsLongAsTheServerCanCount() {
		Instant latest = Instant.ofEpochMilli(1L << 52);
		this.publishing.schedule(task("s", "at", HOUR), "at", DueTime.at(latest));
		assertThat(this.redis.text("ZSCORE", DELAYED, "at")).isEqualTo("4503599627370496");
		assertThat(this.publishing.find("s", "at").orElseThrow().scheduledFor()).isEqualTo(latest);
		Duration longest = Duration.ofMillis(1L << 52);
		assertThat(this.publishing.schedule(task("s", "after", HOUR), "after", DueTime.after(longest)).dueIn())
			.isEqualTo(longest);
		assertThat(this.publishing.promote("s").next()).isGreaterThan(Duration.ofDays(365));
	}

	@Test
	void refusesAnIdThatIsScheduled() {
		this.publishing.scheduleInAnHour(plain("s", "n", "1"), "a");
		assertThat(this.publishing.scheduleInAnHour(plain("s", "n", "2"), "a").refusedAs())
			.isEqualTo(TaskState.SCHEDULED);
		this.publishing.makeDue("s", "a");
		this.publishing.promote("s");
		assertThat(values()).containsExactly("1");
	}

	@Test
	void movesTheEarliestFirst() {
		List<Integer> order = new ArrayList<>(IntStream.range(0, 50).boxed().toList());
		Collections.shuffle(order, new Random(3));
		for (int n : order) {
			this.publishing.scheduleInAnHour(plain("s", "n", Integer.toString(n)), "id-" + n);
			this.publishing.reschedule("s", "id-" + n, DueTime.at(Instant.ofEpochSecond(1000 + n)));
		}
		this.publishing.promote("s");
		assertThat(values()).isEqualTo(IntStream.range(0, 50).mapToObj(Integer::toString).toList());
	}

	@Test
	void movesABoundedNumberAtOnce() {
		for (int i = 0; i < 2 * MOST_PROMOTED + 20; i++) {
			scheduleDue("id-" + i, "n", "1");
		}
		for (int moved : new int[] { MOST_PROMOTED, MOST_PROMOTED, 20, 0 }) {
			Promotion promotion = this.publishing.promote("s");
			assertThat(promotion.lateness()).hasSize(moved);
			assertThat(promotion.next()).isEqualTo((moved == MOST_PROMOTED) ? Duration.ZERO : null);
		}
	}

	@Test
	void movesABoundedNumberOfBytesAtOnce() {
		for (int i = 0; i < 10; i++) {
			scheduleDue("id-" + i, "n", "x".repeat(100_000));
		}
		assertThat(this.publishing.promote("s").lateness()).hasSize(3);
		assertThat(this.publishing.promote("s").lateness()).hasSize(3);
	}

	static List<List<String>> foreignKeys() {
		return List.of(List.of("DEL", "{s}:parked:lost"), List.of("HSET", "{s}:parked:lost", "n", "1"),
				List.of("HSET", "{s}:parked:lost", "1 n", "1", "n", "2"),
				List.of("HSET", "{s}:parked:lost", "nan n", "1"), List.of("HSET", "{s}:parked:lost", "inf n", "1"),
				List.of("HSET", "{s}:parked:lost", "1e999 n", "1", "0 n", "2"),
				List.of("HSET", "{s}:parked:lost", "-1 n", "1"), List.of("HSET", "{s}:parked:lost", "1n", "1"),
				List.of("HSET", "{s}:parked:lost", "1 a", "1", "2 b", "2", "4 c", "3", "9 d", "4"),
				List.of("HSET", "{s}:parked:lost", "1 a", "1", "1 b", "2"), List.of("SET", "{s}:parked:lost", "text"),
				List.of("RPUSH", "{s}:parked:lost", "text"));
	}

	@ParameterizedTest
	@MethodSource("foreignKeys")
	void tellsWhatItCannotMoveAndMovesTheOthers(List<String> command) {
		scheduleDue("first", "n", "1");
		this.redis.command("ZADD", DELAYED, "1500", "lost");
		this.redis.command(command.toArray(String[]::new));
		scheduleDue("last", "n", "2");
		this.publishing.reschedule("s", "last", DueTime.at(Instant.ofEpochSecond(2)));
		Promotion promotion = this.publishing.promote("s");
		assertThat(promotion.missing()).containsExactly("lost");
		assertThat(promotion.lateness()).hasSize(2);
		assertThat(values()).containsExactly("1", "2");
		assertThat(this.publishing.promote("s")).isEqualTo(new Promotion(List.of(), List.of(), null, 0));
	}

	@Test
	void writesNothingOfAnEntryOfThatIdWhoseScheduleWasLost() {
		this.publishing.scheduleInAnHour(plain("s", "n", "1", "old", "1"), "a");
		this.redis.command("DEL", DELAYED);
		scheduleDue("a", "other", "2");
		this.publishing.promote("s");
		assertThat(written()).containsExactlyElementsOf(fields("other", "2"));
	}

	@Test
	void saysWhereAnotherTypeOfKeyIsInTheWay() {
		this.redis.command("SET", DELAYED, "text");
		List<Runnable> calls = List.of(() -> this.publishing.promote("s"), () -> this.publishing.cancel("s", "a"),
				() -> this.publishing.reschedule("s", "a", DueTime.at(Instant.EPOCH)),
				() -> this.publishing.scheduleInAnHour(plain("s", "n", "1"), "a"),
				() -> this.publishing.commands.publishing().scheduled("s"));
		for (Runnable call : calls) {
			assertThatExceptionOfType(InvalidDataAccessResourceUsageException.class).isThrownBy(call::run)
				.withMessageContaining("WRONGTYPE")
				.withMessageContaining("'s'");
		}
		assertThat(this.redis.list("KEYS", "*")).containsExactly(DELAYED);
	}

	@Test
	void cancelsOnceAndOnlyWhatIsStillScheduled() {
		this.publishing.scheduleInAnHour(task("s", "a", HOUR), "a");
		assertThat(this.publishing.cancel("s", "other")).isFalse();
		assertThat(this.publishing.cancel("other", "a")).isFalse();
		assertThat(this.publishing.cancel("s", "a")).isTrue();
		assertThat(this.publishing.cancel("s", "a")).isFalse();
		assertThat(this.redis.list("KEYS", "*")).isEmpty();
		this.publishing.scheduleInAnHour(task("s", "a", HOUR), "a");
		this.publishing.makeDue("s", "a");
		this.publishing.promote("s");
		assertThat(this.publishing.cancel("s", "a")).isFalse();
		assertThat(this.publishing.state("s", "a")).isEqualTo(TaskState.QUEUED);
	}

	@Test
	void leavesTheRecordOfATaskThatIsNotTheOneToBeCancelled() {
		this.publishing.add(task("s", "a", HOUR));
		this.publishing.scheduleInAnHour(plain("s", "n", "1"), "a");
		assertThat(this.publishing.cancel("s", "a")).isTrue();
		assertThat(this.publishing.state("s", "a")).isEqualTo(TaskState.QUEUED);
	}

	@Test
	void reschedulesOnlyWhatIsStillScheduled() {
		assertThat(this.publishing.reschedule("s", "a", DueTime.at(Instant.EPOCH))).isFalse();
		this.publishing.scheduleInAnHour(task("s", "a", HOUR), "a");
		Instant time = Instant.parse("2100-01-01T00:00:00.123Z");
		assertThat(this.publishing.reschedule("s", "a", DueTime.at(time))).isTrue();
		assertThat(this.publishing.reschedule("s", "a", DueTime.at(time))).isTrue();
		assertThat(this.redis.text("ZSCORE", DELAYED, "a")).isEqualTo(Long.toString(time.toEpochMilli()));
		assertThat(this.publishing.find("s", "a").orElseThrow().scheduledFor()).isEqualTo(time);
		this.publishing.makeDue("s", "a");
		this.publishing.promote("s");
		assertThat(this.publishing.reschedule("s", "a", DueTime.at(time))).isFalse();
		assertThat(this.redis.length("s")).isEqualTo(1);
	}

	@Test
	void notesInTheRecordOfATaskThatItIsQueued() {
		this.publishing.scheduleInAnHour(task("s", "a", HOUR), "a");
		assertThat(this.publishing.find("s", "a").orElseThrow()).satisfies((task) -> {
			assertThat(task.state()).isEqualTo(TaskState.SCHEDULED);
			assertThat(task.entry()).isNull();
			assertThat(task.scheduledFor()).isAfter(Instant.EPOCH);
		});
		this.publishing.makeDue("s", "a");
		this.publishing.promote("s");
		assertThat(this.publishing.find("s", "a").orElseThrow()).satisfies((task) -> {
			assertThat(task.state()).isEqualTo(TaskState.QUEUED);
			assertThat(String.valueOf(task.entry()))
				.isEqualTo(((List<?>) this.redis.list("XRANGE", "s", "-", "+").get(0)).get(0));
			assertThat(task.queued()).isAfter(task.scheduledFor());
		});
	}

	@Test
	void beginsNoRecordOfATaskWhoseRecordIsGone() {
		this.publishing.scheduleInAnHour(task("s", "a", HOUR), "a");
		this.redis.command("DEL", "{s}:runs:a");
		this.publishing.makeDue("s", "a");
		assertThat(this.publishing.promote("s").lateness()).hasSize(1);
		assertThat(this.publishing.find("s", "a")).isEmpty();
	}

	@Test
	void trimsAsItMoves() {
		this.redis.addPipelined("s", 1000);
		this.publishing.commands.createGroup("s", "g", "0");
		scheduleDue("a", "n", "1");
		Promotion promotion = get(
				this.publishing.commands.publishing().promote("s", new Trimming(TrimMode.STRICT, 300, Duration.ZERO)));
		assertThat(promotion.undelivered()).isEqualTo(700);
		assertThat(this.redis.length("s")).isEqualTo(301);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1 })
	void writesNothingOfAnEntryThatIsTooLargeForAScript(int millis) {
		List<byte[]> huge = Collections.nCopies(2 * PublishScripts.MOST_FIELDS + 2,
				"x".getBytes(StandardCharsets.UTF_8));
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(
				() -> this.publishing.schedule(new NewEntry("s", huge), "a", DueTime.after(Duration.ofHours(millis))))
			.withMessageContaining("3801 fields for stream 's'");
		assertThat(this.redis.list("KEYS", "*")).isEmpty();
	}

	@Test
	void movesEachEntryOnceHoweverManyDoSo() throws Exception {
		int count = 4000;
		List<CompletionStage<Added>> scheduled = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			scheduled.add(this.publishing.commands.publishing()
				.schedule(plain("s", "n", Integer.toString(i)), "id-" + i, DueTime.after(HOUR), Durability.NONE));
		}
		scheduled.forEach(Publishing::get);
		String[] due = new String[2 * count + 2];
		Arrays.setAll(due, (i) -> (i == 0) ? "ZADD" : (i == 1) ? DELAYED : (i % 2 == 0) ? "1000" : "id-" + (i - 3) / 2);
		this.redis.command(due);
		ExecutorService promoters = Executors.newFixedThreadPool(4);
		try {
			List<Future<Integer>> moved = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				moved.add(promoters.submit(this::promoteUntilNothingIsDue));
			}
			int sum = 0;
			for (Future<Integer> some : moved) {
				sum += some.get();
			}
			assertThat(sum).isEqualTo(count);
		}
		finally {
			promoters.shutdownNow();
		}
		Set<String> values = new TreeSet<>(values());
		assertThat(values).hasSize(count);
		assertThat(this.redis.length("s")).isEqualTo(count);
		assertThat(this.redis.list("KEYS", "*")).containsExactly("s");
	}

	private int promoteUntilNothingIsDue() {
		int moved = 0;
		try (Publishing own = Publishing.to(this.redis)) {
			Promotion promotion;
			do {
				promotion = own.promote("s");
				moved += promotion.lateness().size();
			}
			while (promotion.next() != null);
		}
		return moved;
	}

}
