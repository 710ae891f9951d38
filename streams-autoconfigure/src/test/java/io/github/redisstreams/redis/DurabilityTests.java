package io.github.redisstreams.redis;

import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import io.github.redisstreams.redis.ServerInfo.Capability;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;

import static io.github.redisstreams.redis.Publishing.get;
import static io.github.redisstreams.redis.Publishing.plain;
import static io.github.redisstreams.redis.Publishing.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Sends that wait until replicas or disks have what was sent.
 */
@Tag("core")
@RealRedis(own = true, arguments = { "--repl-diskless-sync-delay", "0" })
class DurabilityTests extends PublishingFixture {

	private static final Duration LONG = Duration.ofSeconds(10);

	private static final Duration SHORT = Duration.ofMillis(100);

	private static final int CHANNELS = 4;

	@AfterEach
	void restore() {
		this.redis.command("CONFIG", "SET", "appendonly", "yes");
	}

	private RedisServer replica() {
		RedisServer replica = RedisServer.started("--replicaof", "127.0.0.1", Integer.toString(this.redis.port()));
		await().until(() -> replica.info("master_link_status").equals(Optional.of("up")));
		return replica;
	}

	private static Added add(Publishing publishing, NewEntry entry, Durability durability) {
		return get(publishing.commands.publishing().addAll(List.of(entry), durability).get(0));
	}

	private void assertNotDurable(Publishing publishing, Durability durability, String... words) {
		assertThatExceptionOfType(NotDurableException.class)
			.isThrownBy(() -> add(publishing, plain("s", "n", "1"), durability))
			.withMessageContainingAll(words)
			.withMessageContaining("stream 's'")
			.satisfies((ex) -> assertThat(this.redis.list("XREVRANGE", "s", "+", "-", "COUNT", "1").toString())
				.contains(String.valueOf(ex.getEntry())));
	}

	private boolean knowsWaitAof() {
		return this.publishing.commands.serverInfo().has(Capability.WAIT_FOR_FSYNC);
	}

	@Test
	void isSentOnceAReplicaHasIt() {
		try (RedisServer replica = replica()) {
			Added added = add(this.publishing, plain("s", "n", "1"), new Durability(1, false, LONG));
			assertThat(replica.list("XRANGE", "s", "-", "+").toString()).contains(String.valueOf(added.id()));
			assertNotDurable(this.publishing, new Durability(2, false, SHORT), "2 replicas", "was on 1");
		}
	}

	@Test
	void isSentWithoutTrimmingByAUserWhoMayRunNoScript() {
		NewEntry trimming = Publishing.trimming("s", TrimMode.STRICT, 1, Duration.ZERO);
		try (RedisServer replica = replica();
				Publishing restricted = Publishing.asUser(this.redis, "-evalsha", "-eval")) {
			Added added = add(restricted, trimming, new Durability(1, false, LONG));
			assertThat(added.undelivered()).isEqualTo(-1);
			assertThat(replica.list("XRANGE", "s", "-", "+").toString()).contains(String.valueOf(added.id()));
			assertThatExceptionOfType(NotDurableException.class)
				.isThrownBy(() -> add(restricted, trimming, new Durability(2, false, SHORT)));
		}
	}

	@Test
	void failsWithTheIdOfTheEntryThatNoReplicaHas() {
		assertNotDurable(this.publishing, new Durability(1, false, SHORT), "1 replicas", "was on 0");
	}

	@Test
	void tellsOfEachOfManyEntriesWhatCameOfIt() {
		this.publishing.add(task("s", "active", LONG));
		List<NewEntry> entries = new ArrayList<>();
		for (int i = 0; i < 600; i++) {
			entries.add((i % 2 == 0) ? plain("s", "n", "1") : task("s", "task-" + i, LONG));
		}
		entries.set(7, task("s", "active", LONG));
		List<CompletionStage<Added>> replies = new ArrayList<>(
				this.publishing.commands.publishing().addAll(entries, new Durability(1, false, SHORT)));
		assertThat(get(replies.get(7)).refusedAs()).isEqualTo(TaskState.QUEUED);
		replies.remove(7);
		replies.forEach((reply) -> assertThatExceptionOfType(NotDurableException.class).isThrownBy(() -> get(reply)));
		assertThat(this.redis.length("s")).isEqualTo(600);
	}

	@Test
	void isScheduledOnceAReplicaHasIt() {
		DueTime due = DueTime.after(LONG);
		PublishCommands commands = this.publishing.commands.publishing();
		assertThatExceptionOfType(NotDurableException.class)
			.isThrownBy(() -> get(commands.schedule(plain("s", "n", "1"), "a", due, new Durability(1, false, SHORT))))
			.withMessageContaining("was scheduled for 's'")
			.satisfies((ex) -> assertThat(ex.getEntry()).isNull());
		assertThat(commands.scheduled("s")).isEqualTo(1);
		try (RedisServer replica = replica()) {
			Added added = get(commands.schedule(plain("s", "n", "1"), "b", due, new Durability(1, false, LONG)));
			assertThat(added.dueIn()).isEqualTo(LONG);
			assertThat(replica.integer("ZCARD", "{s}:delayed")).isEqualTo(2);
		}
	}

	@Test
	void isSentOnceItIsOnDisk() {
		assumeTrue(knowsWaitAof(), "The server knows no WAITAOF");
		assertThat(add(this.publishing, plain("s", "n", "1"), new Durability(0, true, LONG)).id()).isNotNull();
		assertNotDurable(this.publishing, new Durability(1, true, SHORT), "1 replicas and on disk", "was on 0");
		this.redis.command("CONFIG", "SET", "appendonly", "no");
		assertNotDurable(this.publishing, new Durability(0, true, SHORT), "cannot be told", "appendonly");
	}

	@Test
	void sendsNothingThatIsWantedOnDiskToAServerThatCannotTell() {
		assumeFalse(knowsWaitAof(), "The server knows WAITAOF");
		PublishCommands commands = this.publishing.commands.publishing();
		Durability onDisk = new Durability(0, true, LONG);
		for (CompletionStage<Added> reply : List.of(commands.addAll(List.of(plain("s", "n", "1")), onDisk).get(0),
				commands.schedule(plain("s", "n", "1"), "a", DueTime.after(LONG), onDisk))) {
			assertThatExceptionOfType(InvalidDataAccessResourceUsageException.class).isThrownBy(() -> get(reply))
				.withMessageContaining("'s'")
				.withMessageContaining("does not know WAITAOF, which came with Redis 7.2");
		}
		assertThat(this.redis.list("KEYS", "*")).isEmpty();
	}

	@Test
	void tellsWhereTheUserMayNotWait() {
		try (Publishing restricted = Publishing.asUser(this.redis, "-wait")) {
			assertNotDurable(restricted, new Durability(1, false, LONG), "cannot be told", "NOPERM");
		}
	}

	@Test
	void doesNotHoldUpWhatIsSentMeanwhile() {
		CompletionStage<Added> waiting = this.publishing.commands.publishing()
			.addAll(List.of(plain("s", "n", "1")), new Durability(1, false, LONG))
			.get(0);
		await().until(() -> this.redis.blockedClients().size() == 1);
		assertThat(this.publishing.id(plain("s", "n", "2"))).isNotNull();
		assertThat(waiting.toCompletableFuture().isDone()).isFalse();
		this.redis.command("CLIENT", "UNBLOCK", this.redis.blockedClients().get(0));
		assertThatExceptionOfType(NotDurableException.class).isThrownBy(() -> get(waiting));
	}

	@Test
	void failsWithTheIdWhereTheConnectionIsLostWhileItWaits() {
		CompletionStage<Added> waiting = this.publishing.commands.publishing()
			.addAll(List.of(plain("s", "n", "1")), new Durability(1, false, LONG))
			.get(0);
		await().until(() -> this.redis.blockedClients().size() == 1);
		this.redis.command("CLIENT", "KILL", "ID", this.redis.blockedClients().get(0));
		assertThatExceptionOfType(NotDurableException.class).isThrownBy(() -> get(waiting))
			.withMessageContaining("cannot be told")
			.withCauseInstanceOf(Exception.class)
			.satisfies((ex) -> assertThat(ex.getEntry()).isNotNull())
			.satisfies((ex) -> assertThat(RedisFault.of(ex)).isEqualTo(RedisFault.DISCONNECTED));
		sendOnAllChannels(this.publishing);
	}

	private static void sendOnAllChannels(Publishing publishing) {
		for (int i = 0; i < CHANNELS; i++) {
			assertThatExceptionOfType(NotDurableException.class)
				.isThrownBy(() -> add(publishing, plain("s", "n", "1"), new Durability(1, false, SHORT)))
				.withMessageContaining("was on 0");
		}
	}

	@Test
	void keepsNothingOfWhatHasBeenRepliedTo() {
		WeakReference<byte[]> content = sendContent();
		sendOnAllChannels(this.publishing);
		await().atMost(Duration.ofSeconds(5)).until(() -> {
			System.gc();
			return content.get() == null;
		});
	}

	private WeakReference<byte[]> sendContent() {
		byte[] content = new byte[1000];
		NewEntry entry = new NewEntry("s", List.of("n".getBytes(StandardCharsets.UTF_8), content));
		assertThatExceptionOfType(NotDurableException.class)
			.isThrownBy(() -> add(this.publishing, entry, new Durability(1, false, SHORT)));
		return new WeakReference<>(content);
	}

	@Test
	void usesOtherConnectionsOnceTheyAreSilent() {
		try (TcpProxy proxy = new TcpProxy(this.redis.port());
				Publishing silent = Publishing.to(proxy.port(),
						(client) -> client.commandTimeout(Duration.ofMillis(500)))) {
			sendOnAllChannels(silent);
			proxy.silenceConnections();
			for (int i = 0; i < CHANNELS; i++) {
				assertThatExceptionOfType(QueryTimeoutException.class)
					.isThrownBy(() -> add(silent, plain("s", "n", "1"), new Durability(1, false, SHORT)))
					.withMessageContaining("XADD on 's'");
			}
			sendOnAllChannels(silent);
		}
	}

	@Test
	void usesOtherConnectionsOnceTheyAreClosed() {
		sendOnAllChannels(this.publishing);
		this.redis.stop();
		assertThatExceptionOfType(RedisConnectionFailureException.class)
			.isThrownBy(() -> add(this.publishing, plain("s", "n", "1"), new Durability(1, false, SHORT)));
		this.redis.start();
		sendOnAllChannels(this.publishing);
	}

}
