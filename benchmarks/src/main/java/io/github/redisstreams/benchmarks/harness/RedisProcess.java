package io.github.redisstreams.benchmarks.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import redis.embedded.RedisExecProvider;

import org.springframework.util.FileSystemUtils;

/**
 * A Redis server of its own for one benchmark: the embedded one, or the executable that
 * the system property {@code redis.server} names.
 */
public final class RedisProcess implements AutoCloseable {

	private static final String HOST = "127.0.0.1";

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final int port;

	private final Path directory;

	private final Process process;

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	private RedisProcess(int port, Path directory, Process process, RedisClient client,
			StatefulRedisConnection<String, String> connection) {
		this.port = port;
		this.directory = directory;
		this.process = process;
		this.client = client;
		this.connection = connection;
	}

	/**
	 * Start a server.
	 * @return the server, which answers already
	 */
	public static RedisProcess start() throws IOException, InterruptedException {
		int port = freePort();
		Path directory = Files.createTempDirectory("benchmark-redis");
		Process process = new ProcessBuilder(List.of(executable(), "--bind", HOST, "--port", String.valueOf(port),
				"--save", "", "--appendonly", "no", "--dir", directory.toString()))
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
		// Also where the benchmark is interrupted
		Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
		RedisClient client = RedisClient.create("redis://" + HOST + ":" + port);
		return new RedisProcess(port, directory, process, client, connect(client));
	}

	private static String executable() throws IOException {
		String configured = System.getProperty("redis.server", "");
		return configured.isEmpty() ? RedisExecProvider.defaultProvider().get().getAbsolutePath() : configured;
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
			return socket.getLocalPort();
		}
	}

	private static StatefulRedisConnection<String, String> connect(RedisClient client) throws InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (true) {
			try {
				return client.connect();
			}
			catch (RedisConnectionException ex) {
				if (System.nanoTime() - deadline > 0) {
					throw ex;
				}
				Thread.sleep(20);
			}
		}
	}

	/**
	 * Where it listens.
	 * @return the port on the local host
	 */
	public int port() {
		return this.port;
	}

	/**
	 * For what is to be set up and read, but not measured.
	 * @return a connection's commands
	 */
	public RedisCommands<String, String> commands() {
		return this.connection.sync();
	}

	/**
	 * Seconds of processor time that the server has used.
	 * @return the seconds since it was started
	 */
	public double cpuSeconds() {
		Map<String, String> cpu = info("cpu");
		return number(cpu, "used_cpu_user") + number(cpu, "used_cpu_sys");
	}

	/**
	 * How many commands the server has processed, those that scripts call included.
	 * @return the number since it was started
	 */
	public long commandCount() {
		return (long) number(info("stats"), "total_commands_processed");
	}

	/**
	 * How many clients are connected, without the one that asks.
	 * @return the number of connections
	 */
	public int connectionCount() {
		return (int) number(info("clients"), "connected_clients") - 1;
	}

	/**
	 * How many clients wait in a command that blocks.
	 * @return the number of connections
	 */
	public int blockedCount() {
		return (int) number(info("clients"), "blocked_clients");
	}

	/**
	 * The server's name and version.
	 * @return such as {@code redis 7.0.15}
	 */
	public String version() {
		Map<String, String> server = info("server");
		return server.containsKey("valkey_version") ? "valkey " + server.get("valkey_version")
				: "redis " + server.get("redis_version");
	}

	private Map<String, String> info(String section) {
		return commands().info(section)
			.lines()
			.filter((line) -> line.contains(":"))
			.map((line) -> line.split(":", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> pair[1].trim()));
	}

	private static double number(Map<String, String> info, String name) {
		return Double.parseDouble(info.getOrDefault(name, "0"));
	}

	@Override
	public void close() throws IOException {
		this.connection.close();
		this.client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		this.process.destroyForcibly().onExit().join();
		FileSystemUtils.deleteRecursively(this.directory);
	}

}
