package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.publish.DefaultStreamTemplate;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.CountedLag;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.GroupInfo;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.SampledStream;
import io.github.redisstreams.redis.StreamKeys;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.test.RedisCluster;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a container does on a Redis Cluster.
 */
@Tag("slow")
@Tag("server")
class StreamListenerContainerClusterTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static RedisCluster cluster;

	private static RedisServer node;

	private Containers containers;

	@BeforeAll
	static void startCluster() {
		cluster = RedisCluster.started(1);
		node = cluster.node(0);
	}

	@AfterAll
	static void stopCluster() {
		cluster.close();
	}

	@BeforeEach
	void open() {
		node.command("FLUSHALL");
		this.containers = new Containers(() -> cluster.configuration());
	}

	@AfterEach
	void close() {
		this.containers.close();
	}

	private static void awaitNothingPending(RedisServer node, String stream) {
		await().atMost(PATIENCE)
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(node.pending(stream, "g")).as("pending on " + stream).isZero());
	}

	private static void awaitHandled(Recorder handler, List<String> ids) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(handler.ids()).containsAll(ids));
		awaitNothingPending(node, "s");
	}

	private static void awaitBlocked() {
		await().atMost(PATIENCE).ignoreExceptions().until(() -> !node.blockedClients().isEmpty());
	}

	private static long calls(String command) {
		return node.info("cmdstat_" + command)
			.map((stat) -> Long.parseLong(stat.substring("calls=".length(), stat.indexOf(','))))
			.orElse(0L);
	}

	@Test
	void createsTheGroupReadsAndAcknowledges() {
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me", handler);
		List<String> ids = node.addPipelined("s", 500);
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
		await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
	}

	@Test
	void takesUpItsOwnPendingEntriesFirst() {
		List<String> ids = node.addPipelined("s", 5);
		node.command("XGROUP", "CREATE", "s", "g", "0");
		node.deliver("s", "g", "me", 3);
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
		assertThat(handler.counts()).containsExactly(2L, 2L, 2L, 1L, 1L);
	}

	@Test
	void claimsEntriesOfCrashedConsumer() {
		List<String> ids = node.addPipelined("s", 5);
		node.command("XGROUP", "CREATE", "s", "g", "0");
		node.deliver("s", "g", "dead", 5);
		Recorder handler = new Recorder();
		this.containers.start("me",
				(options) -> options.minIdle(Duration.ofMillis(500)).claimInterval(Duration.ofMillis(100)), handler);
		awaitHandled(handler, ids);
		assertThat(handler.counts()).containsOnly(2L);
	}

	@Test
	void tellsAndCountsTheLag() {
		LettuceStreamCommands commands = this.containers.commands();
		commands.createGroup("s", "g", "0");
		List<String> ids = node.addPipelined("s", 30);
		node.deliver("s", "g", "someone", 10);
		assertThat(commands.groups("s")).singleElement()
			.extracting(GroupInfo::name, GroupInfo::pending)
			.containsExactly("g", 10L);
		SampledStream stream = new SampledStream("s", Set.of("g"), Set.of(StreamKeys.deadLetters("s")));
		node.command("SCRIPT", "FLUSH");
		assertThat(commands.sampling().sample(stream)).succeedsWithin(PATIENCE).satisfies((sample) -> {
			assertThat(sample.problems()).isEmpty();
			assertThat(sample.length()).isEqualTo(30);
			assertThat(sample.groups()).hasEntrySatisfying("g", (group) -> {
				assertThat(group.pending()).isEqualTo(10);
				assertThat(group.lastDeliveredId()).hasToString(ids.get(9));
			});
		});
		assertThat(commands.sampling().countLag("s", EntryId.parse(ids.get(9)), 1000)).succeedsWithin(PATIENCE)
			.isEqualTo(new CountedLag(20, false));
	}

	@Test
	void isGivenWhatWasPublished() {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		StreamTemplate template = new DefaultStreamTemplate(this.containers.commands(),
				new EntryMessageConverter(JsonMapper.shared()));
		String id = template.send("s", Map.of("n", 1)).toString();
		awaitHandled(handler, List.of(id));
		assertThat(handler.deliveries().get(0).entry().toString()).contains(id);
	}

	@Test
	void goesOnAfterARestartOfItsNode() {
		Recorder handler = new Recorder();
		this.containers.start("me", handler);
		List<String> ids = new ArrayList<>(node.addPipelined("s", 100));
		awaitHandled(handler, ids);
		awaitBlocked();
		node.restart();
		cluster.awaitServing();
		ids.addAll(node.addPipelined("s", 100));
		awaitHandled(handler, ids);
		assertThat(handler.ids()).isEqualTo(ids);
	}

	@Test
	void acknowledgesWhatRanWhileItsNodeWasKilled() {
		Gate handler = new Gate();
		this.containers.start("me", (options) -> options.concurrency(3), handler);
		List<String> ids = node.addPipelined("s", 3);
		await().atMost(PATIENCE).until(() -> handler.size() == 3);
		node.kill();
		handler.open();
		await().atMost(PATIENCE).until(() -> handler.done() == 3);
		node.start();
		cluster.awaitServing();
		awaitNothingPending(node, "s");
		assertThat(handler.ids()).as("none handled twice").containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	void stopsAsSoonAsItsReadHasRunOut() {
		Duration pollTimeout = Duration.ofMillis(1500);
		StreamListenerContainer container = this.containers.start("me", (options) -> options.pollTimeout(pollTimeout),
				new Recorder());
		awaitBlocked();
		long start = System.nanoTime();
		container.stop();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(pollTimeout.plusSeconds(1));
		assertThat(node.blockedClients()).isEmpty();
	}

	@Test
	void opensNoConnectionForAPoll() {
		this.containers.start("me", (options) -> options.pollTimeout(Duration.ofMillis(10)), new Recorder());
		awaitBlocked();
		node.command("CONFIG", "RESETSTAT");
		await().atMost(PATIENCE).until(() -> calls("xreadgroup") >= 30);
		assertThat(node.info("total_connections_received")).isEqualTo(Optional.of("0"));
	}

	@Test
	void readsStreamsThatAreOnDifferentNodes() {
		try (RedisCluster threeNodes = RedisCluster.started(3);
				Containers containers = new Containers(() -> threeNodes.configuration())) {
			List<Recorder> handlers = new ArrayList<>();
			List<List<String>> ids = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				String stream = threeNodes.keyOn(i);
				Recorder handler = new Recorder();
				containers.start("me-" + i, (options) -> options.stream(stream), handler);
				handlers.add(handler);
				ids.add(threeNodes.node(i).addPipelined(stream, 100));
			}
			for (int i = 0; i < 3; i++) {
				Recorder handler = handlers.get(i);
				List<String> wanted = ids.get(i);
				await().atMost(PATIENCE).untilAsserted(() -> assertThat(handler.ids()).isEqualTo(wanted));
				awaitNothingPending(threeNodes.node(i), threeNodes.keyOn(i));
			}
		}
	}

}
