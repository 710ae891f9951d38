package io.github.redisstreams.sample.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.redisstreams.StreamsConfigurationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.embedded.RedisExecProvider;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/**
 * A Redis server that lives no longer than this process, reachable from this machine only
 * and without persistence. Tells Spring Boot where it is.
 * <p>
 * The binaries come from the embedded-redis library, whose own way to run them is not
 * used: such a server listens on all interfaces, dies of the Ctrl-C in the terminal
 * before the application has stopped, and survives an application that is killed.
 */
final class EmbeddedRedis implements DataRedisConnectionDetails, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(EmbeddedRedis.class);

	private static final String HOST = "127.0.0.1";

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	/**
	 * Starts a server in a session of its own, which no Ctrl-C reaches, and cleans up at
	 * the end of the input: that is when this process closes it or, killed, is no more.
	 */
	private static final String KEEPER = """
			trap '' HUP INT TERM
			directory=$0
			"$@" --daemonize yes
			cat
			test -f "$directory/redis.pid" && kill "$(cat "$directory/redis.pid")"
			rm -r "$directory"
			""";

	private final int port;

	private final Path pidFile;

	private final Process keeper;

	private final ProcessHandle server;

	private EmbeddedRedis(int port, Path pidFile, Process keeper, ProcessHandle server) {
		this.port = port;
		this.pidFile = pidFile;
		this.keeper = keeper;
		this.server = server;
	}

	/**
	 * Start a server and wait until it answers.
	 */
	static EmbeddedRedis start() {
		try {
			String executable = RedisExecProvider.defaultProvider().get().getAbsolutePath();
			int port = freePort();
			Path directory = Files.createTempDirectory("embedded-redis");
			Path pidFile = directory.resolve("redis.pid");
			Process keeper = startKeeper(executable, port, directory, pidFile);
			try {
				awaitPong(directory, port);
				EmbeddedRedis redis = new EmbeddedRedis(port, pidFile, keeper, serverOf(pidFile));
				logger.info("No Redis is configured: started one, empty, that lives as long as this application. "
						+ "Look inside with: redis-cli -p {}", port);
				return redis;
			}
			catch (IOException | RuntimeException ex) {
				keeper.getOutputStream().close();
				throw ex;
			}
		}
		catch (IOException | RuntimeException ex) {
			throw new StreamsConfigurationException(
					"No Redis is configured, and none could be started: " + ex.getMessage(),
					"Start a Redis, such as with \"docker compose up -d\" in sample-app, and say where it is with "
							+ "spring.data.redis.host or spring.data.redis.url.",
					ex);
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
			return socket.getLocalPort();
		}
	}

	private static Process startKeeper(String executable, int port, Path directory, Path pidFile) throws IOException {
		List<String> command = List.of("sh", "-c", KEEPER, directory.toString(), executable, "--bind", HOST, "--port",
				String.valueOf(port), "--save", "", "--appendonly", "no", "--dir", directory.toString(), "--logfile",
				"redis.log", "--pidfile", pidFile.toString());
		return new ProcessBuilder(command).directory(directory.toFile())
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
	}

	private static void awaitPong(Path directory, int port) throws IOException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (!answers(port)) {
			if (System.nanoTime() - deadline > 0) {
				Path log = directory.resolve("redis.log");
				throw new IOException("It does not answer. " + (Files.exists(log) ? Files.readString(log) : ""));
			}
			pause();
		}
	}

	private static boolean answers(int port) {
		try (Socket socket = new Socket(HOST, port)) {
			socket.setSoTimeout((int) PATIENCE.toMillis());
			socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			return socket.getInputStream().read() == '+';
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static void pause() {
		try {
			Thread.sleep(10);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	private static ProcessHandle serverOf(Path pidFile) throws IOException {
		long pid = Long.parseLong(Files.readString(pidFile).trim());
		return ProcessHandle.of(pid).orElseThrow(() -> new IOException("It has ended"));
	}

	@Override
	public Standalone getStandalone() {
		return Standalone.of(HOST, this.port);
	}

	ProcessHandle server() {
		return this.server;
	}

	@Override
	public void close() throws IOException {
		this.server.destroy();
		try {
			this.server.onExit().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException | ExecutionException ex) {
			this.server.destroyForcibly();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		// Left by a server that was killed, and another process may have its number now
		Files.deleteIfExists(this.pidFile);
		this.keeper.getOutputStream().close();
	}

}
