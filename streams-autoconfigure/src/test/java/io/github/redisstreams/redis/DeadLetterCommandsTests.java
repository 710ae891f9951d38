package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Moving entries to the dead letters and back.
 */
@Tag("core")
@RealRedis(own = true)
class DeadLetterCommandsTests {

	private static final String LETTERS = "{s}:dlq";

	private static final int FIELDS_OF_A_SCRIPT = 2;

	private static final int FIELDS_OF_SINGLE_COMMANDS = 5000;

	private final LettuceFactories factories = new LettuceFactories();

	private RedisServer redis;

	private LettuceStreamCommands commands;

	@BeforeEach
	void open(RedisServer redis) {
		this.redis = redis;
		this.commands = new LettuceStreamCommands(this.factories.to(redis.port()));
	}

	@AfterEach
	void close() {
		this.redis.command("CONFIG", "SET", "maxmemory", "0");
		this.redis.command("ACL", "DELUSER", "app");
		this.commands.close();
		this.factories.close();
	}

	private static <T> T await5(CompletionStage<T> stage) throws Exception {
		return stage.toCompletableFuture().get(5, TimeUnit.SECONDS);
	}

	private static List<byte[]> fields(int count) {
		return IntStream.range(0, count)
			.boxed()
			.flatMap((n) -> Stream.of("name" + n, "value" + n))
			.map((text) -> text.getBytes(StandardCharsets.UTF_8))
			.toList();
	}

	private EntryId pending() {
		String id = this.redis.add("s", "n", "1");
		this.commands.createGroup("s", "g", "0");
		assertThat(this.redis.deliver("s", "g", "c", 1)).containsExactly(id);
		return EntryId.parse(id);
	}

	private DeadLetterMove deadLetter(EntryId id, String consumer, List<byte[]> fields, boolean onlyIfHeld,
			boolean delete) throws Exception {
		return await5(this.commands.deadLetter(new DeadLetter(new StreamConsumer("s", "g", consumer), id, LETTERS, 100,
				fields, onlyIfHeld, delete, null)));
	}

	private List<byte[]> rawFields(String stream) {
		List<byte[]> fields = new ArrayList<>();
		this.commands.range(stream, EntryId.ZERO, EntryId.MAX, false, 10)
			.forEach((entry) -> entry.forEachField((name, value) -> fields.addAll(List.of(name, value))));
		return fields;
	}

	private String digestOfTheFirstValue(String stream) {
		return this.redis.text("EVAL", "return redis.sha1hex(redis.call('XRANGE', KEYS[1], '-', '+')[1][2][2])", "1",
				stream);
	}

	@ParameterizedTest
	@ValueSource(ints = { FIELDS_OF_A_SCRIPT, 3900, 3901, FIELDS_OF_SINGLE_COMMANDS })
	void movesAPendingEntry(int count) throws Exception {
		EntryId id = pending();
		List<byte[]> fields = fields(count);
		DeadLetterMove move = deadLetter(id, "c", fields, true, false);
		assertThat(move.dropped()).isZero();
		assertThat(String.valueOf(move.id()))
			.isEqualTo(((List<?>) this.redis.list("XRANGE", LETTERS, "-", "+").get(0)).get(0));
		assertThat(rawFields(LETTERS)).containsExactlyElementsOf(fields);
		assertThat(this.redis.pending("s", "g")).isZero();
		assertThat(this.redis.integer("XLEN", "s")).isEqualTo(1);
	}

	@Test
	void writesBytesAsTheyAre() throws Exception {
		byte[] everyByte = new byte[256];
		for (int i = 0; i < everyByte.length; i++) {
			everyByte[i] = (byte) i;
		}
		List<byte[]> fields = List.of(Entries.NOT_UTF_8, everyByte, new byte[0], new byte[0], Entries.NOT_UTF_8,
				Entries.NOT_UTF_8);
		deadLetter(pending(), "c", fields, true, false);
		assertThat(rawFields(LETTERS)).containsExactlyElementsOf(fields);
		this.redis.command(new byte[][] { Entries.bytes("XADD"), Entries.bytes("same"), Entries.bytes("*"),
				Entries.bytes("n"), everyByte });
		assertThat(digestOfTheFirstValue(LETTERS)).isEqualTo(digestOfTheFirstValue("same"));
	}

	@ParameterizedTest
	@ValueSource(ints = { FIELDS_OF_A_SCRIPT, FIELDS_OF_SINGLE_COMMANDS })
	void changesNothingIfAnotherHoldsTheEntry(int count) throws Exception {
		EntryId id = pending();
		assertThat(deadLetter(id, "other", fields(count), true, true)).isEqualTo(DeadLetterMove.NOT_MOVED);
		assertThat(this.redis.integer("EXISTS", LETTERS)).isZero();
		assertThat(this.redis.pendingEntry("s", "g", id.toString()).consumer()).isEqualTo("c");
		assertThat(this.redis.integer("XLEN", "s")).isEqualTo(1);
		this.redis.command("XACK", "s", "g", id.toString());
		assertThat(deadLetter(id, "c", fields(count), true, true).moved()).isFalse();
		assertThat(this.redis.integer("EXISTS", LETTERS)).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { FIELDS_OF_A_SCRIPT, FIELDS_OF_SINGLE_COMMANDS })
	void writesAllTheSameWhatNobodyHolds(int count) throws Exception {
		EntryId id = pending();
		this.redis.command("XACK", "s", "g", id.toString());
		this.redis.command("DEL", "s");
		assertThat(deadLetter(id, "c", fields(count), false, true).moved()).isTrue();
		assertThat(this.redis.integer("XLEN", LETTERS)).isEqualTo(1);
		assertThat(this.redis.integer("EXISTS", "s")).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { FIELDS_OF_A_SCRIPT, FIELDS_OF_SINGLE_COMMANDS })
	void tellsHowManyOldDeadLettersTheBoundHasDropped(int count) throws Exception {
		// A bound with ~ drops whole nodes, of 100 entries each
		this.redis.addPipelined(LETTERS, 200);
		assertThat(deadLetter(pending(), "c", fields(count), true, false).dropped()).isEqualTo(100);
		assertThat(this.redis.integer("XLEN", LETTERS)).isEqualTo(101);
	}

	@ParameterizedTest
	@ValueSource(ints = { FIELDS_OF_A_SCRIPT, FIELDS_OF_SINGLE_COMMANDS })
	void deletesTheEntryTooIfToldTo(int count) throws Exception {
		EntryId id = pending();
		deadLetter(id, "c", fields(count), true, true);
		assertThat(this.redis.integer("XLEN", "s")).isZero();
		assertThat(this.redis.pending("s", "g")).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { FIELDS_OF_A_SCRIPT, FIELDS_OF_SINGLE_COMMANDS })
	void leavesAnEntryThatAnotherGroupHasPendingOrHasStillToBeGiven(int count) throws Exception {
		EntryId id = pending();
		this.redis.command("XGROUP", "CREATE", "s", "behind", "0");
		deadLetter(id, "c", fields(count), true, true);
		assertThat(this.redis.integer("XLEN", "s")).isEqualTo(1);
		this.redis.deliver("s", "behind", "x", 1);
		EntryId next = pendingAgain();
		deadLetter(next, "c", fields(count), true, true);
		assertThat(this.redis.integer("XLEN", "s")).isEqualTo(2);
		this.redis.deliver("s", "behind", "x", 1);
		this.redis.command("XACK", "s", "behind", id.toString(), next.toString());
		EntryId last = pendingAgain();
		this.redis.deliver("s", "behind", "x", 1);
		this.redis.command("XACK", "s", "behind", last.toString());
		deadLetter(last, "c", fields(count), true, true);
		assertThat(this.redis.integer("XLEN", "s")).isEqualTo(2);
	}

	private EntryId pendingAgain() {
		this.redis.add("s", "n", "2");
		return EntryId.parse(this.redis.deliver("s", "g", "c", 1).get(0));
	}

	@ParameterizedTest
	@ValueSource(ints = { FIELDS_OF_A_SCRIPT, FIELDS_OF_SINGLE_COMMANDS })
	void keepsTheEntryPendingIfThereIsNoMemory(int count) throws Exception {
		EntryId id = pending();
		this.redis.command("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> deadLetter(id, "c", fields(count), true, true))
			.havingCause()
			.isInstanceOf(DataAccessException.class)
			.withMessageContaining("OOM");
		assertThat(this.redis.integer("EXISTS", LETTERS)).isZero();
		assertThat(this.redis.pendingEntry("s", "g", id.toString()).consumer()).isEqualTo("c");
		assertThat(this.redis.integer("XLEN", "s")).isEqualTo(1);
		this.redis.command("CONFIG", "SET", "maxmemory", "0");
		assertThat(deadLetter(id, "c", fields(count), true, true).moved()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(ints = { FIELDS_OF_A_SCRIPT, FIELDS_OF_SINGLE_COMMANDS })
	void putsADeadLetterBackOnce(int count) throws Exception {
		EntryId letter = EntryId.parse(this.redis.add(LETTERS, "n", "1"));
		List<byte[]> fields = fields(count);
		Optional<EntryId> added = await5(this.commands.redrive(LETTERS, letter, "s", fields, null));
		assertThat(this.commands.range("s", EntryId.ZERO, EntryId.MAX, false, 10)).singleElement()
			.extracting(StreamEntry::id)
			.isEqualTo(added.orElseThrow());
		assertThat(rawFields("s")).containsExactlyElementsOf(fields);
		assertThat(this.redis.integer("XLEN", LETTERS)).isZero();
		assertThat(await5(this.commands.redrive(LETTERS, letter, "s", fields, null))).isEmpty();
		assertThat(this.redis.integer("XLEN", "s")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(ints = { FIELDS_OF_A_SCRIPT, FIELDS_OF_SINGLE_COMMANDS })
	void keepsTheDeadLetterIfThereIsNoMemory(int count) {
		EntryId letter = EntryId.parse(this.redis.add(LETTERS, "n", "1"));
		this.redis.command("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> await5(this.commands.redrive(LETTERS, letter, "s", fields(count), null)))
			.havingCause()
			.isInstanceOf(DataAccessException.class)
			.withMessageContaining("OOM");
		assertThat(this.redis.integer("XLEN", LETTERS)).isEqualTo(1);
		assertThat(this.redis.integer("EXISTS", "s")).isZero();
	}

	@Test
	void putsNothingBackForAUserWhoMayNotDelete() {
		assumeFalse(this.redis.isOlderThanRedis7(), "A script of Redis 6.2 cannot ask for permissions");
		EntryId letter = EntryId.parse(this.redis.add(LETTERS, "n", "1"));
		this.redis.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all", "-xdel");
		try (LettuceStreamCommands restricted = new LettuceStreamCommands(
				this.factories.to(this.redis.port(), (standalone) -> {
					standalone.setUsername("app");
					standalone.setPassword("secret");
				}, (client) -> {
				}))) {
			assertThatExceptionOfType(Exception.class)
				.isThrownBy(() -> await5(restricted.redrive(LETTERS, letter, "s", fields(1), null)))
				.havingCause()
				.withMessageContaining("XDEL")
				.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.NO_PERMISSION));
			assertThat(this.redis.integer("EXISTS", "s")).isZero();
		}
	}

	@Test
	void readsARangeFromEitherEnd() {
		List<EntryId> ids = this.redis.addPipelined("s", 5).stream().map(EntryId::parse).toList();
		assertThat(this.commands.range("s", ids.get(1), ids.get(3), false, 2)).extracting(StreamEntry::id)
			.containsExactly(ids.get(1), ids.get(2));
		assertThat(this.commands.range("s", ids.get(1), ids.get(3), true, 2)).extracting(StreamEntry::id)
			.containsExactly(ids.get(3), ids.get(2));
		assertThat(this.commands.range("s", ids.get(1).next(), ids.get(3).previous(), false, 9))
			.extracting(StreamEntry::id)
			.containsExactly(ids.get(2));
		assertThat(this.commands.range("s", EntryId.ZERO, EntryId.MAX, false, 9)).hasSize(5);
		assertThat(this.commands.range("none", EntryId.ZERO, EntryId.MAX, false, 9)).isEmpty();
	}

	@Test
	void tellsHowLongAStreamIs() {
		assertThat(this.commands.length("s")).isZero();
		this.redis.addPipelined("s", 3);
		assertThat(this.commands.length("s")).isEqualTo(3);
	}

	@Test
	void deletesSingleEntriesAndRanges() {
		List<EntryId> ids = this.redis.addPipelined("s", 1500).stream().map(EntryId::parse).toList();
		assertThat(this.commands.delete("s", List.of(ids.get(0), ids.get(7), new EntryId(1, 1)))).isEqualTo(2);
		assertThat(this.commands.deleteRange("s", EntryId.ZERO, ids.get(9), 5)).isEqualTo(5);
		assertThat(this.commands.deleteRange("s", EntryId.ZERO, ids.get(9), 5)).isEqualTo(3);
		assertThat(this.commands.deleteRange("s", EntryId.ZERO, EntryId.MAX, 1000)).isEqualTo(1000);
		assertThat(this.redis.integer("XLEN", "s")).isEqualTo(490);
		assertThat(this.commands.deleteRange("none", EntryId.ZERO, EntryId.MAX, 1000)).isZero();
		assertThat(this.commands.delete("none", List.of(EntryId.ZERO))).isZero();
	}

}
