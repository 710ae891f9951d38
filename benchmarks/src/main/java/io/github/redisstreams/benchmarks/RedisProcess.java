package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
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
final class RedisProcess implements AutoCloseable {

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

	static RedisProcess start() throws IOException, InterruptedException {
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

	int port() {
		return this.port;
	}

	/**
	 * For what is to be set up and read, but not measured.
	 */
	RedisCommands<String, String> commands() {
		return this.connection.sync();
	}

	/**
	 * Seconds of processor time that the server has used.
	 */
	double cpuSeconds() {
		Map<String, String> info = commands().info("cpu")
			.lines()
			.filter((line) -> line.contains(":"))
			.map((line) -> line.split(":", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> pair[1].trim()));
		Function<String, Double> seconds = (name) -> Double.parseDouble(info.getOrDefault(name, "0"));
		return seconds.apply("used_cpu_user") + seconds.apply("used_cpu_sys");
	}

	@Override
	public void close() throws IOException {
		this.connection.close();
		this.client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		this.process.destroyForcibly().onExit().join();
		FileSystemUtils.deleteRecursively(this.directory);
	}

}
