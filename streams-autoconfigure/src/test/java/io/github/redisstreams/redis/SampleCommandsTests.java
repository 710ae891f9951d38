package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redisstreams.redis.StreamSample.Group;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is told of streams and groups, compared with what is in them.
 */
@Tag("core")
@RealRedis
class SampleCommandsTests {

	private static final SampledStream STREAM = new SampledStream("s", Set.of("g", "other"), Set.of("{s}:dlq"));

	private final LettuceFactories factories = new LettuceFactories();

	private RedisServer server;

	private LettuceStreamCommands commands;

	@BeforeEach
	void setUp(RedisServer server) {
		this.server = server;
		this.commands = new LettuceStreamCommands(this.factories.to(server.port()));
	}

	@AfterEach
	void tearDown() {
		this.commands.close();
		this.factories.close();
		this.server.command("ACL", "DELUSER", "restricted");
		this.server.command("ACL", "SETUSER", "default", "+@all");
	}

	private static <T> T reply(CompletionStage<T> stage) throws Exception {
		return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
	}

	private StreamSample sample() throws Exception {
		return reply(this.commands.sampling().sample(STREAM));
	}

	private Group group() throws Exception {
		return group(sample());
	}

	private static Group group(StreamSample sample) {
		return Objects.requireNonNull(sample.groups().get("g"));
	}

	private StreamSample sampleAs(String... rules) throws Exception {
		this.server.command(Stream
			.concat(Stream.of("ACL", "SETUSER", "restricted", "on", "nopass", "~*", "+@all"), Stream.of(rules))
			.toArray(String[]::new));
		Consumer<RedisStandaloneConfiguration> user = (configuration) -> configuration.setUsername("restricted");
		try (LettuceStreamCommands restricted = new LettuceStreamCommands(
				this.factories.to(this.server.port(), user, (client) -> {
				}))) {
			return reply(restricted.sampling().sample(STREAM));
		}
	}

	private List<String> deliverAndDelete(int added, int delivered, int... deleted) {
		List<String> ids = this.server.addPipelined("s", added);
		this.server.command("XGROUP", "CREATE", "s", "g", "0");
		this.server.deliver("s", "g", "c", delivered);
		IntStream.of(deleted).forEach((index) -> this.server.command("XDEL", "s", ids.get(index)));
		return ids;
	}

	@ParameterizedTest
	@EnumSource(ProtocolVersion.class)
	void tellsAllOfAStreamAndItsGroupsWithOneCommand(ProtocolVersion protocol) throws Exception {
		long now = System.currentTimeMillis();
		this.server.command("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM");
		this.server.command("XGROUP", "CREATE", "s", "unwanted", "0");
		for (int minutes = 50; minutes >= 10; minutes -= 10) {
			this.server.command("XADD", "s", (now - minutes * 60_000) + "-0", "n", "1");
		}
		List<String> delivered = this.server.deliver("s", "g", "one", 2);
		this.server.deliver("s", "g", "two", 1);
		this.server.command("XACK", "s", "g", delivered.get(0));
		this.server.command("ZADD", "{s}:delayed", "1", "a", "2", "b");
		this.server.addPipelined("{s}:dlq", 3);
		try (LettuceStreamCommands commands = new LettuceStreamCommands(
				this.factories.to(this.server.port(), (standalone) -> {
				}, (client) -> client.clientOptions(ClientOptions.builder().protocolVersion(protocol).build())))) {
			reply(commands.sampling().sample(STREAM));
			this.server.command("CONFIG", "RESETSTAT");
			StreamSample sample = reply(commands.sampling().sample(STREAM));
			// The command itself is counted when it is done
			assertThat(this.server.info("total_commands_processed")).as("with those of the script")
				.hasValueSatisfying((count) -> assertThat(Integer.parseInt(count)).isLessThan(12));
			assertThat(this.server.commandStat("evalsha").orElseThrow()).startsWith("calls=1,");
			assertThat(sample.problems()).isEmpty();
			assertThat(sample.length()).isEqualTo(5);
			assertThat(sample.delayed()).isEqualTo(2);
			assertThat(sample.deadLetters()).isEqualTo(3);
			assertThat(sample.groups()).containsOnlyKeys("g");
			Group group = group(sample);
			assertThat(group.consumers()).isEqualTo(2);
			assertThat(group.pending()).isEqualTo(2);
			assertThat(group.lastDeliveredId()).isEqualTo(new EntryId(now - 30 * 60_000, 0));
			assertThat(group.lag()).isEqualTo(this.server.isOlderThanRedis7() ? null : Long.valueOf(2));
			assertThat(group.oldestPending()).isBetween(Duration.ofMinutes(40), Duration.ofMinutes(41));
			assertThat(group.oldestUndelivered()).isBetween(Duration.ofMinutes(20), Duration.ofMinutes(21));
		}
	}

	@Test
	void agesAreZeroWhereNothingWaits() throws Exception {
		deliverAndDelete(3, 3);
		this.server.pendingEntries("s", "g").keySet().forEach((id) -> this.server.command("XACK", "s", "g", id));
		assertThat(group()).satisfies((group) -> {
			assertThat(group.pending()).isZero();
			assertThat(group.lag()).isZero();
			assertThat(group.oldestPending()).isZero();
			assertThat(group.oldestUndelivered()).isZero();
		});
	}

	@Test
	void anEntryOfTheFutureHasNoAge() throws Exception {
		this.server.command("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM");
		this.server.command("XADD", "s", "18446744073709551615-0", "n", "1");
		assertThat(group().oldestUndelivered()).isZero();
		this.server.deliver("s", "g", "c", 1);
		assertThat(group().oldestPending()).isZero();
	}

	@Test
	void skipsAnEntryThatIsGoneForTheAgeOfTheOldest() throws Exception {
		long now = System.currentTimeMillis();
		this.server.command("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM");
		this.server.command("XADD", "s", (now - 600_000) + "-0", "n", "1");
		this.server.command("XADD", "s", (now - 300_000) + "-0", "n", "1");
		this.server.command("XDEL", "s", (now - 600_000) + "-0");
		assertThat(group().oldestUndelivered()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));
		assertThat(group().lag()).isEqualTo(1);
	}

	@Test
	@DisplayName("C54 a stream that is missing has no length rather than none")
	void tellsTheRestWhileTheStreamIsMissing() throws Exception {
		this.server.command("ZADD", "{s}:delayed", "1", "a");
		StreamSample sample = sample();
		assertThat(sample.length()).isNull();
		assertThat(sample.groups()).isEmpty();
		assertThat(sample.delayed()).isEqualTo(1);
		assertThat(sample.deadLetters()).isZero();
		assertThat(sample.problems()).singleElement().asString().contains("no such key");
	}

	@Test
	void aStreamWithoutGroupsOfInterestIsNotAskedForThem() throws Exception {
		this.server.addPipelined("s", 3);
		this.server.command("CONFIG", "RESETSTAT");
		StreamSample sample = reply(this.commands.sampling().sample(new SampledStream("s", Set.of(), Set.of())));
		assertThat(sample.length()).isEqualTo(3);
		assertThat(sample.problems()).isEmpty();
		assertThat(this.server.commandStat("xinfo|groups")).isEmpty();
	}

	@Test
	void tellsTheRestWhereAKeyHoldsSomethingElse() throws Exception {
		deliverAndDelete(3, 1);
		this.server.command("SET", "{s}:dlq", "text");
		this.server.command("SET", "{s}:delayed", "text");
		StreamSample sample = sample();
		assertThat(sample.length()).isEqualTo(3);
		assertThat(group(sample).pending()).isEqualTo(1);
		assertThat(sample.delayed()).isNull();
		assertThat(sample.deadLetters()).isNull();
		assertThat(sample.problems()).singleElement().asString().startsWith("WRONGTYPE");
		this.server.command("DEL", "s", "{s}:dlq");
		this.server.command("SET", "s", "text");
		assertThat(sample().length()).isNull();
		assertThat(sample().groups()).isEmpty();
		assertThat(sample().deadLetters()).isZero();
	}

	@Test
	void tellsWhatItCanToAUserWhoMayNotRunScripts() throws Exception {
		deliverAndDelete(5, 2);
		this.server.command("XGROUP", "CREATE", "s", "unwanted", "0");
		this.server.command("ZADD", "{s}:delayed", "1", "a");
		this.server.addPipelined("{s}:dlq", 2);
		StreamSample sample = sampleAs("-@scripting");
		assertThat(sample.length()).isEqualTo(5);
		assertThat(sample.delayed()).isEqualTo(1);
		assertThat(sample.deadLetters()).isEqualTo(2);
		assertThat(sample.groups()).containsOnlyKeys("g");
		assertThat(group(sample)).satisfies((group) -> {
			assertThat(group.pending()).isEqualTo(2);
			assertThat(group.consumers()).isEqualTo(1);
			assertThat(group.lag()).isEqualTo(this.server.isOlderThanRedis7() ? null : Long.valueOf(3));
			assertThat(group.oldestPending()).isNull();
			assertThat(group.oldestUndelivered()).isNull();
		});
		assertThat(sample.problems()).singleElement().asString().contains("EVALSHA sample");
		assertThat(sampleAs("-@scripting", "-zcard", "-xinfo")).satisfies((less) -> {
			assertThat(less.length()).isEqualTo(5);
			assertThat(less.delayed()).isNull();
			assertThat(less.groups()).isEmpty();
			assertThat(less.problems()).hasSize(3);
		});
	}

	@Test
	void tellsWhatItCanToAUserWhoMayNotSeeAllKeys() throws Exception {
		deliverAndDelete(5, 2);
		StreamSample sample = sampleAs("resetkeys", "~s", "~{s}:delayed");
		assertThat(sample.length()).isEqualTo(5);
		assertThat(sample.delayed()).isZero();
		assertThat(sample.deadLetters()).isNull();
		assertThat(group(sample).pending()).isEqualTo(2);
	}

	@Test
	void tellsWhatItCanToAUserWhoMayNotRunAllCommands() throws Exception {
		deliverAndDelete(5, 2);
		StreamSample sample = sampleAs("-xrange", "-zcard");
		assertThat(sample.delayed()).isNull();
		assertThat(group(sample)).satisfies((group) -> {
			assertThat(group.pending()).isEqualTo(2);
			assertThat(group.oldestPending()).isNotNull().isLessThan(Duration.ofMinutes(1));
			assertThat(group.oldestUndelivered()).isNull();
		});
		assertThat(group(sampleAs("+xrange", "-xpending"))).satisfies((group) -> {
			assertThat(group.oldestPending()).isNull();
			assertThat(group.oldestUndelivered()).isNotNull().isLessThan(Duration.ofMinutes(1));
		});
	}

	@Test
	void tellsAgesByItsOwnClockWithoutThePermissionToAskTheServer() throws Exception {
		deliverAndDelete(2, 1);
		StreamSample sample = sampleAs("-time");
		assertThat(sample.problems()).isEmpty();
		assertThat(group(sample).oldestPending()).isLessThan(Duration.ofSeconds(30));
	}

	@Test
	void tellsAlsoAfterTheServerHasForgottenTheScripts() throws Exception {
		deliverAndDelete(10, 5, 7);
		for (int i = 0; i < 2; i++) {
			this.server.command("SCRIPT", "FLUSH");
			assertThat(group().pending()).isEqualTo(5);
			assertThat(reply(this.commands.sampling().countLag("s", group().lastDeliveredId(), 100)).entries())
				.isEqualTo(4);
		}
	}

	@Test
	@DisplayName("C54 a lag that the server cannot tell is not told as 0")
	void tellsNoLagThatTheServerCannotTell() throws Exception {
		deliverAndDelete(10, 5, 7);
		assertThat(group().lag()).isNull();
		assertThat(group().oldestUndelivered()).isNotNull();
	}

	@Test
	void tellsTheLagByTheStreamsLengthWhereAllOfItIsUndelivered() throws Exception {
		deliverAndDelete(10, 5, 0, 1, 2, 3, 4, 7);
		assertThat(group().lag()).isEqualTo(4);
	}

	@Test
	void tellsNoLagWhereAllIsDeliveredThoughTheServerHasLostCount() throws Exception {
		deliverAndDelete(10, 2);
		this.server.command("XTRIM", "s", "MAXLEN", "3");
		assertThat(group().lag()).as("of what is left").isEqualTo(3);
		this.server.deliver("s", "g", "c", 10);
		assertThat(group().lag()).isZero();
	}

	@Test
	void tellsTheLagOfAGroupThatBeginsAtTheEnd() throws Exception {
		this.server.addPipelined("s", 3);
		this.server.command("XGROUP", "CREATE", "s", "g", "$");
		assertThat(group().lag()).isZero();
		String id = this.server.add("s", "n", "1");
		assertThat(reply(this.commands.sampling().countLag("s", group().lastDeliveredId(), 100)))
			.isEqualTo(new CountedLag(1, false));
		assertThat(group().oldestUndelivered()).isNotNull();
		assertThat(this.server.deliver("s", "g", "c", 5)).containsExactly(id);
		assertThat(group().lag()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "-1, 250", "0, 249", "99, 150", "124, 125", "249, 0", "248, 1" })
	void countsFromBothEnds(int afterIndex, int lag) throws Exception {
		List<String> ids = this.server.addPipelined("s", 250);
		EntryId after = (afterIndex < 0) ? EntryId.ZERO : EntryId.parse(ids.get(afterIndex));
		assertThat(reply(this.commands.sampling().countLag("s", after, 1000))).isEqualTo(new CountedLag(lag, false));
	}

	@ParameterizedTest
	@CsvSource({ "2500, 2499", "300, 4699", "4800, 199" })
	void countsOnInFurtherScripts(int delivered, int lag) throws Exception {
		List<String> ids = this.server.addPipelined("s", 5000);
		this.server.command("XDEL", "s", ids.get(4900));
		EntryId after = EntryId.parse(ids.get(delivered - 1));
		assertThat(reply(this.commands.sampling().countLag("s", after, 10_000))).isEqualTo(new CountedLag(lag, false));
	}

	@Test
	void saysWhenItGivesUpCounting() throws Exception {
		List<String> ids = this.server.addPipelined("s", 5000);
		CountedLag lag = reply(this.commands.sampling().countLag("s", EntryId.parse(ids.get(2499)), 2000));
		assertThat(lag.bounded()).isTrue();
		assertThat(lag.entries()).as("about half of what it looks at").isBetween(900L, 1100L);
		CountedLag little = reply(this.commands.sampling().countLag("s", EntryId.parse(ids.get(2499)), 1));
		assertThat(little.bounded()).isTrue();
		assertThat(little.entries()).isPositive();
	}

	@Test
	void largeEntriesCountForMore() throws Exception {
		String large = "x".repeat(200_000);
		List<String> ids = this.server.addPipelined("s", 40, (n) -> new String[] { "payload", large });
		CountedLag lag = reply(this.commands.sampling().countLag("s", EntryId.parse(ids.get(19)), 1000));
		assertThat(lag.bounded()).isTrue();
		assertThat(lag.entries()).as("of 195 KB each").isBetween(1L, 5L);
		assertThat(reply(this.commands.sampling().countLag("s", EntryId.parse(ids.get(19)), 100_000)))
			.isEqualTo(new CountedLag(20, false));
	}

	@Test
	void countsNothingInAStreamThatIsNotThere() throws Exception {
		assertThat(reply(this.commands.sampling().countLag("none", EntryId.ZERO, 10)))
			.isEqualTo(new CountedLag(0, false));
	}

	@Test
	@DisplayName("C54 a negative lag is not believed")
	void doesNotBelieveANegativeLagOrOneOfMoreThanThereIs() {
		assertThat(replied(-3, "5-0").lag()).isNull();
		assertThat(replied(7, "5-0").lag()).as("of 7 entries, of which the first is delivered").isNull();
		assertThat(replied(6, "5-0").lag()).isEqualTo(6);
		assertThat(replied(-3, "").lag()).isZero();
	}

	private static Group replied(long lag, String undelivered) {
		List<Object> time = List.of(bytes("1000"), bytes("0"));
		List<Object> group = List.of(bytes("g"), 1L, 2L, bytes("4-0"), lag, bytes("3-0"), bytes(undelivered), 0L);
		return group(SampleReply.ofScript(List.of(time, List.of(7L, 0L, 0L), List.of(group)), false));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
