package io.github.redisstreams.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;

import static org.awaitility.Awaitility.await;

/**
 * A real Redis Sentinel that watches a master and its one replica, and is alone in
 * deciding that the master is down.
 */
public final class RedisSentinel implements AutoCloseable {

	private static final String MASTER = "main";

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final int port = RedisServer.freePort();

	private final Path directory;

	private final Process process;

	private RedisSentinel(int masterPort) {
		try {
			this.directory = Files.createTempDirectory("redis-sentinel");
			Path configuration = Files.write(this.directory.resolve("sentinel.conf"),
					List.of("port " + this.port, "bind 127.0.0.1", "dir " + this.directory,
							"sentinel monitor " + MASTER + " 127.0.0.1 " + masterPort + " 1",
							"sentinel down-after-milliseconds " + MASTER + " 500",
							"sentinel failover-timeout " + MASTER + " 5000"));
			this.process = new ProcessBuilder(RedisServer.executable(), configuration.toString(), "--sentinel")
				.redirectErrorStream(true)
				.redirectOutput(this.directory.resolve("sentinel.log").toFile())
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
	}

	/**
	 * A sentinel that has found the replica of a master.
	 */
	public static RedisSentinel watching(RedisServer master) {
		RedisSentinel sentinel = new RedisSentinel(master.port());
		try {
			await().atMost(PATIENCE).ignoreExceptions().until(sentinel::knowsReplica);
			return sentinel;
		}
		catch (RuntimeException ex) {
			sentinel.close();
			throw ex;
		}
	}

	// It asks the master only every ten seconds, and then has to ask the replica too
	private boolean knowsReplica() {
		return command("SENTINEL", "REPLICAS", MASTER) instanceof List<?> replicas && replicas.size() == 1
				&& replicas.get(0) instanceof List<?> replica
				&& Map.of("flags", "slave", "master-link-status", "ok")
					.entrySet()
					.stream()
					.allMatch((wanted) -> wanted.getValue().equals(replica.get(replica.indexOf(wanted.getKey()) + 1)));
	}

	/**
	 * The port of the server that it takes for the master.
	 */
	public int masterPort() {
		return Integer.parseInt((String) ((List<?>) command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER)).get(1));
	}

	private Object command(String... words) {
		try (RawRedis connection = new RawRedis(this.port)) {
			return connection.command(words);
		}
	}

	/**
	 * What an application configures to connect to the master.
	 */
	public RedisSentinelConfiguration configuration() {
		return new RedisSentinelConfiguration().master(MASTER).sentinel("127.0.0.1", this.port);
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		try {
			this.process.waitFor(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		try (Stream<Path> files = Files.walk(this.directory)) {
			files.sorted(Comparator.reverseOrder()).forEach((file) -> file.toFile().delete());
		}
		catch (IOException | UncheckedIOException ex) {
			// It is a directory for temporary files
		}
	}

}
