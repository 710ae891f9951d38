package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.redis.CountedLag;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.NewEntry;
import io.github.redisstreams.test.RedisCluster;
import io.github.redisstreams.test.RedisSentinel;
import io.github.redisstreams.test.RedisServer;
import io.lettuce.core.ReadFrom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Field cases: arrangements of more than one server.
 */
@Tag("slow")
class FieldCaseTopologyTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static RedisServer master;

	private static RedisServer replica;

	private static RedisSentinel sentinel;

	private static RedisCluster cluster;

	@BeforeAll
	static void startServers() {
		master = RedisServer.started("--repl-diskless-sync-delay", "0");
		replica = RedisServer.started("--replicaof", "127.0.0.1 " + master.port());
		await().atMost(PATIENCE).until(() -> replica.info("master_link_status").orElse("").equals("up"));
		sentinel = RedisSentinel.watching(master);
		cluster = RedisCluster.started(2);
	}

	@AfterAll
	static void stopServers() {
		cluster.close();
		sentinel.close();
		replica.close();
		master.close();
	}

	@BeforeEach
	void clear() {
		master.command("FLUSHALL");
		cluster.node(0).command("FLUSHALL");
		cluster.node(1).command("FLUSHALL");
	}

	private static void awaitHandled(Recorder handler, List<String> ids) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(handler.ids()).containsAll(ids));
	}

	private static void awaitNothingPending(RedisServer server, String stream) {
		await().atMost(PATIENCE)
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(server.pending(stream, "g")).as("pending on " + stream).isZero());
	}

	private static long calls(RedisServer server, String command) {
		return server.info("cmdstat_" + command)
			.map((stat) -> Long.parseLong(stat.substring("calls=".length(), stat.indexOf(','))))
			.orElse(0L);
	}

	@ParameterizedTest
	@EnumSource(Topology.class)
	@DisplayName("C28 the entries of a dead consumer are recovered alike on standalone, Sentinel and cluster")
	void claimsTheEntriesOfADeadConsumerAndTakesUpItsOwn(Topology topology) {
		String stream = topology.stream();
		RedisServer server = topology.server();
		server.command("XGROUP", "CREATE", stream, "g", "0", "MKSTREAM");
		List<String> ids = server.addPipelined(stream, 12);
		server.deliver(stream, "g", "me", 3);
		server.deliver(stream, "g", "dead", 5);
		Recorder handler = new Recorder();
		try (Containers containers = new Containers(topology::configuration)) {
			StreamListenerContainer container = containers.start("me",
					(options) -> options.stream(stream)
						.minIdle(Duration.ofMillis(800))
						.claimInterval(Duration.ofMillis(100)),
					handler);
			awaitHandled(handler, ids);
			awaitNothingPending(server, stream);
			assertThat(handler.ids()).startsWith(ids.subList(0, 3).toArray(String[]::new))
				.containsExactlyInAnyOrderElementsOf(ids);
			assertThat(handler.deliveries()).extracting((delivery) -> delivery.entry().deliveryCount())
				.filteredOn((count) -> count == 2)
				.hasSize(8);
			await().untilAsserted(() -> assertThat(container.getCounters().claimed()).isEqualTo(5));
			await().untilAsserted(() -> assertThat(container.getCounters().retried()).isEqualTo(3));
		}
	}

	@ParameterizedTest
	@EnumSource(Topology.class)
	@DisplayName("C28 what fails is retried and dead-lettered alike on standalone, Sentinel and cluster")
	void retriesAndDeadLettersWhatFails(Topology topology) {
		String stream = topology.stream();
		RedisServer server = topology.server();
		List<String> ids = server.addPipelined(stream, 5);
		Recorder handler = new Recorder() {

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				super.handle(deliveries);
				String id = deliveries.get(0).entry().id().toString();
				long count = deliveries.get(0).entry().deliveryCount();
				if (id.equals(ids.get(1)) || (id.equals(ids.get(2)) && count == 1)) {
					throw new IllegalStateException("failed");
				}
			}

		};
		try (Containers containers = new Containers(topology::configuration)) {
			StreamListenerContainer container = containers.start("me",
					(options) -> options.stream(stream)
						.maxDeliveries(3)
						.retry((retry) -> retry.initialInterval(Duration.ofMillis(10))),
					handler);
			await().atMost(PATIENCE).until(() -> container.getCounters().deadLettered() == 1);
			awaitHandled(handler, ids);
			awaitNothingPending(server, stream);
			assertThat(handler.ids()).filteredOn(ids.get(1)::equals).hasSize(3);
			assertThat(handler.ids()).filteredOn(ids.get(2)::equals).hasSize(2);
			assertThat(handler.ids()).hasSize(8);
			List<Object> letters = server.list("XRANGE", "{" + stream + "}:dlq", "-", "+");
			assertThat(letters).hasSize(1);
			assertThat(((List<?>) ((List<?>) letters.get(0)).get(1)).contains(ids.get(1))).isTrue();
		}
	}

	@Test
	@DisplayName("C14 with ReadFrom=REPLICA_PREFERRED every command still goes to the master")
	void sendsEverythingToTheMasterThoughTheApplicationReadsFromReplicas() {
		RedisStaticMasterReplicaConfiguration nodes = new RedisStaticMasterReplicaConfiguration("127.0.0.1",
				master.port());
		nodes.addNode("127.0.0.1", replica.port());
		for (RedisConfiguration servers : List.of(sentinel.configuration(), nodes)) {
			master.command("FLUSHALL");
			assertThatReplicaIsAskedNothing(servers, master, replica);
		}
	}

	@Test
	@DisplayName("C14 with ReadFrom=REPLICA_PREFERRED every command still goes to the master of a cluster's slot")
	void sendsEverythingToTheMasterOfTheSlotThoughTheApplicationReadsFromReplicas() {
		try (RedisCluster single = RedisCluster.started(1);
				RedisServer second = RedisServer.started("--cluster-enabled", "yes")) {
			RedisServer first = single.node(0);
			second.command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(first.port()));
			// Refused until it has got to know the other
			await().atMost(PATIENCE)
				.ignoreExceptions()
				.until(() -> second.command("CLUSTER", "REPLICATE", first.text("CLUSTER", "MYID")) != null);
			await().atMost(PATIENCE).until(() -> second.info("master_link_status").orElse("").equals("up"));
			await().atMost(PATIENCE).until(() -> first.text("CLUSTER", "NODES").contains("slave"));
			assertThatReplicaIsAskedNothing(single.configuration(), first, second);
		}
	}

	private static void assertThatReplicaIsAskedNothing(RedisConfiguration servers, RedisServer master,
			RedisServer replica) {
		replica.command("CONFIG", "RESETSTAT");
		master.command("CONFIG", "RESETSTAT");
		List<String> ids = new ArrayList<>(master.addPipelined("s", 100));
		Recorder handler = new Recorder() {

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				super.handle(deliveries);
				if (deliveries.get(0).entry().deliveryCount() < 3
						&& deliveries.get(0).entry().id().toString().equals(ids.get(7))) {
					throw new IllegalStateException("at first");
				}
			}

		};
		try (Containers containers = new Containers(() -> servers,
				(client) -> client.readFrom(ReadFrom.REPLICA_PREFERRED))) {
			containers.start("me",
					(options) -> options.minIdle(Duration.ofMillis(900))
						.pollTimeout(Duration.ofMillis(100))
						.claimInterval(Duration.ofMillis(100))
						.retry((retry) -> retry.initialInterval(Duration.ofMillis(10))),
					handler);
			LettuceStreamCommands commands = containers.commands();
			ids.add(String.valueOf(commands.publishing()
				.add(new NewEntry("s", List.of(new byte[] { 1 }, new byte[] { 2 })))
				.toCompletableFuture()
				.join()
				.id()));
			awaitHandled(handler, ids);
			awaitNothingPending(master, "s");
			await().atMost(PATIENCE).until(() -> calls(master, "xautoclaim") >= 3);
			assertThat(commands.groups("s")).hasSize(1);
			assertThat(commands.sampling().countLag("s", handler.deliveries().get(0).entry().id(), 10))
				.succeedsWithin(PATIENCE)
				.isEqualTo(new CountedLag(ids.size() - 1, false));
		}
		// What it has got from its master are the changes alone
		assertThat(List.of("xreadgroup", "xautoclaim", "xpending", "xinfo|groups", "evalsha", "eval", "xrange"))
			.allSatisfy((command) -> assertThat(calls(replica, command)).as(command).isZero());
		assertThat(replica.text("INFO", "errorstats")).doesNotContain("READONLY").doesNotContain("MOVED");
	}

	@Test
	@DisplayName("C53 on a cluster all keys of one stream share a slot")
	void keepsAllKeysOfAStreamInItsSlot() {
		for (String stream : List.of(cluster.keyOn(0), cluster.keyOn(1), "{tag}:s")) {
			cluster.node(0).command("FLUSHALL");
			cluster.node(1).command("FLUSHALL");
			try (Containers containers = new Containers(() -> cluster.configuration())) {
				StreamListenerContainer container = containers.start("me",
						(options) -> options.stream(stream).maxDeliveries(1), (deliveries) -> {
							throw new IllegalStateException("always");
						});
				nodeOf(stream).addPipelined(stream, 2);
				await().atMost(PATIENCE).until(() -> container.getCounters().deadLettered() == 2);
				awaitNothingPending(nodeOf(stream), stream);
				List<Object> keys = nodeOf(stream).list("KEYS", "*");
				assertThat(keys).hasSizeGreaterThanOrEqualTo(3).contains(stream);
				assertThat(keys).allSatisfy((key) -> assertThat(slot((String) key)).isEqualTo(slot(stream)));
			}
		}
	}

	private static RedisServer nodeOf(String stream) {
		return cluster.node((int) (slot(stream) * 2 / 16384));
	}

	private static long slot(String key) {
		return cluster.node(0).integer("CLUSTER", "KEYSLOT", key);
	}

	@Test
	@DisplayName("C53 listeners on different slots and nodes of a cluster work")
	void readsStreamsOfDifferentSlots() {
		List<String> streams = List.of(cluster.keyOn(0), cluster.keyOn(0) + "x", cluster.keyOn(1),
				cluster.keyOn(1) + "x");
		assertThat(streams.stream().map(FieldCaseTopologyTests::slot).distinct()).hasSize(4);
		try (Containers containers = new Containers(() -> cluster.configuration())) {
			List<Recorder> handlers = new ArrayList<>();
			for (String stream : streams) {
				Recorder handler = new Recorder();
				handlers.add(handler);
				containers.start("me-" + stream, (options) -> options.stream(stream), handler);
			}
			IntStream.range(0, streams.size()).forEach((i) -> {
				String stream = streams.get(i);
				awaitHandled(handlers.get(i), nodeOf(stream).addPipelined(stream, 100));
				awaitNothingPending(nodeOf(stream), stream);
			});
			assertThat(handlers).allSatisfy((handler) -> assertThat(handler.size()).isEqualTo(100));
		}
	}

	@Test
	@DisplayName("C53 a slot that migrates during BLOCK heals")
	void followsASlotThatMigratesWhileItsReadBlocks() {
		String stream = cluster.keyOn(0);
		RedisServer source = cluster.node(0);
		RedisServer target = cluster.node(1);
		Recorder handler = new Recorder();
		try (Containers containers = new Containers(() -> cluster.configuration())) {
			StreamListenerContainer container = containers.start("me",
					(options) -> options.stream(stream).pollTimeout(Duration.ofSeconds(10)), handler);
			List<String> ids = new ArrayList<>(source.addPipelined(stream, 5));
			awaitHandled(handler, ids);
			awaitNothingPending(source, stream);
			await().atMost(PATIENCE).until(() -> !source.blockedClients().isEmpty());
			try {
				migrate(slot(stream), source, target);
				ids.addAll(target.addPipelined(stream, 5));
				awaitHandled(handler, ids);
				awaitNothingPending(target, stream);
				assertThat(handler.ids()).as("each once").isEqualTo(ids);
				assertThat(container.getCounters().groupsRecreated()).isZero();
				await().atMost(PATIENCE).until(() -> container.getStatus().state() == ContainerState.POLLING);
			}
			finally {
				migrate(slot(stream), target, source);
			}
			ids.addAll(source.addPipelined(stream, 5));
			awaitHandled(handler, ids);
			awaitNothingPending(source, stream);
			assertThat(handler.ids()).as("each once").isEqualTo(ids);
		}
	}

	private static void migrate(long slot, RedisServer source, RedisServer target) {
		String number = Long.toString(slot);
		target.command("CLUSTER", "SETSLOT", number, "IMPORTING", source.text("CLUSTER", "MYID"));
		source.command("CLUSTER", "SETSLOT", number, "MIGRATING", target.text("CLUSTER", "MYID"));
		List<Object> keys;
		while (!(keys = source.list("CLUSTER", "GETKEYSINSLOT", number, "10")).isEmpty()) {
			source.command(
					Stream
						.concat(Stream.of("MIGRATE", "127.0.0.1", Integer.toString(target.port()), "", "0", "5000",
								"KEYS"), keys.stream().map(String.class::cast))
						.toArray(String[]::new));
		}
		String owner = target.text("CLUSTER", "MYID");
		target.command("CLUSTER", "SETSLOT", number, "NODE", owner);
		source.command("CLUSTER", "SETSLOT", number, "NODE", owner);
	}

	@Test
	@DisplayName("C06 CLUSTERDOWN: what runs is finished, and all goes on once the cluster serves")
	void goesOnOnceTheClusterServesAgain() {
		String stream = cluster.keyOn(0);
		RedisServer node = cluster.node(0);
		Recorder handler = new Recorder();
		String slot = Long.toString(slot(stream));
		try (Containers containers = new Containers(() -> cluster.configuration())) {
			StreamListenerContainer container = containers.start("me", (options) -> options.stream(stream), handler);
			List<String> ids = new ArrayList<>(node.addPipelined(stream, 5));
			awaitHandled(handler, ids);
			awaitNothingPending(node, stream);
			node.command("CLUSTER", "DELSLOTS", slot);
			try {
				await().atMost(PATIENCE).until(() -> {
					String error = container.getStatus().lastError();
					return error != null && error.contains("CLUSTERDOWN");
				});
			}
			finally {
				node.command("CLUSTER", "ADDSLOTS", slot);
				cluster.awaitServing();
			}
			ids.addAll(node.addPipelined(stream, 5));
			awaitHandled(handler, ids);
			awaitNothingPending(node, stream);
			assertThat(handler.ids()).as("each once").isEqualTo(ids);
		}
	}

	/**
	 * Where a stream can be.
	 */
	enum Topology {

		STANDALONE, SENTINEL, CLUSTER;

		RedisConfiguration configuration() {
			return switch (this) {
				case STANDALONE -> new RedisStandaloneConfiguration("127.0.0.1", master.port());
				case SENTINEL -> sentinel.configuration();
				case CLUSTER -> cluster.configuration();
			};
		}

		RedisServer server() {
			return (this == CLUSTER) ? cluster.node(1) : master;
		}

		String stream() {
			return (this == CLUSTER) ? cluster.keyOn(1) : "s";
		}

	}

}
