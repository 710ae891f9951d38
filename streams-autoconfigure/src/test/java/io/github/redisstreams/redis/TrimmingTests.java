package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import io.github.redisstreams.redis.ServerInfo.Capability;
import io.github.redisstreams.test.RealRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.TransientDataAccessResourceException;

import static io.github.redisstreams.redis.Publishing.plain;
import static io.github.redisstreams.redis.Publishing.trimming;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What sends drop from the other end of their stream.
 */
@Tag("core")
@RealRedis(own = true)
class TrimmingTests extends PublishingFixture {

	private static final int NODE = 100;

	/** At most so many are trimmed at once. */
	private static final int MOST_TRIMMED = 5000;

	@AfterEach
	void restore() {
		this.redis.command("CONFIG", "SET", "stream-node-max-entries", Integer.toString(NODE));
		this.redis.command("CONFIG", "SET", "maxmemory", "0");
	}

	private static NewEntry sendOf(TrimMode mode, long maxLength) {
		return trimming("s", mode, maxLength, Duration.ZERO);
	}

	private long send(TrimMode mode, long maxLength) {
		return this.publishing.add(sendOf(mode, maxLength)).undelivered();
	}

	private void createGroup(String group, String start) {
		this.redis.command("XGROUP", "CREATE", "s", group, start, "MKSTREAM");
	}

	private void finish(String group, int count) {
		acknowledge(group, this.redis.deliver("s", group, "c", count));
	}

	private void acknowledge(String group, List<String> ids) {
		if (ids.isEmpty()) {
			return;
		}
		List<String> words = new ArrayList<>(List.of("XACK", "s", group));
		words.addAll(ids);
		this.redis.command(words.toArray(String[]::new));
	}

	private List<String> ids() {
		return this.redis.list("XRANGE", "s", "-", "+")
			.stream()
			.map((entry) -> (String) ((List<?>) entry).get(0))
			.toList();
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4 })
	void neverDropsWhatOneOfSeveralGroupsHasNotFinished(long seed) {
		Random random = new Random(seed);
		this.redis.command("CONFIG", "SET", "stream-node-max-entries", "5");
		List<Progress> groups = List.of(new Progress("a"), new Progress("b"), new Progress("c"));
		groups.forEach((group) -> createGroup(group.name, "0"));
		int sent = 0;
		for (int step = 0; step < 400; step++) {
			Progress group = groups.get(random.nextInt(3));
			switch (random.nextInt(4)) {
				case 0 -> group.pending.addAll(this.redis.deliver("s", group.name, "c", 1 + random.nextInt(20)));
				case 1 -> {
					for (int i = random.nextInt(20); i > 0 && !group.pending.isEmpty(); i--) {
						// Mostly in order, so that there is something to trim
						int index = (random.nextInt(4) == 0) ? random.nextInt(group.pending.size()) : 0;
						String id = group.pending.remove(index);
						acknowledge(group.name, List.of(id));
						group.unfinished.remove(id);
					}
				}
				default -> {
					for (int i = random.nextInt(5); i >= 0; i--) {
						String id = this.publishing.id(sendOf(TrimMode.FINISHED, 20)).toString();
						groups.forEach((any) -> any.unfinished.add(id));
						sent++;
					}
				}
			}
			List<String> there = ids();
			groups.forEach((any) -> assertThat(there).containsAll(any.unfinished));
		}
		assertThat(ids()).hasSizeLessThan(sent);
		for (Progress group : groups) {
			acknowledge(group.name, group.pending);
			finish(group.name, 10_000);
		}
		send(TrimMode.FINISHED, 20);
		assertThat(ids()).hasSizeBetween(20, 26);
	}

	@Test
	void freesWhatIsFinishedWhereMemoryIsFull() {
		createGroup("g", "0");
		for (int i = 0; i < 1000; i++) {
			this.publishing.add(plain("s", "n", "old"));
		}
		this.redis.command("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(TransientDataAccessResourceException.class)
			.isThrownBy(() -> send(TrimMode.FINISHED, 100))
			.withMessageContaining("OOM");
		assertThat(ids()).hasSize(1000);
		finish("g", 1000);
		send(TrimMode.FINISHED, 100);
		assertThat(ids()).hasSizeBetween(100, 100 + NODE);
	}

	@Test
	void countsWhatItDropsWhereMemoryIsFull() {
		createGroup("g", "0");
		for (int i = 0; i < 1000; i++) {
			this.publishing.add(plain("s", "n", "old"));
		}
		this.redis.command("CONFIG", "SET", "maxmemory", "1");
		long lost = send(TrimMode.STRICT, 100);
		assertThat(lost).isEqualTo(1001 - ids().size()).isPositive();
	}

	@Test
	void movesADueEntryWhereOnlyFinishedOnesFillTheMemory() {
		createGroup("g", "0");
		for (int i = 0; i < 1000; i++) {
			this.publishing.add(plain("s", "n", "old"));
		}
		finish("g", 1000);
		this.publishing.scheduleInAnHour(plain("s", "n", "new"), "due");
		this.publishing.makeDue("s", "due");
		this.redis.command("CONFIG", "SET", "maxmemory", "1");
		assertThat(Publishing
			.get(this.publishing.commands.publishing()
				.promote("s", new Trimming(TrimMode.FINISHED, 100, Duration.ZERO)))
			.lateness()).hasSize(1);
		assertThat(ids()).hasSizeBetween(100, 100 + NODE);
	}

	@Test
	void keepsToItsBoundWhileAGroupKeepsUp() {
		createGroup("g", "0");
		for (int i = 0; i < 40; i++) {
			this.redis.addPipelined("s", 50);
			finish("g", 100);
			assertThat(send(TrimMode.FINISHED, 300)).isZero();
			assertThat(this.redis.length("s")).isBetween(Math.min(300L, 51L * (i + 1)), 300L + 2 * NODE);
		}
	}

	@Test
	void growsWhileAGroupIsBehindAndShrinksAgainByAndBy() {
		createGroup("g", "0");
		this.redis.addPipelined("s", 12_000);
		assertThat(send(TrimMode.FINISHED, 100)).isZero();
		assertThat(this.redis.length("s")).isEqualTo(12_001);
		finish("g", 20_000);
		assertThat(send(TrimMode.FINISHED, 100)).isZero();
		assertThat(this.redis.length("s")).isEqualTo(12_002 - MOST_TRIMMED);
		send(TrimMode.FINISHED, 100);
		send(TrimMode.FINISHED, 100);
		assertThat(this.redis.length("s")).isBetween(100L, 100L + 2 * NODE);
	}

	@Test
	void dropsNothingThatAGroupIsToBeGivenOnceMore() {
		this.redis.addPipelined("s", 500);
		createGroup("g", "0");
		finish("g", 499);
		this.redis.deliver("s", "g", "c", 1);
		this.redis.command("XGROUP", "SETID", "s", "g", "0");
		send(TrimMode.FINISHED, 100);
		assertThat(this.redis.length("s")).isEqualTo(501);
	}

	@ParameterizedTest
	@EnumSource(value = TrimMode.class, names = { "FINISHED", "STRICT" })
	void dropsWhatIsOverTheBoundOfAStreamWithoutGroups(TrimMode mode) {
		this.redis.addPipelined("s", 1000);
		assertThat(send(mode, 300)).isZero();
		assertThat(this.redis.length("s")).isEqualTo(301);
	}

	@Test
	void dropsNoMoreThanSomeThousandsAtOnce() {
		this.redis.addPipelined("s", 12_000);
		createGroup("g", "0");
		assertThat(send(TrimMode.STRICT, 100)).isEqualTo(MOST_TRIMMED);
		assertThat(this.redis.length("s")).isEqualTo(12_001 - MOST_TRIMMED);
	}

	@Test
	void dropsNothingWithinTheBoundOrWithoutOne() {
		this.redis.addPipelined("s", 1000);
		assertThat(send(TrimMode.NONE, 10)).isZero();
		assertThat(send(TrimMode.STRICT, 0)).isZero();
		assertThat(send(TrimMode.STRICT, 1003)).isZero();
		assertThat(this.redis.length("s")).isEqualTo(1003);
	}

	// The server would look at each of them, with one send in a hundred
	@Test
	void veryManyPendingEntriesAtTheFrontAreNotPassedOver() {
		createGroup("g", "0");
		this.redis.addPipelined("s", MOST_TRIMMED + 1000);
		this.redis.deliver("s", "g", "c", MOST_TRIMMED + 1);
		finish("g", 999);
		send(TrimMode.FINISHED, 300);
		assertThat(this.redis.length("s")).isEqualTo(MOST_TRIMMED + 1001);
	}

	@Test
	void onePendingEntryAtTheFrontDoesNotHoldUpTheRestWhereTheServerCanPassOverIt() {
		assumeTrue(this.publishing.commands.serverInfo().has(Capability.TRIM_ACKNOWLEDGED),
				"The server knows no XTRIM ... ACKED");
		createGroup("g", "0");
		List<String> ids = this.redis.addPipelined("s", 2000);
		this.redis.deliver("s", "g", "c", 1);
		finish("g", 1500);
		send(TrimMode.FINISHED, 300);
		assertThat(this.redis.length("s")).isBetween(500L, 500L + 3 * NODE);
		assertThat(ids()).contains(ids.get(0)).containsAll(ids.subList(1501, 2000));
	}

	// With ids that are an hour old
	private List<String> addOld(int count) {
		long time = Long.parseLong((String) this.redis.list("TIME").get(0)) - 3600;
		return IntStream.range(0, count)
			.mapToObj((i) -> this.redis.text("XADD", "s", time + "000-" + i, "n", "old"))
			.toList();
	}

	private long send(TrimMode mode, long maxLength, Duration retention) {
		return this.publishing.add(trimming("s", mode, maxLength, retention)).undelivered();
	}

	@Test
	void dropsWhatIsTooOldOnceItIsFinished() {
		createGroup("g", "0");
		addOld(300);
		this.redis.addPipelined("s", 50);
		finish("g", 150);
		assertThat(send(TrimMode.FINISHED, 0, Duration.ofMinutes(30))).isZero();
		assertThat(this.redis.length("s")).isEqualTo(251);
		finish("g", 1000);
		assertThat(send(TrimMode.FINISHED, 0, Duration.ofHours(2))).isZero();
		assertThat(this.redis.length("s")).isEqualTo(252);
		assertThat(send(TrimMode.FINISHED, 0, Duration.ofMinutes(30))).isZero();
		assertThat(this.redis.length("s")).isEqualTo(53);
	}

	@Test
	void dropsWhatIsTooOldInAnyCaseIfStrict() {
		createGroup("g", "0");
		addOld(300);
		this.redis.addPipelined("s", 50);
		finish("g", 150);
		assertThat(send(TrimMode.NONE, 0, Duration.ofMinutes(30))).isZero();
		assertThat(this.redis.length("s")).isEqualTo(351);
		assertThat(send(TrimMode.STRICT, 0, Duration.ofMinutes(30))).isEqualTo(150);
		assertThat(this.redis.length("s")).isEqualTo(52);
	}

	@ParameterizedTest
	@EnumSource(value = TrimMode.class, names = { "FINISHED", "STRICT" })
	void dropsWhatIsTooOldOfAStreamWithoutGroups(TrimMode mode) {
		addOld(300);
		assertThat(send(mode, 0, Duration.ofMinutes(30))).isZero();
		assertThat(this.redis.length("s")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 })
	void tellsHowManyAreLostThatAGroupHadStillToBeGiven(long seed) {
		Random random = new Random(seed);
		int old = random.nextInt(300);
		List<String> ids = new ArrayList<>(addOld(old));
		ids.addAll(this.redis.addPipelined("s", random.nextInt((seed % 4 == 0) ? 9000 : 900)));
		int first = ids.size();
		int groups = random.nextInt(4);
		for (int i = 0; i < groups; i++) {
			int delivered = random.nextInt(ids.size() + 1);
			createGroup("g" + i, "0");
			finish("g" + i, delivered);
			first = Math.min(first, delivered);
		}
		if (random.nextBoolean() && !ids.isEmpty()) {
			this.redis.command("XDEL", "s", ids.get(random.nextInt(ids.size())));
		}
		Set<String> undelivered = (groups > 0) ? new HashSet<>(ids.subList(first, ids.size())) : Set.of();
		for (int i = 0; i < 3; i++) {
			List<String> before = ids();
			long lost = send(TrimMode.STRICT, random.nextInt(2) * random.nextInt(500),
					Duration.ofMinutes(random.nextInt(2) * 30));
			Set<String> after = new HashSet<>(ids());
			assertThat(lost)
				.isEqualTo(before.stream().filter((id) -> !after.contains(id) && undelivered.contains(id)).count());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "-xinfo", "-xpending", "-xtrim", "-xlen", "-time" })
	void addsTheEntryAndTellsThatNothingIsTrimmedWhereTheUserMayNot(String rule) {
		this.redis.addPipelined("s", 1000);
		createGroup("g", "0");
		this.redis.deliver("s", "g", "c", 500);
		try (Publishing restricted = Publishing.asUser(this.redis, rule)) {
			Added added = restricted.add(trimming("s", TrimMode.FINISHED, 100, Duration.ofDays(1)));
			assertThat(added.undelivered()).isEqualTo(-1);
			assertThat(ids()).hasSize(1001).last().isEqualTo(String.valueOf(added.id()));
		}
	}

	// A sequence number of more than 2^53, which a number of Lua cannot hold
	@Test
	void comparesIdsThatNumbersOfAScriptCannotHold() {
		List<String> ids = IntStream.range(0, 400)
			.mapToObj((i) -> this.redis.text("XADD", "s", "9007199254740993-9007199254740" + (100 + i), "n", ""))
			.toList();
		createGroup("a", ids.get(250));
		createGroup("b", ids.get(251));
		assertThat(this.publishing.add(sendOf(TrimMode.FINISHED, 100)).undelivered()).isZero();
		assertThat(ids()).hasSize(201).contains(ids.get(251));
	}

	/**
	 * What a group has been given and has not finished.
	 */
	private static final class Progress {

		private final String name;

		private final List<String> pending = new ArrayList<>();

		private final Set<String> unfinished = new HashSet<>();

		Progress(String name) {
			this.name = name;
		}

	}

}
