package io.github.redisstreams.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.data.redis.RedisConnectionFailureException;

import static io.github.redisstreams.redis.Publishing.fields;
import static io.github.redisstreams.redis.Publishing.get;
import static io.github.redisstreams.redis.Publishing.plain;
import static io.github.redisstreams.redis.Publishing.task;
import static io.github.redisstreams.redis.Publishing.trimming;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Sends of many entries at once, and what is left of sends that fail: nothing.
 */
@Tag("core")
@RealRedis(own = true)
class PublishCommandsTests extends PublishingFixture {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final String SNAPSHOT = """
			local keys = {}
			for _, key in ipairs(redis.call('KEYS', '*')) do
			  keys[#keys + 1] = key .. ' ' .. redis.sha1hex(redis.call('DUMP', key))
			end
			table.sort(keys)
			return keys
			""";

	@AfterEach
	void restore() {
		this.redis.command("CONFIG", "SET", "maxmemory", "0");
		this.redis.command("REPLICAOF", "NO", "ONE");
	}

	private List<Object> snapshot() {
		return this.redis.list("EVAL", SNAPSHOT, "0");
	}

	private static List<CompletionStage<Added>> addAll(Publishing publishing, List<NewEntry> entries) {
		return publishing.commands.publishing().addAll(entries, Durability.NONE);
	}

	private static NewEntry huge(Trimming trimming, @Nullable NewTask task) {
		return new NewEntry("s", Collections.nCopies(2 * PublishScripts.MOST_FIELDS + 2, new byte[] { 'x' }), trimming,
				task, null);
	}

	private static NewEntry numbered(int n) {
		List<byte[]> fields = fields("n", Integer.toString(n));
		return switch (n % 3) {
			case 0 -> new NewEntry("s", fields);
			case 1 -> new NewEntry("s", fields, new Trimming(TrimMode.FINISHED, 1_000_000, HOUR), null, null);
			default -> new NewEntry("s", fields, Trimming.NONE, new NewTask("task-" + n, HOUR), null);
		};
	}

	@Test
	void addsManyEntriesOfAllKindsInTheirOrder() {
		this.publishing.add(task("s", "active", HOUR));
		this.redis.command("XTRIM", "s", "MAXLEN", "1");
		this.redis.command("SCRIPT", "FLUSH");
		List<NewEntry> entries = new ArrayList<>(IntStream.range(0, 20_000).mapToObj((n) -> numbered(n)).toList());
		entries.set(1, huge(Trimming.NONE, new NewTask("huge", HOUR)));
		entries.set(777, task("s", "active", HOUR));
		List<CompletionStage<Added>> replies = addAll(this.publishing, entries);
		assertThat(replies).hasSize(20_000);
		List<EntryId> ids = new ArrayList<>();
		for (int i = 0; i < replies.size(); i++) {
			CompletionStage<Added> reply = replies.get(i);
			if (i == 1) {
				assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> get(reply));
			}
			else if (i == 777) {
				assertThat(get(reply)).isEqualTo(new Added(null, null, TaskState.QUEUED, 0));
			}
			else {
				ids.add(get(reply).id());
			}
		}
		assertThat(ids).isSorted().doesNotHaveDuplicates();
		List<Object> written = this.redis.list("XRANGE", "s", "-", "+");
		assertThat(written.subList(1, written.size())).extracting((entry) -> ((List<?>) entry).get(0))
			.isEqualTo(ids.stream().map(EntryId::toString).toList());
		assertThat(written.subList(1, written.size()))
			.extracting((entry) -> Integer.valueOf((String) ((List<?>) ((List<?>) entry).get(1)).get(1)))
			.isEqualTo(IntStream.range(0, 20_000).filter((n) -> n != 1 && n != 777).boxed().toList());
		assertThat(this.publishing.state("s", "task-19997")).isEqualTo(TaskState.QUEUED);
	}

	@Test
	void addsNothingOfNoEntries() {
		assertThat(addAll(this.publishing, List.of())).isEmpty();
	}

	@Test
	void addsAnEntryThatIsTooLargeForAScriptAllTheSameUnlessItIsATask() {
		Trimming trimming = new Trimming(TrimMode.FINISHED, 10, HOUR);
		assertThat(this.publishing.id(huge(trimming, null))).isNotNull();
		assertThat(get(addAll(this.publishing, List.of(huge(trimming, null))).get(0)).id()).isNotNull();
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> this.publishing.add(huge(trimming, new NewTask("t", HOUR))))
			.withMessageContaining("3801 fields for stream 's'");
		assertThat(this.redis.length("s")).isEqualTo(2);
	}

	static List<Consumer<Publishing>> writes() {
		return List.of((to) -> to.add(plain("s", "n", "1")), (to) -> to.add(trimming("s", TrimMode.FINISHED, 10, HOUR)),
				(to) -> to.add(task("s", "new", HOUR)), (to) -> to.add(task("s", null, HOUR)),
				(to) -> get(addAll(to, List.of(plain("s", "n", "1"))).get(0)),
				(to) -> get(addAll(to, List.of(task("s", "new", HOUR))).get(0)),
				(to) -> to.schedule(task("s", "new", HOUR), "new", DueTime.after(Duration.ZERO)),
				(to) -> to.promote("s"));
	}

	static List<Consumer<Publishing>> writesBesideTheStream() {
		return List.of((to) -> to.scheduleInAnHour(plain("s", "n", "1"), "new"),
				(to) -> to.scheduleInAnHour(task("s", "new", HOUR), "new"),
				(to) -> to.reschedule("s", "due", DueTime.after(HOUR)));
	}

	private void assertChangesNothing(Class<? extends DataAccessException> kind, Consumer<Publishing> write,
			Publishing to) {
		List<Object> before = snapshot();
		assertThatExceptionOfType(kind).isThrownBy(() -> write.accept(to)).withMessageContaining(" on 's')");
		assertThat(snapshot()).isEqualTo(before);
	}

	private void scheduleDueTask() {
		this.publishing.scheduleInAnHour(task("s", "due", HOUR), "due");
		this.publishing.makeDue("s", "due");
	}

	@Test
	void changesNothingWhereMemoryIsFull() {
		scheduleDueTask();
		this.redis.command("CONFIG", "SET", "maxmemory", "1");
		Stream.concat(writes().stream(), writesBesideTheStream().stream())
			.forEach((write) -> assertChangesNothing(TransientDataAccessResourceException.class, write,
					this.publishing));
	}

	@Test
	void changesNothingOnAReplica() {
		scheduleDueTask();
		this.redis.command("REPLICAOF", "127.0.0.1", "1");
		Stream.concat(writes().stream(), writesBesideTheStream().stream())
			.forEach((write) -> assertChangesNothing(TransientDataAccessResourceException.class, write,
					this.publishing));
	}

	@Test
	void looksForTheMasterOnceAScriptWasRefusedByAReplica() {
		try (RedisServer master = RedisServer.started();
				TcpProxy proxy = new TcpProxy(this.redis.port());
				Publishing moved = Publishing.to(proxy.port(), (client) -> {
				})) {
			moved.add(task("s", null, HOUR));
			this.redis.command("REPLICAOF", "127.0.0.1", "1");
			proxy.redirectTo(master.port());
			assertThatExceptionOfType(TransientDataAccessResourceException.class)
				.isThrownBy(() -> moved.add(task("s", null, HOUR)))
				.withMessageContaining("READONLY");
			assertThat(moved.id(task("s", null, HOUR))).isNotNull();
			assertThat(master.length("s")).isEqualTo(1);
		}
	}

	private static List<CompletionStage<Added>> addTasks(Publishing to, int count) {
		return to.commands.publishing().addAll(Collections.nCopies(count, task("s", null, HOUR)), Durability.NONE);
	}

	@Test
	void addsMoreThanTheServerCouldInTheTimeOfOneCommand() {
		try (Publishing impatient = Publishing.to(this.redis.port(),
				(client) -> client.commandTimeout(Duration.ofSeconds(1)))) {
			addTasks(impatient, 60_000).forEach((reply) -> assertThat(get(reply).id()).isNotNull());
			assertThat(this.redis.length("s")).isEqualTo(60_000);
		}
	}

	@Test
	void sendsNoMoreOnceRepliesAreOverdue() {
		try (TcpProxy proxy = new TcpProxy(this.redis.port());
				Publishing impatient = Publishing.to(proxy.port(),
						(client) -> client.commandTimeout(Duration.ofMillis(500)))) {
			impatient.add(task("s", null, HOUR));
			proxy.swallowReplies();
			List<CompletionStage<Added>> replies = addTasks(impatient, 20_000);
			replies.forEach((reply) -> assertThat(reply.toCompletableFuture()).isCompletedExceptionally());
			assertThatExceptionOfType(QueryTimeoutException.class).isThrownBy(() -> get(replies.get(0)));
			assertThat(this.redis.length("s")).isLessThan(3000);
		}
	}

	@Test
	void changesNothingWhereTheStreamIsNone() {
		scheduleDueTask();
		this.redis.command("SET", "s", "text");
		writes().forEach(
				(write) -> assertChangesNothing(InvalidDataAccessResourceUsageException.class, write, this.publishing));
	}

	@Test
	void changesNothingWhereTheRecordOfATaskIsNone() {
		this.redis.command("SET", "{s}:runs:new", "text");
		for (Consumer<Publishing> write : List.<Consumer<Publishing>>of((to) -> to.add(task("s", "new", HOUR)),
				(to) -> to.scheduleInAnHour(task("s", "new", HOUR), "new"))) {
			assertChangesNothing(InvalidDataAccessResourceUsageException.class, write, this.publishing);
		}
	}

	static Stream<Arguments> refusals() {
		Consumer<Publishing> add = (to) -> to.add(task("s", "new", HOUR));
		Consumer<Publishing> addOwn = (to) -> to.add(task("s", null, HOUR));
		Consumer<Publishing> schedule = (to) -> to.scheduleInAnHour(task("s", "new", HOUR), "new");
		Consumer<Publishing> scheduleDue = (to) -> to.schedule(task("s", "new", HOUR), "new",
				DueTime.at(Instant.EPOCH));
		Consumer<Publishing> promote = (to) -> to.promote("s");
		Consumer<Publishing> cancel = (to) -> to.cancel("s", "due");
		Consumer<Publishing> reschedule = (to) -> to.reschedule("s", "due", DueTime.after(HOUR));
		return Stream
			.of(commands(add, "xadd", "hmget", "hset", "del"), commands(addOwn, "xadd", "hset", "del"),
					commands(schedule, "xadd", "hmget", "hset", "del", "zscore", "zadd", "time"),
					commands(scheduleDue, "xadd", "hmget", "hset", "del", "zscore", "zadd", "time"),
					commands(promote, "xadd", "hgetall", "del", "zrem", "zrangebyscore", "time"),
					commands(cancel, "zrem", "del"), commands(reschedule, "zadd", "zscore", "time"))
			.flatMap((some) -> some);
	}

	private static Stream<Arguments> commands(Consumer<Publishing> write, String... commands) {
		return Stream.of(commands).map((command) -> arguments(command, write));
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void changesNothingForAUserWhoMayNotDoAllOfIt(String command, Consumer<Publishing> write) {
		assumeFalse(this.redis.isOlderThanRedis7(), "A script of Redis 6.2 cannot ask for permissions");
		scheduleDueTask();
		try (Publishing restricted = Publishing.asUser(this.redis, "-" + command)) {
			assertChangesNothing(PermissionDeniedDataAccessException.class, write, restricted);
		}
	}

	@Test
	void addsWithoutTrimmingForAUserWhoMayAddAndRunNoScript() {
		NewEntry trimming = Publishing.trimming("s", TrimMode.STRICT, 1, Duration.ZERO);
		try (Publishing restricted = Publishing.asUser(this.redis, "-evalsha", "-eval")) {
			Added added = restricted.add(trimming);
			assertThat(added.id()).isNotNull();
			assertThat(added.undelivered()).isEqualTo(-1);
			assertThat(restricted.commands.publishing().addAll(List.of(trimming, trimming), Durability.NONE))
				.allSatisfy((reply) -> assertThat(Publishing.get(reply).undelivered()).isEqualTo(-1));
		}
		assertThat(this.redis.length("s")).isEqualTo(3);
	}

	// Whatever the server is: it must not be taken for one whose fields are gone
	@Test
	void dropsNoScheduledEntryWhoseFieldsTheUserMayNotRead() {
		scheduleDueTask();
		try (Publishing restricted = Publishing.asUser(this.redis, "-hgetall")) {
			assertChangesNothing(PermissionDeniedDataAccessException.class, (to) -> to.promote("s"), restricted);
		}
	}

	@Test
	void failsAllThatWereSentOverAConnectionThatIsLost() {
		try (TcpProxy proxy = new TcpProxy(this.redis.port());
				Publishing lost = Publishing.to(proxy.port(), (client) -> {
				})) {
			lost.add(numbered(1));
			proxy.swallowReplies();
			List<CompletionStage<Added>> replies = addAll(lost,
					IntStream.range(0, 1200).mapToObj((n) -> numbered(n)).toList());
			proxy.cutConnections();
			replies.forEach((reply) -> assertThatExceptionOfType(RedisConnectionFailureException.class)
				.isThrownBy(() -> get(reply))
				.withMessageContaining(" on 's')"));
			proxy.heal();
			assertThat(lost.id(plain("s", "n", "1"))).isNotNull();
		}
	}

	@Test
	void failsAllThatAServerWhichIsDownCannotBeSent() {
		this.redis.stop();
		try {
			List<CompletionStage<Added>> replies = addAll(this.publishing,
					List.of(plain("s", "n", "0"), plain("s", "n", "1"), task("s", "t", HOUR)));
			assertThat(replies).hasSize(3)
				.allSatisfy((reply) -> assertThatExceptionOfType(RedisConnectionFailureException.class)
					.isThrownBy(() -> get(reply)));
		}
		finally {
			this.redis.start();
		}
		assertThat(get(addAll(this.publishing, List.of(plain("s", "n", "0"))).get(0)).id()).isNotNull();
	}

	@Test
	void usesAnotherConnectionOnceOneIsSilent() {
		try (TcpProxy proxy = new TcpProxy(this.redis.port());
				Publishing silent = Publishing.to(proxy.port(),
						(client) -> client.commandTimeout(Duration.ofMillis(500)))) {
			silent.add(numbered(1));
			proxy.silenceConnections();
			addAll(silent, List.of(plain("s", "n", "1"), task("s", "t", HOUR)))
				.forEach((reply) -> assertThatExceptionOfType(QueryTimeoutException.class).isThrownBy(() -> get(reply))
					.withMessageContaining(" on 's'"));
			assertThat(silent.id(plain("s", "n", "2"))).isNotNull();
		}
	}

}
