package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import io.github.redisstreams.redis.ServerInfo.Capability;
import io.github.redisstreams.test.RedisCluster;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessException;

import static io.github.redisstreams.redis.Publishing.get;
import static io.github.redisstreams.redis.Publishing.plain;
import static io.github.redisstreams.redis.Publishing.task;
import static io.github.redisstreams.redis.Publishing.trimming;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Writing to streams of a cluster.
 */
@Tag("core")
@Tag("server")
class PublishClusterTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final Durability ONE_REPLICA = new Durability(1, false, Duration.ofMillis(50));

	private static RedisCluster cluster;

	private Publishing publishing;

	@BeforeAll
	static void start() {
		cluster = RedisCluster.started(2);
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@BeforeEach
	void open() {
		for (int node = 0; node < 2; node++) {
			cluster.node(node).command("FLUSHALL");
			cluster.node(node).command("SCRIPT", "FLUSH");
		}
		this.publishing = Publishing.to(cluster.configuration(), (client) -> {
		});
	}

	@AfterEach
	void close() {
		this.publishing.close();
	}

	// With and without a hash tag of its own
	private static List<String> streams() {
		return List.of(cluster.keyOn(0), cluster.keyOn(1), "{" + cluster.keyOn(0) + "}:tagged",
				"tagged:{" + cluster.keyOn(1) + "}");
	}

	private static RedisServer nodeOf(String stream) {
		return cluster.node((cluster.node(0).integer("CLUSTER", "KEYSLOT", stream) < 16384 / 2) ? 0 : 1);
	}

	@Test
	void addsEntriesOfAllKinds() {
		for (String stream : streams()) {
			List<NewEntry> entries = new ArrayList<>();
			IntStream.range(0, 1200).forEach((n) -> {
				entries.add(plain(stream, "n", "1"));
				entries.add(trimming(stream, TrimMode.FINISHED, 100_000, HOUR));
				entries.add(task(stream, "task-" + n, HOUR));
			});
			List<EntryId> ids = new ArrayList<>();
			this.publishing.commands.publishing()
				.addAll(entries, Durability.NONE)
				.forEach((reply) -> ids.add(get(reply).id()));
			assertThat(ids).isSorted().hasSize(3600);
			assertThat(nodeOf(stream).length(stream)).isEqualTo(3600);
			assertThat(this.publishing.add(task(stream, "task-7", HOUR)).refusedAs()).isEqualTo(TaskState.QUEUED);
		}
	}

	// No other key is in the slot of such a one for certain
	@ParameterizedTest
	@ValueSource(strings = { "a}b", "a{}b", "{}{a}" })
	void addsToAStreamWithBracesThatAreNoHashTag(String stream) {
		for (int i = 0; i < 200; i++) {
			this.publishing.add(trimming(stream, TrimMode.STRICT, 1, Duration.ZERO));
		}
		assertThat(nodeOf(stream).length(stream)).isBetween(1L, 101L);
	}

	@Test
	void schedulesMovesCancelsAndFinishes() {
		for (String stream : streams()) {
			this.publishing.scheduleInAnHour(task(stream, "t", HOUR), "t");
			this.publishing.scheduleInAnHour(plain(stream, "n", "1"), "p");
			this.publishing.scheduleInAnHour(task(stream, "c", HOUR), "c");
			assertThat(this.publishing.cancel(stream, "c")).isTrue();
			this.publishing.makeDue(stream, "t");
			this.publishing.makeDue(stream, "p");
			assertThat(get(
					this.publishing.commands.publishing().promote(stream, new Trimming(TrimMode.FINISHED, 100, HOUR)))
				.lateness()).hasSize(2);
			assertThat(this.publishing.state(stream, "t")).isEqualTo(TaskState.QUEUED);
			this.publishing.commands.createGroup(stream, "g", "0");
			RedisServer node = nodeOf(stream);
			node.deliver(stream, "g", "c", 10);
			EntryId entry = EntryId.parse(String.valueOf(this.publishing.find(stream, "t").orElseThrow().entry()));
			assertThat(get(this.publishing.commands.tasks()
				.finish(new StreamConsumer(stream, "g", "c"),
						List.of(new TaskAttempt(entry, "t", TaskState.COMPLETED, 1, "")), true)))
				.isEqualTo(1);
			assertThat(this.publishing.state(stream, "t")).isEqualTo(TaskState.COMPLETED);
			assertThat(this.publishing.commands.publishing().scheduled(stream)).isZero();
		}
	}

	private void assertOnNoReplica(String stream) {
		List<NewEntry> entries = List.of(plain(stream, "n", "1"), task(stream, null, HOUR));
		for (CompletionStage<Added> reply : this.publishing.commands.publishing().addAll(entries, ONE_REPLICA)) {
			assertThatExceptionOfType(NotDurableException.class).isThrownBy(() -> get(reply))
				.withMessageContaining("was on 0");
		}
	}

	// Without a replica it tells that it has asked the right node
	@Test
	void waitsAtTheNodeThatHasTheStream() {
		for (String stream : streams()) {
			assertOnNoReplica(stream);
			assertThat(nodeOf(stream).length(stream)).isEqualTo(2);
			if (this.publishing.commands.serverInfo().has(Capability.WAIT_FOR_FSYNC)) {
				Durability onDisk = new Durability(0, true, Duration.ofSeconds(10));
				assertThat(get(
						this.publishing.commands.publishing().addAll(List.of(plain(stream, "n", "1")), onDisk).get(0))
					.id()).isNotNull();
			}
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1 })
	void opensOtherConnectionsOnceThoseToANodeAreClosed(int node) {
		String stream = cluster.keyOn(node);
		for (int i = 0; i < 4; i++) {
			assertOnNoReplica(stream);
		}
		cluster.node(node).command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
		await().until(() -> cluster.node(node).clients().stream().noneMatch((client) -> client.contains("cmd=wait")));
		await().ignoreExceptionsInstanceOf(DataAccessException.class).untilAsserted(() -> {
			for (int i = 0; i < 4; i++) {
				assertOnNoReplica(stream);
			}
		});
	}

	@Test
	void followsAStreamToAnotherNode() {
		String stream = "moving-" + cluster.keyOn(0);
		RedisServer from = nodeOf(stream);
		RedisServer to = (from == cluster.node(0)) ? cluster.node(1) : cluster.node(0);
		String slot = Long.toString(from.integer("CLUSTER", "KEYSLOT", stream));
		for (int i = 0; i < 4; i++) {
			assertOnNoReplica(stream);
		}
		from.command("DEL", stream);
		from.list("KEYS", "*").forEach((key) -> from.command("DEL", (String) key));
		try {
			move(slot, to);
			await().ignoreExceptionsInstanceOf(DataAccessException.class).untilAsserted(() -> {
				for (int i = 0; i < 4; i++) {
					assertOnNoReplica(stream);
				}
			});
			assertThat(to.length(stream)).isGreaterThanOrEqualTo(8);
		}
		finally {
			to.list("KEYS", "*").forEach((key) -> to.command("DEL", (String) key));
			move(slot, from);
		}
	}

	private static void move(String slot, RedisServer to) {
		String id = to.text("CLUSTER", "MYID");
		// The new owner first, whose higher epoch the other then believes
		to.command("CLUSTER", "SETSLOT", slot, "NODE", id);
		for (int node = 0; node < 2; node++) {
			cluster.node(node).command("CLUSTER", "SETSLOT", slot, "NODE", id);
		}
	}

}
