package io.github.redisstreams.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.springframework.data.redis.connection.RedisClusterConfiguration;

import static org.awaitility.Awaitility.await;

/**
 * A Redis Cluster of masters alone, which share the slots.
 */
public final class RedisCluster implements AutoCloseable {

	private static final int SLOTS = 16384;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final List<RedisServer> nodes = new ArrayList<>();

	private RedisCluster() {
	}

	/**
	 * A cluster that serves.
	 * @param size how many nodes it has
	 */
	public static RedisCluster started(int size) {
		RedisCluster cluster = new RedisCluster();
		try {
			for (int i = 0; i < size; i++) {
				cluster.nodes.add(RedisServer.started("--cluster-enabled", "yes"));
				cluster.assignSlots(i, size);
			}
			cluster.meet();
			cluster.awaitServing();
			return cluster;
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw ex;
		}
	}

	private void assignSlots(int index, int size) {
		node(index).command(
				Stream
					.concat(Stream.of("CLUSTER", "ADDSLOTS"),
							IntStream.range(SLOTS * index / size, SLOTS * (index + 1) / size)
								.mapToObj(Integer::toString))
					.toArray(String[]::new));
		// So that no two of them have the same, which they would have to find out
		node(index).command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(index + 1));
	}

	private void meet() {
		for (int i = 1; i < this.nodes.size(); i++) {
			node(0).command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(node(i).port()));
		}
	}

	/**
	 * Wait until every node knows of all others and of all slots.
	 */
	public void awaitServing() {
		for (RedisServer node : this.nodes) {
			await().atMost(PATIENCE)
				.ignoreExceptions()
				.until(() -> node.text("CLUSTER", "INFO"), (info) -> info.contains("cluster_state:ok")
						&& info.contains("cluster_known_nodes:" + this.nodes.size()));
		}
	}

	/**
	 * One of the nodes.
	 */
	public RedisServer node(int index) {
		return this.nodes.get(index);
	}

	/**
	 * A key that one of the nodes holds.
	 * @param index the index of the node
	 */
	public String keyOn(int index) {
		return IntStream.iterate(0, (n) -> n + 1)
			.mapToObj((n) -> "stream-" + n)
			.filter((key) -> node(0).integer("CLUSTER", "KEYSLOT", key) * this.nodes.size() / SLOTS == index)
			.findFirst()
			.orElseThrow();
	}

	/**
	 * What an application configures to connect to it.
	 */
	public RedisClusterConfiguration configuration() {
		return new RedisClusterConfiguration(this.nodes.stream().map((node) -> "127.0.0.1:" + node.port()).toList());
	}

	@Override
	public void close() {
		this.nodes.forEach(RedisServer::close);
	}

}
