package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

@Tag("core")
@RealRedis
class LettuceStreamReaderTests {

	private static final Duration NO_WAIT = Duration.ZERO;

	private static final Duration LONG_BLOCK = Duration.ofSeconds(20);

	private final LettuceFactories factories = new LettuceFactories();

	private final List<AutoCloseable> opened = new ArrayList<>();

	private RedisServer server;

	private LettuceStreamCommands commands;

	@BeforeEach
	void open(RedisServer server) {
		this.server = server;
		this.commands = commands(server.port(), (client) -> {
		});
		server.command("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM");
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable closeable : this.opened) {
			closeable.close();
		}
		this.factories.close();
	}

	private LettuceStreamCommands commands(int port, Consumer<LettuceClientConfigurationBuilder> client) {
		LettuceStreamCommands commands = new LettuceStreamCommands(this.factories.to(port, (standalone) -> {
		}, client));
		this.opened.add(0, commands);
		return commands;
	}

	private static List<String> pending(LettuceStreamCommands commands) {
		return commands.pending(new StreamConsumer("s", "g", "me"), EntryId.ZERO, 10)
			.stream()
			.map((pending) -> pending.id().toString())
			.toList();
	}

	private StreamReader reader() {
		return reader(this.commands);
	}

	private StreamReader reader(LettuceStreamCommands commands) {
		StreamReader reader = commands.openReader(new StreamConsumer("s", "g", "me"));
		this.opened.add(0, reader);
		return reader;
	}

	private CompletableFuture<EntryBatch> readInBackground(StreamReader reader, Duration block) {
		CompletableFuture<EntryBatch> result = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				result.complete(reader.readNew(10, block));
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		thread.setDaemon(true);
		thread.start();
		await().until(() -> !this.server.blockedClients().isEmpty());
		return result;
	}

	private static List<String> ids(EntryBatch batch) {
		return batch.entries().stream().map((entry) -> entry.id().toString()).toList();
	}

	private static List<String> deleted(EntryBatch batch) {
		return batch.deleted().stream().map(EntryId::toString).toList();
	}

	private static List<Long> counts(EntryBatch batch) {
		return batch.entries().stream().map(StreamEntry::deliveryCount).toList();
	}

	@Test
	void readsNewEntriesUnderItsConsumer() {
		List<String> ids = this.server.addPipelined("s", 5);
		StreamReader reader = reader();
		EntryBatch batch = reader.readNew(3, NO_WAIT);
		assertThat(ids(batch)).isEqualTo(ids.subList(0, 3));
		assertThat(counts(batch)).containsOnly(1L);
		assertThat(this.server.pendingEntries("s", "g")).hasSize(3)
			.allSatisfy((id, pending) -> assertThat(pending.consumer()).isEqualTo("me"));
		assertThat(ids(reader.readNew(3, NO_WAIT))).isEqualTo(ids.subList(3, 5));
		assertThat(reader.readNew(3, NO_WAIT)).isEqualTo(EntryBatch.EMPTY);
	}

	@Test
	void handsOverWhatItHasReadBeforeItReturnsIt() {
		this.server.addPipelined("s", 2);
		List<EntryBatch> taken = new ArrayList<>();
		EntryBatch batch = reader().readNew(3, NO_WAIT, taken::add);
		assertThat(ids(batch)).hasSize(2);
		assertThat(taken).containsExactly(batch);
	}

	@Test
	void failsWhereWhatItHasReadCannotBeHandedOver() {
		this.server.addPipelined("s", 1);
		IllegalStateException failure = new IllegalStateException("refused by the test");
		assertThatThrownBy(() -> reader().readNew(1, NO_WAIT, (read) -> {
			throw failure;
		})).isInstanceOf(DataAccessException.class).hasRootCause(failure);
	}

	@Test
	void waitsForNewEntriesNoLongerThanTold() {
		long start = System.nanoTime();
		assertThat(reader().readNew(1, Duration.ofMillis(300))).isEqualTo(EntryBatch.EMPTY);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(290),
				Duration.ofSeconds(10));
	}

	@Test
	void getsAnEntryThatComesWhileItWaits() {
		CompletableFuture<EntryBatch> read = readInBackground(reader(), LONG_BLOCK);
		String id = this.server.add("s", "n", "1");
		assertThat(read).succeedsWithin(10, TimeUnit.SECONDS)
			.satisfies((batch) -> assertThat(ids(batch)).containsExactly(id));
	}

	@Test
	void doesNotWaitForLessThanAMillisecondNorForEver() {
		long start = System.nanoTime();
		assertThat(reader().readNew(1, Duration.ofNanos(999_999))).isEqualTo(EntryBatch.EMPTY);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
	}

	@Test
	void waitsLongerThanTheCommandTimeoutOfTheApplication() {
		StreamReader reader = reader(
				commands(this.server.port(), (client) -> client.commandTimeout(Duration.ofSeconds(1))));
		assertThat(reader.readNew(1, Duration.ofSeconds(3))).isEqualTo(EntryBatch.EMPTY);
		String id = this.server.add("s", "n", "1");
		assertThat(ids(reader.readNew(1, NO_WAIT))).containsExactly(id);
	}

	@Test
	void opensNoConnectionForAPoll() {
		StreamReader reader = reader();
		reader.readNew(1, NO_WAIT);
		String before = this.server.info("total_connections_received").orElseThrow();
		for (int i = 0; i < 10; i++) {
			reader.readNew(1, Duration.ofMillis(10));
			reader.claim(EntryId.ZERO, Duration.ofMillis(1), 10);
		}
		assertThat(this.server.info("total_connections_received")).contains(before);
	}

	@ParameterizedTest
	@EnumSource(ProtocolVersion.class)
	void claimsAbandonedEntriesAndTellsHowOftenEachWasDelivered(ProtocolVersion protocol) {
		List<String> ids = this.server.addPipelined("s", 4);
		this.server.deliver("s", "g", "dead", 4);
		abandon(ids.get(0), 1);
		abandon(ids.get(1), 6);
		abandon(ids.get(3), 2);
		StreamReader reader = reader(commands(this.server.port(),
				(client) -> client.clientOptions(ClientOptions.builder().protocolVersion(protocol).build())));
		EntryBatch batch = reader.claim(EntryId.ZERO, Duration.ofMinutes(1), 10);
		assertThat(ids(batch)).containsExactly(ids.get(0), ids.get(1), ids.get(3));
		assertThat(counts(batch)).containsExactly(2L, 7L, 3L);
		assertThat(batch.cursor()).isEqualTo(EntryId.ZERO);
		assertThat(this.server.pendingEntries("s", "g").values()).extracting(RedisServer.Pending::consumer)
			.containsExactly("me", "me", "dead", "me");
	}

	@Test
	void leavesEntriesThatAreNotIdleLongEnough() {
		this.server.addPipelined("s", 4);
		this.server.deliver("s", "g", "alive", 4);
		assertThat(reader().claim(EntryId.ZERO, Duration.ofMinutes(1), 10)).isEqualTo(EntryBatch.EMPTY);
		assertThat(this.server.pendingEntries("s", "g")).hasSize(4)
			.allSatisfy((id, pending) -> assertThat(pending.consumer()).isEqualTo("alive"));
	}

	@Test
	void goesOnClaimingFromTheCursor() {
		List<String> ids = this.server.addPipelined("s", 25);
		this.server.deliver("s", "g", "dead", 25);
		StreamReader reader = reader();
		List<String> claimed = new ArrayList<>();
		List<Integer> sizes = new ArrayList<>();
		EntryId cursor = EntryId.ZERO;
		do {
			EntryBatch batch = reader.claim(cursor, NO_WAIT, 10);
			claimed.addAll(ids(batch));
			sizes.add(batch.entries().size());
			cursor = batch.cursor();
		}
		while (!cursor.equals(EntryId.ZERO));
		assertThat(claimed).isEqualTo(ids);
		assertThat(sizes).containsExactly(10, 10, 5);
	}

	@Test
	void findsAbandonedEntriesBehindManyThatAreNot() {
		List<String> ids = this.server.addPipelined("s", 1001);
		this.server.deliver("s", "g", "alive", 1001);
		abandon(ids.get(1000), 1);
		StreamReader reader = reader();
		EntryId cursor = EntryId.ZERO;
		int calls = 0;
		List<String> claimed = new ArrayList<>();
		do {
			EntryBatch batch = reader.claim(cursor, Duration.ofMinutes(1), 10);
			claimed.addAll(ids(batch));
			cursor = batch.cursor();
			calls++;
		}
		while (!cursor.equals(EntryId.ZERO));
		assertThat(claimed).containsExactly(ids.get(1000));
		assertThat(calls).isGreaterThan(1);
	}

	@Test
	void countsDeliveriesThoughTheConsumerHoldsManyEntriesInBetween() {
		List<String> ids = this.server.addPipelined("s", 211);
		this.server.deliver("s", "g", "dead", 10);
		this.server.deliver("s", "g", "me", 200);
		this.server.deliver("s", "g", "dead", 1);
		// As many as have the claim look further
		List<String> abandoned = new ArrayList<>(ids.subList(0, 10));
		abandoned.add(ids.get(210));
		ids.subList(0, 10).forEach((id) -> abandon(id, 4));
		abandon(ids.get(210), 9);
		EntryBatch batch = reader().claim(EntryId.ZERO, Duration.ofMinutes(1), 100);
		assertThat(ids(batch)).isEqualTo(abandoned);
		assertThat(counts(batch)).isEqualTo(List.of(5L, 5L, 5L, 5L, 5L, 5L, 5L, 5L, 5L, 5L, 10L));
	}

	@Test
	void aClaimLooksAtSoFewEntriesThatItDoesNotHoldUpTheServer() {
		List<String> ids = this.server.addPipelined("s", 1000);
		this.server.deliver("s", "g", "peer", 1000);
		EntryBatch batch = reader().claim(EntryId.ZERO, Duration.ofMinutes(1), 1000);
		assertThat(batch.entries()).isEmpty();
		assertThat(batch.cursor()).isEqualTo(EntryId.parse(ids.get(100)));
	}

	@Test
	void claimsAsManyAsItMayWhereManyAreAbandoned() {
		List<String> ids = this.server.addPipelined("s", 90);
		this.server.deliver("s", "g", "dead", 90);
		StreamReader reader = reader();
		EntryBatch batch = reader.claim(EntryId.ZERO, NO_WAIT, 60);
		assertThat(ids(batch)).isEqualTo(ids.subList(0, 60));
		assertThat(counts(batch)).containsOnly(2L);
		EntryBatch rest = reader.claim(batch.cursor(), NO_WAIT, 60);
		assertThat(ids(rest)).isEqualTo(ids.subList(60, 90));
		assertThat(rest.cursor()).isEqualTo(EntryId.ZERO);
	}

	@Test
	void tellsDeletedEntriesOfAClaimOnce() {
		assumeFalse(this.server.isOlderThanRedis7(), "Redis 6.2 does not tell a claim what was deleted");
		List<String> ids = this.server.addPipelined("s", 4);
		this.server.deliver("s", "g", "dead", 4);
		this.server.command("XDEL", "s", ids.get(1), ids.get(3));
		StreamReader reader = reader();
		EntryBatch batch = reader.claim(EntryId.ZERO, NO_WAIT, 10);
		assertThat(ids(batch)).containsExactly(ids.get(0), ids.get(2));
		assertThat(deleted(batch)).containsExactly(ids.get(1), ids.get(3));
		assertThat(deleted(reader.claim(EntryId.ZERO, NO_WAIT, 10))).isEmpty();
	}

	@Test
	void tellsThatTheGroupIsMissing() {
		StreamReader reader = reader();
		this.server.command("XGROUP", "DESTROY", "s", "g");
		assertThatThrownBy(() -> reader.readNew(1, NO_WAIT)).isInstanceOf(DataAccessException.class)
			.hasMessageContaining("NOGROUP")
			.hasMessageContaining("XREADGROUP on 's'")
			.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.GROUP_MISSING));
		assertThatThrownBy(() -> reader.claim(EntryId.ZERO, NO_WAIT, 1))
			.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.GROUP_MISSING));
	}

	@Test
	void tellsThatTheGroupIsMissingOnceTheStreamIsDeletedWhileItWaits() {
		assumeFalse(this.server.isOlderThanRedis7(), "Redis 6.2 lets a read block on after its stream was deleted");
		CompletableFuture<EntryBatch> read = readInBackground(reader(), LONG_BLOCK);
		this.server.command("DEL", "s");
		assertThat(failure(read)).satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.GROUP_MISSING));
	}

	@Test
	void endsABlockedReadWithinASecondAndLosesNothing() {
		StreamReader reader = reader();
		CompletableFuture<EntryBatch> read = readInBackground(reader, LONG_BLOCK);
		reader.unblock();
		assertThat(read).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo(EntryBatch.EMPTY);
		String id = this.server.add("s", "n", "1");
		assertThat(ids(reader.readNew(1, NO_WAIT))).containsExactly(id);
	}

	@Test
	void unblockDoesNotEndTheNextRead() {
		StreamReader reader = reader();
		reader.unblock();
		// Comes after it on the same connection
		this.commands.groups("s");
		CompletableFuture<EntryBatch> read = readInBackground(reader, LONG_BLOCK);
		String id = this.server.add("s", "n", "1");
		assertThat(read).succeedsWithin(10, TimeUnit.SECONDS)
			.satisfies((batch) -> assertThat(ids(batch)).containsExactly(id));
	}

	@Test
	void letsABlockedReadRunOutWhereUnblockIsNotPermitted() {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all", "-client", "+client|id");
		try {
			LettuceStreamCommands commands = new LettuceStreamCommands(
					this.factories.to(this.server.port(), (standalone) -> {
						standalone.setUsername("app");
						standalone.setPassword("secret");
					}, (client) -> {
					}));
			this.opened.add(0, commands);
			StreamReader reader = reader(commands);
			CompletableFuture<EntryBatch> read = readInBackground(reader, Duration.ofMillis(500));
			reader.unblock();
			assertThat(read).isNotDone().succeedsWithin(10, TimeUnit.SECONDS).isEqualTo(EntryBatch.EMPTY);
		}
		finally {
			this.server.command("ACL", "DELUSER", "app");
		}
	}

	@Test
	void failsAtOnceWhenItsConnectionIsKilled() {
		StreamReader reader = reader();
		CompletableFuture<EntryBatch> read = readInBackground(reader, LONG_BLOCK);
		this.server.command("CLIENT", "KILL", "ID", this.server.blockedClients().get(0));
		assertThat(failure(read)).satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.DISCONNECTED));
		assertThatThrownBy(() -> reader.readNew(1, NO_WAIT))
			.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.DISCONNECTED));
		reader.close();
		String id = this.server.add("s", "n", "1");
		assertThat(this.server.pending("s", "g")).as("delivered to the reader that is gone").isZero();
		assertThat(ids(reader().readNew(1, NO_WAIT))).containsExactly(id);
	}

	@Test
	void findsTheEntriesOfALostReplyInItsOwnPendingEntries() {
		try (TcpProxy proxy = new TcpProxy(this.server.port())) {
			LettuceStreamCommands commands = commands(proxy.port(), (client) -> {
			});
			StreamReader reader = reader(commands);
			CompletableFuture<EntryBatch> read = readInBackground(reader, LONG_BLOCK);
			proxy.swallowReplies();
			String lost = this.server.add("s", "n", "1");
			await().until(() -> this.server.pending("s", "g") == 1);
			proxy.cutConnections();
			proxy.heal();
			assertThat(failure(read))
				.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.DISCONNECTED));
			reader.close();
			String next = this.server.add("s", "n", "2");
			assertThat(this.server.pending("s", "g")).as("the read was not sent again").isEqualTo(1);
			assertThat(pending(commands)).containsExactly(lost);
			assertThat(ids(reader(commands).readNew(10, NO_WAIT))).containsExactly(next);
		}
	}

	@Test
	void failsAtOnceWhenItsConnectionIsReset() {
		try (TcpProxy proxy = new TcpProxy(this.server.port())) {
			CompletableFuture<EntryBatch> read = readInBackground(reader(commands(proxy.port(), (client) -> {
			})), LONG_BLOCK);
			proxy.resetConnections();
			assertThat(failure(read))
				.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.DISCONNECTED));
		}
	}

	@Test
	void losesPatienceWithASilentServerAndLosesNothing() {
		try (TcpProxy proxy = new TcpProxy(this.server.port())) {
			LettuceStreamCommands commands = commands(proxy.port(),
					(client) -> client.commandTimeout(Duration.ofMillis(500)));
			StreamReader reader = reader(commands);
			CompletableFuture<EntryBatch> read = readInBackground(reader, Duration.ofMillis(300));
			proxy.swallowReplies();
			String lost = this.server.add("s", "n", "1");
			assertThat(failure(read)).satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.TIMEOUT))
				.hasMessageContaining("XREADGROUP on 's'");
			reader.close();
			proxy.heal();
			assertThat(pending(commands)).containsExactly(lost);
		}
	}

	@Test
	void takesALateReplyWithinItsPatience() {
		try (TcpProxy proxy = new TcpProxy(this.server.port())) {
			StreamReader reader = reader(
					commands(proxy.port(), (client) -> client.commandTimeout(Duration.ofSeconds(2))));
			proxy.delayReplies(Duration.ofMillis(500));
			String id = this.server.add("s", "n", "1");
			assertThat(ids(reader.readNew(1, Duration.ofMillis(100)))).containsExactly(id);
		}
	}

	@Test
	void takesNothingFromTheStreamAfterAnInterruptAndClose() throws Exception {
		StreamReader reader = reader();
		CompletableFuture<Throwable> failure = new CompletableFuture<>();
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try (reader) {
				reader.readNew(1, LONG_BLOCK);
			}
			catch (Throwable ex) {
				failure.complete(ex);
			}
			interrupted.complete(Thread.currentThread().isInterrupted());
		});
		thread.start();
		await().until(() -> !this.server.blockedClients().isEmpty());
		thread.interrupt();
		assertThat(failure).succeedsWithin(10, TimeUnit.SECONDS).isInstanceOf(DataAccessException.class);
		assertThat(interrupted).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo(true);
		thread.join();
		await().untilAsserted(() -> assertThat(this.server.blockedClients()).isEmpty());
		String id = this.server.add("s", "n", "1");
		assertThat(this.server.pending("s", "g")).isZero();
		assertThat(ids(reader().readNew(1, NO_WAIT))).containsExactly(id);
	}

	private static Throwable failure(CompletableFuture<?> future) {
		try {
			return new AssertionError("Did not fail but gave " + future.get(10, TimeUnit.SECONDS));
		}
		catch (Exception ex) {
			return (ex.getCause() != null) ? ex.getCause() : ex;
		}
	}

	/**
	 * Make it look as if the consumer had not been heard of for two minutes.
	 */
	private void abandon(String id, int deliveries) {
		this.server.command("XCLAIM", "s", "g", "dead", "0", id, "IDLE", "120000", "RETRYCOUNT",
				Integer.toString(deliveries), "JUSTID");
	}

}
