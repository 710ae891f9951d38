package io.github.redisstreams.test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.StreamsConfigurationException;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

import org.springframework.util.ClassUtils;

/**
 * A Redis server of a test's own: a process with no data, on a free port of 127.0.0.1,
 * which writes nothing to disk. It ends when it is {@linkplain #close() closed}, or with
 * this process, however that ends.
 * <p>
 * With Spring Boot
 * {@link io.github.redisstreams.test.autoconfigure.AutoConfigureEmbeddedRedis @AutoConfigureEmbeddedRedis}
 * starts one for a test.
 */
public final class EmbeddedRedis implements AutoCloseable {

	private static final String HOST = "127.0.0.1";

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final int MOST_PORTS_TRIED = 5;

	/**
	 * Ends the server when the input does, as it does when this process is killed.
	 */
	private static final String WATCHDOG = "trap '' HUP INT TERM; cat > /dev/null; kill \"$0\"";

	private final int port;

	private final Path log;

	private final Process server;

	private final Process watchdog;

	private EmbeddedRedis(int port, Path log, Process server, Process watchdog) {
		this.port = port;
		this.log = log;
		this.server = server;
		this.watchdog = watchdog;
	}

	/**
	 * Whether the library {@code org.signal:embedded-redis} is on the class path, whose
	 * server {@link #start()} starts.
	 * @return whether it is
	 */
	public static boolean isAvailable() {
		return ClassUtils.isPresent("redis.embedded.RedisExecProvider", null);
	}

	/**
	 * Start the Redis that the library {@code org.signal:embedded-redis} has for this
	 * platform, Linux or macOS, and wait until it answers.
	 * @return the server
	 * @throws StreamsConfigurationException if the library is not on the class path or
	 * has none, or the server does not start
	 */
	public static EmbeddedRedis start() {
		if (!isAvailable()) {
			throw new StreamsConfigurationException(
					"The test needs a Redis, but the library that brings one is not on the class path",
					"Add org.signal:embedded-redis in scope test, or say which Redis to use, such as with a "
							+ "container that is a @ServiceConnection.");
		}
		return start(Bundled.server());
	}

	/**
	 * Start a Redis or Valkey, and wait until it answers.
	 * @param executable the {@code redis-server} to run
	 * @return the server
	 * @throws StreamsConfigurationException if it does not start
	 */
	public static EmbeddedRedis start(Path executable) {
		try {
			Path log = Files.createTempFile("embedded-redis", ".log");
			for (int attempt = 1;; attempt++) {
				EmbeddedRedis redis = launch(executable, freePort(), log);
				if (redis.awaitPong()) {
					return redis;
				}
				String output = Files.readString(log);
				redis.close();
				if (attempt == MOST_PORTS_TRIED || !output.contains("Address already in use")) {
					throw new IOException("it does not answer: " + output.strip());
				}
			}
		}
		catch (IOException ex) {
			throw failure(executable + " could not be started: " + ex.getMessage(), ex);
		}
	}

	private static StreamsConfigurationException failure(String description, Throwable cause) {
		return new StreamsConfigurationException("The test needs a Redis, but " + description,
				"Say which Redis to use, such as with a container that is a @ServiceConnection.", cause);
	}

	private static EmbeddedRedis launch(Path executable, int port, Path log) throws IOException {
		Process server = new ProcessBuilder(executable.toString(), "--bind", HOST, "--port", String.valueOf(port),
				"--save", "", "--appendonly", "no")
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		try {
			Process watchdog = new ProcessBuilder("sh", "-c", WATCHDOG, String.valueOf(server.pid())).start();
			return new EmbeddedRedis(port, log, server, watchdog);
		}
		catch (IOException ex) {
			server.destroyForcibly();
			throw ex;
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
			return socket.getLocalPort();
		}
	}

	private boolean awaitPong() {
		try {
			Awaitility.await()
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(10))
				.atMost(PATIENCE)
				.until(() -> answers() || !this.server.isAlive());
			return this.server.isAlive();
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	private boolean answers() {
		try (Socket socket = new Socket(HOST, this.port)) {
			socket.setSoTimeout((int) PATIENCE.toMillis());
			socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			return socket.getInputStream().read() == '+';
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * The address that it listens on.
	 * @return {@code 127.0.0.1}
	 */
	public String host() {
		return HOST;
	}

	/**
	 * The port that it listens on.
	 * @return the port
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Whether the server still runs.
	 * @return whether it does
	 */
	public boolean isRunning() {
		return this.server.isAlive();
	}

	/**
	 * End the server. Does nothing if it has ended.
	 */
	@Override
	public void close() {
		// First of all, since another process may have the server's number afterwards
		this.watchdog.destroyForcibly();
		this.server.destroy();
		try {
			if (!this.server.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
				this.server.destroyForcibly();
			}
			Files.deleteIfExists(this.log);
		}
		catch (InterruptedException ex) {
			this.server.destroyForcibly();
			Thread.currentThread().interrupt();
		}
		catch (IOException ex) {
			// It is a temporary file
		}
	}

	@Override
	public String toString() {
		return "Redis at " + HOST + ":" + this.port;
	}

	/**
	 * The library's server, unpacked once: the library does so each time that it is
	 * asked.
	 */
	private static final class Bundled {

		private static @Nullable Path server;

		private Bundled() {
		}

		static synchronized Path server() {
			Path unpacked = server;
			if (unpacked == null) {
				unpacked = unpack();
				server = unpacked;
			}
			return unpacked;
		}

		private static Path unpack() {
			try {
				return RedisExecProvider.defaultProvider().get().toPath();
			}
			catch (IOException | RuntimeException ex) {
				throw failure("the library embedded-redis brings none for this platform: " + ex.getMessage(), ex);
			}
		}

	}

}
