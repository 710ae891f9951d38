package io.github.redisstreams.deadletter;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.NewEntry;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.redis.StreamKeys;
import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisCluster;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.stream.RecordId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DeadLetters} on a real Redis.
 */
class DeadLettersTests {

	private static final String STREAM = "app:events";

	private static final String LETTERS = "{app:events}:dlq";

	private static String[] letter(int n, String... more) {
		return concat(new String[] { "payload", "order " + n }, headers("7-" + n), more);
	}

	private static String[] headers(String id) {
		return new String[] { DeadLetterHeaders.STREAM, STREAM, DeadLetterHeaders.ID, id, DeadLetterHeaders.GROUP,
				"billing", DeadLetterHeaders.CONSUMER, "host-1", DeadLetterHeaders.DELIVERY_COUNT, "5",
				DeadLetterHeaders.FIRST_SEEN, "1970-01-01T00:00:00.007Z", DeadLetterHeaders.REASON, "the last try",
				DeadLetterHeaders.EXCEPTION, "java.lang.IllegalStateException", DeadLetterHeaders.CAUSE,
				"java.io.IOException", DeadLetterHeaders.MESSAGE, "no stock", DeadLetterHeaders.STACK_TRACE, "at x" };
	}

	private static String[] concat(String[]... parts) {
		return Arrays.stream(parts).flatMap(Arrays::stream).toArray(String[]::new);
	}

	private static RecordId[] recordIds(List<String> ids) {
		return ids.stream().map(RecordId::of).toArray(RecordId[]::new);
	}

	private static List<String> orders(int from, int to) {
		return IntStream.range(from, to).mapToObj((n) -> "order " + n).toList();
	}

	private static DeadLetterStreams streams(String name) {
		String stream = name.equals("events") ? STREAM : name;
		return new DeadLetterStreams(stream, StreamKeys.deadLetters(stream));
	}

	abstract static class OnRedis {

		final LettuceFactories factories = new LettuceFactories();

		RedisServer redis;

		LettuceStreamCommands commands;

		DeadLetters deadLetters;

		@BeforeEach
		void open(RedisServer redis) {
			this.redis = redis;
			this.commands = new LettuceStreamCommands(this.factories.to(redis.port()));
			this.deadLetters = new RedisDeadLetters(this.commands, DeadLettersTests::streams);
		}

		@AfterEach
		void close() {
			this.commands.close();
			this.factories.close();
		}

		List<String> addLetters(int count) {
			return this.redis.addPipelined(LETTERS, count, DeadLettersTests::letter);
		}

		List<String> ids(String stream) {
			return this.redis.list("XRANGE", stream, "-", "+")
				.stream()
				.map((entry) -> (String) ((List<?>) entry).get(0))
				.toList();
		}

		List<List<?>> fields(String stream) {
			List<List<?>> fields = new ArrayList<>();
			this.redis.list("XRANGE", stream, "-", "+")
				.forEach((entry) -> fields.add((List<?>) ((List<?>) entry).get(1)));
			return fields;
		}

		List<String> payloads(String stream) {
			return fields(stream).stream().map((fields) -> (String) fields.get(1)).toList();
		}

	}

	@Nested
	@RealRedis
	class Looking extends OnRedis {

		@Test
		void findsNothingWhereThereIsNoStream() {
			assertThat(this.deadLetters.count("events")).isZero();
			assertThat(this.deadLetters.list("events", DeadLetterRange.all(), 10)).isEmpty();
			assertThat(this.deadLetters.listNewestFirst("events", DeadLetterRange.all(), 10)).isEmpty();
			assertThat(this.deadLetters.purge("events", DeadLetterRange.all(), 10)).isZero();
			assertThat(this.deadLetters.purge("events", List.of(RecordId.of("1-1")))).isZero();
			assertThat(this.deadLetters.redrive("events", Redrive.builder().build()))
				.isEqualTo(new RedriveResult(0, List.of(), 0, 0, false));
			assertThat(this.redis.list("KEYS", "*")).isEmpty();
		}

		@Test
		void tellsWhatIsKnownOfADeadLetter() {
			String id = this.redis.add(LETTERS, letter(3));
			assertThat(this.deadLetters.list("events", DeadLetterRange.all(), 10)).singleElement()
				.satisfies((letter) -> {
					assertThat(letter.id()).isEqualTo(RecordId.of(id));
					assertThat(letter.stream()).isEqualTo(STREAM);
					assertThat(letter.originalId()).isEqualTo(RecordId.of("7-3"));
					assertThat(letter.group()).isEqualTo("billing");
					assertThat(letter.consumer()).isEqualTo("host-1");
					assertThat(letter.deliveryCount()).isEqualTo(5);
					assertThat(letter.firstSeen()).isEqualTo(Instant.ofEpochMilli(7));
					assertThat(letter.reason()).isEqualTo("the last try");
					assertThat(letter.exception()).isEqualTo("java.lang.IllegalStateException");
					assertThat(letter.cause()).isEqualTo("java.io.IOException");
					assertThat(letter.message()).isEqualTo("no stock");
					assertThat(letter.stackTrace()).isEqualTo("at x");
					assertThat(letter.redrives()).isZero();
					assertThat(letter.text("payload")).isEqualTo("order 3");
					assertThat(letter.text("other")).isNull();
					assertThat(letter).hasToString("dead letter " + id
							+ " (entry 7-3 of 'app:events', group 'billing', 0 redrives): the last try");
				});
		}

		@Test
		void tellsTheFieldsOfAnEntryThatSomebodyElseAdded() {
			String id = this.redis.add(LETTERS, "a", "1");
			assertThat(this.deadLetters.list("events", DeadLetterRange.all(), 10)).singleElement()
				.satisfies((letter) -> {
					assertThat(letter.stream()).isNull();
					assertThat(letter.firstSeen()).isNull();
					assertThat(letter.originalId()).isEqualTo(RecordId.of(id));
					assertThat(letter.deliveryCount()).isZero();
					assertThat(letter.text("a")).isEqualTo("1");
				});
		}

		@Test
		void leavesOutOfTheEntryOnlyOurHeaders() {
			this.redis.add(LETTERS, concat(new String[] { "a", "1", "redis_deadLetterMine", "2", "a", "3" },
					headers("7-1"), new String[] { "late", "4" }));
			assertThat(fieldsOf(first())).containsExactly("a", "1", "redis_deadLetterMine", "2", "a", "3", "late", "4");
		}

		@Test
		void keepsTheHeadersOfADeadLetterThatFailedAgainAsSuch() {
			this.redis.add(LETTERS, concat(letter(1), new String[] { DeadLetterHeaders.REDRIVES, "2" }, headers("8-1"),
					new String[] { DeadLetterHeaders.GROUP, "audit" }));
			DeadLetterEntry letter = first();
			assertThat(fieldsOf(letter)).containsExactly(letter(1, DeadLetterHeaders.REDRIVES, "2"));
			assertThat(letter.originalId()).isEqualTo(RecordId.of("8-1"));
			assertThat(letter.group()).isEqualTo("audit");
			assertThat(letter.redrives()).isEqualTo(2);
		}

		private DeadLetterEntry first() {
			return this.deadLetters.list("events", DeadLetterRange.all(), 1).get(0);
		}

		private static List<String> fieldsOf(DeadLetterEntry letter) {
			List<String> fields = new ArrayList<>();
			letter.original()
				.forEachField((name, value) -> Stream.of(name, value).map(String::new).forEach(fields::add));
			return fields;
		}

		@Test
		void listsFromEitherEndUpToALimit() {
			List<String> ids = addLetters(250);
			assertThat(this.deadLetters.count("events")).isEqualTo(250);
			List<DeadLetterEntry> oldest = this.deadLetters.list("events", DeadLetterRange.all(), 205);
			assertThat(oldest).extracting((letter) -> letter.id().getValue())
				.containsExactlyElementsOf(ids.subList(0, 205));
			List<DeadLetterEntry> newest = this.deadLetters.listNewestFirst("events", DeadLetterRange.all(), 1000);
			assertThat(newest).hasSize(250);
			assertThat(newest.get(0).id().getValue()).isEqualTo(ids.get(249));
			assertThat(newest.get(249).id().getValue()).isEqualTo(ids.get(0));
			assertThatIllegalArgumentException()
				.isThrownBy(() -> this.deadLetters.list("events", DeadLetterRange.all(), 0));
		}

		@Test
		void listsARangeOfIdsOrTimes() {
			for (int time = 1; time <= 5; time++) {
				this.redis.command(concat(new String[] { "XADD", LETTERS, time + "000-0" }, letter(time)));
				this.redis.command(concat(new String[] { "XADD", LETTERS, time + "000-1" }, letter(time)));
			}
			assertThat(listed(DeadLetterRange.between(RecordId.of("2000-1"), RecordId.of("3000-0"))))
				.containsExactly("2000-1", "3000-0");
			assertThat(listed(DeadLetterRange.between(Instant.ofEpochSecond(2), Instant.ofEpochSecond(3))))
				.containsExactly("2000-0", "2000-1", "3000-0", "3000-1");
			assertThat(listed(DeadLetterRange.since(Instant.ofEpochMilli(4001)))).containsExactly("5000-0", "5000-1");
			assertThat(listed(DeadLetterRange.all().until(Instant.ofEpochMilli(1999)))).containsExactly("1000-0",
					"1000-1");
			assertThat(listed(DeadLetterRange.between(Instant.ofEpochSecond(3), Instant.ofEpochSecond(2)))).isEmpty();
		}

		private List<String> listed(DeadLetterRange range) {
			return this.deadLetters.list("events", range, 100)
				.stream()
				.map((letter) -> letter.id().getValue())
				.toList();
		}

	}

	@Nested
	@RealRedis
	class Redriving extends OnRedis {

		private RedriveResult redrive(Redrive.Builder request) {
			return this.deadLetters.redrive("events", request.build());
		}

		@Test
		void putsAllBackInOrderAndTellsWhere() {
			List<String> ids = addLetters(250);
			RedriveResult result = redrive(Redrive.builder());
			assertThat(result)
				.extracting(RedriveResult::redriven, RedriveResult::refused, RedriveResult::missing,
						RedriveResult::dryRun)
				.containsExactly(250L, 0L, 0L, false);
			assertThat(result.entries()).hasSize(250);
			assertThat(result.entries()).extracting((entry) -> entry.deadLetterId().getValue())
				.containsExactlyElementsOf(ids);
			assertThat(result.entries()).extracting((entry) -> String.valueOf(entry.id()))
				.containsExactlyElementsOf(ids(STREAM));
			assertThat(payloads(STREAM)).isEqualTo(orders(0, 250));
			assertThat(this.deadLetters.count("events")).isZero();
		}

		@Test
		void putsBackTheOriginalFieldsAndACountOfRedrives() {
			this.redis.add(LETTERS, concat(new String[] { "a", "1", "b", "", "a", "2" }, headers("7-1")));
			redrive(Redrive.builder());
			assertThat(fields(STREAM))
				.containsExactly(List.of("a", "1", "b", "", "a", "2", DeadLetterHeaders.REDRIVES, "1"));
		}

		@Test
		void putsBackBytesThatAreNoText() {
			byte[] everyByte = new byte[256];
			for (int i = 0; i < everyByte.length; i++) {
				everyByte[i] = (byte) i;
			}
			List<byte[]> words = new ArrayList<>(List.of(Entries.bytes("XADD"), Entries.bytes(LETTERS),
					Entries.bytes("*"), Entries.NOT_UTF_8, everyByte, new byte[0], Entries.NOT_UTF_8));
			Arrays.stream(headers("7-1")).map(Entries::bytes).forEach(words::add);
			this.redis.command(words.toArray(byte[][]::new));
			redrive(Redrive.builder());
			assertThat(rawFields(STREAM)).containsExactly(Entries.NOT_UTF_8, everyByte, new byte[0], Entries.NOT_UTF_8,
					Entries.bytes(DeadLetterHeaders.REDRIVES), Entries.bytes("1"));
		}

		private List<byte[]> rawFields(String stream) {
			List<byte[]> fields = new ArrayList<>();
			List<StreamEntry> entries = this.commands.range(stream, EntryId.ZERO, EntryId.MAX, false, 10);
			entries.forEach((entry) -> entry.forEachField((name, value) -> fields.addAll(List.of(name, value))));
			return fields;
		}

		@Test
		void putsBackAnEntryOfFiveThousandFields() {
			String[] fields = IntStream.range(0, 5000)
				.boxed()
				.flatMap((n) -> Stream.of("name" + n, "value" + n))
				.toArray(String[]::new);
			this.redis.add(LETTERS, concat(fields, headers("7-1")));
			assertThat(redrive(Redrive.builder()).redriven()).isEqualTo(1);
			assertThat(fields(STREAM))
				.containsExactly(List.of(concat(fields, new String[] { DeadLetterHeaders.REDRIVES, "1" })));
			assertThat(this.deadLetters.count("events")).isZero();
		}

		@Test
		void putsBackOnlyARangeOfTimesAndNoMoreThanTheMaximum() {
			for (int time = 1; time <= 9; time++) {
				this.redis.command(concat(new String[] { "XADD", LETTERS, time + "000-0" }, letter(time)));
			}
			RedriveResult result = redrive(Redrive.builder()
				.range(DeadLetterRange.between(Instant.ofEpochSecond(3), Instant.ofEpochSecond(7)))
				.maximum(4));
			assertThat(result.redriven()).isEqualTo(4);
			assertThat(payloads(STREAM)).isEqualTo(orders(3, 7));
			assertThat(ids(LETTERS)).containsExactly("1000-0", "2000-0", "7000-0", "8000-0", "9000-0");
		}

		@Test
		void putsBackSingleOnesInTheOrderGivenAndCountsThoseMissing() {
			List<String> ids = addLetters(5);
			RedriveResult result = redrive(Redrive.builder()
				.ids(RecordId.of(ids.get(3)), RecordId.of("1-1"), RecordId.of(ids.get(1)), RecordId.of(ids.get(3))));
			assertThat(result.redriven()).isEqualTo(2);
			assertThat(result.missing()).isEqualTo(1);
			assertThat(payloads(STREAM)).containsExactly("order 3", "order 1");
			assertThat(ids(LETTERS)).containsExactly(ids.get(0), ids.get(2), ids.get(4));
		}

		@Test
		void putsNothingBackForNoIds() {
			addLetters(5);
			assertThat(redrive(Redrive.builder().ids(List.of())).redriven()).isZero();
			assertThat(this.deadLetters.count("events")).isEqualTo(5);
		}

		@Test
		void changesNothingInADryRun() {
			addLetters(5);
			this.redis.add(LETTERS, letter(9, DeadLetterHeaders.REDRIVES, "3"));
			List<List<?>> before = fields(LETTERS);
			RedriveResult result = redrive(Redrive.builder().dryRun(true).maximum(10));
			assertThat(result).extracting(RedriveResult::redriven, RedriveResult::refused, RedriveResult::dryRun)
				.containsExactly(5L, 1L, true);
			assertThat(result.entries()).hasSize(5).allSatisfy((entry) -> {
				assertThat(entry.id()).isNull();
				assertThat(entry.stream()).isEqualTo(STREAM);
			});
			assertThat(fields(LETTERS)).isEqualTo(before);
			assertThat(this.redis.integer("EXISTS", STREAM)).isZero();
		}

		@Test
		void refusesWhatWasRedrivenTooOftenAndGoesPastIt() {
			this.redis.addPipelined(LETTERS, 150,
					(n) -> concat(new String[] { "payload", "order " + n, DeadLetterHeaders.REDRIVES, "3" },
							headers("7-" + n)));
			this.redis.add(LETTERS,
					concat(new String[] { "payload", "again", DeadLetterHeaders.REDRIVES, "2" }, headers("7-999")));
			RedriveResult result = redrive(Redrive.builder().maximum(1));
			assertThat(result.redriven()).isEqualTo(1);
			assertThat(result.refused()).isEqualTo(150);
			assertThat(fields(STREAM)).containsExactly(List.of("payload", "again", DeadLetterHeaders.REDRIVES, "3"));
			assertThat(this.deadLetters.count("events")).isEqualTo(150);
			assertThat(redrive(Redrive.builder().maximum(1).maxRedrives(4)).redriven()).isEqualTo(1);
		}

		@Test
		void endsThoughEverythingFailsAgainAtOnce() throws Exception {
			addLetters(20);
			ExecutorService handler = Executors.newSingleThreadExecutor();
			try {
				Future<?> failing = handler.submit(() -> {
					while (!Thread.currentThread().isInterrupted()) {
						for (String id : ids(STREAM)) {
							this.redis.command("EVAL", """
									local fields = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1][2]
									for i = 2, #ARGV do fields[#fields + 1] = ARGV[i] end
									redis.call('XADD', KEYS[2], '*', unpack(fields))
									redis.call('XDEL', KEYS[1], ARGV[1])""", "2", STREAM, LETTERS, id,
									DeadLetterHeaders.STREAM, STREAM, DeadLetterHeaders.ID, id);
						}
					}
				});
				assertThat(redrive(Redrive.builder().rate(200)).redriven()).isEqualTo(20);
				await().until(() -> ids(STREAM).isEmpty());
				assertThat(redrive(Redrive.builder()).redriven()).isEqualTo(20);
				await().until(() -> ids(STREAM).isEmpty());
				assertThat(redrive(Redrive.builder()).redriven()).isEqualTo(20);
				await().until(() -> ids(STREAM).isEmpty());
				assertThat(redrive(Redrive.builder()).refused()).isEqualTo(20);
				failing.cancel(true);
			}
			finally {
				handler.shutdownNow();
				handler.awaitTermination(5, TimeUnit.SECONDS);
			}
		}

		@Test
		void putsBackNoMoreASecondThanItMay() {
			addLetters(11);
			long start = System.nanoTime();
			assertThat(redrive(Redrive.builder().rate(20)).redriven()).isEqualTo(11);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(490),
					Duration.ofSeconds(5));
		}

		@Test
		void endsBetweenTwoEntriesWhenInterrupted() throws Exception {
			addLetters(3);
			ExecutorService caller = Executors.newSingleThreadExecutor();
			try {
				Future<Boolean> interrupted = caller.submit(() -> {
					RedriveResult result = redrive(Redrive.builder().rate(0.01));
					assertThat(result.redriven()).isEqualTo(1);
					return Thread.currentThread().isInterrupted();
				});
				await().until(() -> ids(STREAM).size() == 1);
				caller.shutdownNow();
				assertThat(interrupted.get(5, TimeUnit.SECONDS)).isTrue();
				assertThat(this.deadLetters.count("events")).isEqualTo(2);
			}
			finally {
				caller.shutdownNow();
			}
		}

		@Test
		void movesEachOnceThoughTwoDoItAtTheSameTime() throws Exception {
			List<String> ids = addLetters(400);
			int threads = 4;
			ExecutorService callers = Executors.newFixedThreadPool(threads);
			try {
				CyclicBarrier together = new CyclicBarrier(threads);
				List<Future<RedriveResult>> results = new ArrayList<>();
				for (int i = 0; i < threads; i++) {
					Redrive request = (i % 2 == 0) ? Redrive.builder().build()
							: Redrive.builder().ids(recordIds(ids)).build();
					results.add(callers.submit(() -> {
						together.await();
						return this.deadLetters.redrive("events", request);
					}));
				}
				Set<RecordId> moved = new HashSet<>();
				long redriven = 0;
				for (Future<RedriveResult> result : results) {
					redriven += result.get(30, TimeUnit.SECONDS).redriven();
					result.get().entries().forEach((entry) -> moved.add(entry.deadLetterId()));
				}
				assertThat(redriven).isEqualTo(400);
				assertThat(moved).hasSize(400);
				assertThat(payloads(STREAM)).containsExactlyInAnyOrderElementsOf(orders(0, 400));
				assertThat(ids(LETTERS)).isEmpty();
			}
			finally {
				callers.shutdownNow();
			}
		}

		@Test
		void putsBackIntoTheStreamThatTheEntryWasIn() {
			this.redis.add(LETTERS, concat(new String[] { "a", "1" },
					new String[] { DeadLetterHeaders.STREAM, "elsewhere", DeadLetterHeaders.ID, "7-1" }));
			this.redis.add(LETTERS, "by", "hand");
			RedriveResult result = redrive(Redrive.builder());
			assertThat(result.entries()).extracting(RedriveResult.Entry::stream).containsExactly("elsewhere", STREAM);
			assertThat(fields("elsewhere")).containsExactly(List.of("a", "1", DeadLetterHeaders.REDRIVES, "1"));
			assertThat(fields(STREAM)).containsExactly(List.of("by", "hand", DeadLetterHeaders.REDRIVES, "1"));
		}

		@Test
		void neverTrimsTheStream() {
			this.redis.addPipelined(STREAM, 1000);
			addLetters(5);
			redrive(Redrive.builder());
			assertThat(this.redis.integer("XLEN", STREAM)).isEqualTo(1005);
		}

		@Test
		void stopsAtTheFirstThatIsRefusedAndLeavesTheRest() {
			this.redis.command("SET", "text", "is no stream");
			this.redis.add(LETTERS, letter(0));
			this.redis.add(LETTERS, "a", "1", DeadLetterHeaders.STREAM, "text");
			this.redis.add(LETTERS, letter(2));
			assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> redrive(Redrive.builder()))
				.withMessageContaining("WRONGTYPE");
			assertThat(payloads(STREAM)).isEqualTo(orders(0, 1));
			assertThat(ids(LETTERS)).hasSize(2);
		}

		@Test
		void refusesRequestsThatMakeNoSense() {
			assertThatIllegalArgumentException().isThrownBy(() -> Redrive.builder().maximum(0).build())
				.withMessageContaining("maximum");
			assertThatIllegalArgumentException().isThrownBy(() -> Redrive.builder().rate(0).build())
				.withMessageContaining("rate");
			assertThatIllegalArgumentException().isThrownBy(() -> Redrive.builder().maxRedrives(0).build())
				.withMessageContaining("maxRedrives");
			assertThatIllegalArgumentException().isThrownBy(() -> Redrive.builder().ids(RecordId.of("1-*")).build())
				.withMessageContaining("1-*");
		}

	}

	@Nested
	@RealRedis
	class Purging extends OnRedis {

		@Test
		void deletesTheOldestUpToAMaximum() {
			List<String> ids = addLetters(250);
			assertThat(this.deadLetters.purge("events", DeadLetterRange.all(), 205)).isEqualTo(205);
			assertThat(ids(LETTERS)).isEqualTo(ids.subList(205, 250));
			assertThat(this.deadLetters.purge("events", DeadLetterRange.all(), Long.MAX_VALUE)).isEqualTo(45);
			assertThatIllegalArgumentException()
				.isThrownBy(() -> this.deadLetters.purge("events", DeadLetterRange.all(), 0));
		}

		@Test
		void deletesOnlyARange() {
			List<String> ids = addLetters(250);
			DeadLetterRange range = DeadLetterRange.between(RecordId.of(ids.get(10)), RecordId.of(ids.get(219)));
			assertThat(this.deadLetters.purge("events", range, 1000)).isEqualTo(210);
			assertThat(ids(LETTERS)).hasSize(40).startsWith(ids.get(0)).endsWith(ids.get(249));
		}

		@Test
		void deletesSingleOnes() {
			List<String> ids = addLetters(5);
			assertThat(this.deadLetters.purge("events",
					List.of(RecordId.of(ids.get(1)), RecordId.of("1-1"), RecordId.of(ids.get(4)))))
				.isEqualTo(2);
			assertThat(this.deadLetters.purge("events", List.of())).isZero();
			assertThat(ids(LETTERS)).containsExactly(ids.get(0), ids.get(2), ids.get(3));
		}

	}

	@Nested
	@RealRedis(own = true)
	class WithoutMemory extends OnRedis {

		@AfterEach
		void giveMemory() {
			this.redis.command("CONFIG", "SET", "maxmemory", "0");
		}

		@Test
		void aRefusedRedriveChangesNothingAndAPurgeMakesRoom() {
			addLetters(20);
			this.redis.command("CONFIG", "SET", "maxmemory", "1");
			List<List<?>> before = fields(LETTERS);
			assertThatExceptionOfType(DataAccessException.class)
				.isThrownBy(() -> this.deadLetters.redrive("events", Redrive.builder().build()))
				.withMessageContaining("OOM")
				.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.UNAVAILABLE));
			assertThat(fields(LETTERS)).isEqualTo(before);
			assertThat(this.redis.integer("EXISTS", STREAM)).isZero();
			assertThat(this.deadLetters.purge("events", DeadLetterRange.all(), 5)).isEqualTo(5);
			giveMemory();
			assertThat(this.deadLetters.redrive("events", Redrive.builder().build()).redriven()).isEqualTo(15);
			assertThat(payloads(STREAM)).isEqualTo(orders(5, 20));
		}

	}

	@Nested
	class OnACluster {

		private final LettuceFactories factories = new LettuceFactories();

		@AfterEach
		void close() {
			this.factories.close();
		}

		@Test
		void putsBackIntoTheStreamOfTheSameSlotAndOtherwiseIntoTheOneAskedFor() {
			try (RedisCluster cluster = RedisCluster.started(3);
					LettuceStreamCommands commands = new LettuceStreamCommands(
							this.factories.to(cluster.configuration(), (client) -> {
							}))) {
				DeadLetters deadLetters = new RedisDeadLetters(commands, DeadLettersTests::streams);
				add(commands, DeadLetterHeaders.STREAM, STREAM);
				add(commands, DeadLetterHeaders.STREAM, "another-slot");
				RedriveResult result = deadLetters.redrive("events", Redrive.builder().build());
				assertThat(result.entries()).extracting(RedriveResult.Entry::stream).containsExactly(STREAM, STREAM);
				assertThat(deadLetters.count("events")).isZero();
				assertThat(commands.length(STREAM)).isEqualTo(2);
			}
		}

		@Test
		void putsBackFromDeadLettersOfAnotherSlotWithoutAScript() {
			try (RedisCluster cluster = RedisCluster.started(3);
					LettuceStreamCommands commands = new LettuceStreamCommands(
							this.factories.to(cluster.configuration(), (client) -> {
							}))) {
				DeadLetters apart = new RedisDeadLetters(commands, (name) -> new DeadLetterStreams(name, LETTERS));
				assertThat(commands.areTogether("another-slot", LETTERS)).isFalse();
				add(commands, DeadLetterHeaders.STREAM, "another-slot");
				assertThat(apart.redrive("another-slot", Redrive.builder().build()).redriven()).isEqualTo(1);
				assertThat(commands.length("another-slot")).isEqualTo(1);
				assertThat(commands.length(LETTERS)).isZero();
			}
		}

		private void add(LettuceStreamCommands commands, String... headers) {
			List<byte[]> fields = Arrays.stream(concat(new String[] { "a", "1" }, headers))
				.map(Entries::bytes)
				.toList();
			commands.publishing().add(new NewEntry(LETTERS, fields)).toCompletableFuture().join();
		}

	}

}
