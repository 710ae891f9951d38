package io.github.redisstreams.test;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import redis.embedded.RedisExecProvider;

/**
 * A real Redis server in a process of its own, on a free port of 127.0.0.1. It is the
 * Redis 7.0 that a test dependency brings along, or whatever the system property
 * {@code redis.server} names. It keeps its data over stops, kills and restarts.
 * <p>
 * Commands go over {@link RawRedis}, independent of the client under test.
 */
public final class RedisServer implements AutoCloseable {

	private static final Duration START_TIMEOUT = Duration.ofSeconds(20);

	private static final int MOST_PORTS_TRIED = 10;

	private static final int PIPELINE = 1000;

	private static File bundledServer;

	private final Path directory;

	private final List<String> arguments;

	private int port;

	private boolean portInUse;

	private Process process;

	private RawRedis connection;

	private RedisServer(String... arguments) {
		this.arguments = List.of(arguments);
		try {
			this.directory = Files.createTempDirectory("redis-test");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
	}

	/**
	 * A started server.
	 * @param arguments further arguments such as {@code --requirepass}
	 */
	public static RedisServer started(String... arguments) {
		RedisServer server = new RedisServer(arguments);
		server.start();
		return server;
	}

	/**
	 * Start it unless it runs, with the data that it had, on the port that it had.
	 */
	public synchronized RedisServer start() {
		if (isRunning()) {
			return this;
		}
		for (int attempt = 1; attempt <= MOST_PORTS_TRIED; attempt++) {
			if (!this.portInUse) {
				this.port = freePort();
			}
			if (launch()) {
				this.portInUse = true;
				return this;
			}
		}
		throw new IllegalStateException("The Redis server does not start:\n" + log());
	}

	private boolean launch() {
		List<String> command = new ArrayList<>(List.of(executable(), "--port", Integer.toString(this.port), "--bind",
				"127.0.0.1", "--dir", this.directory.toString(), "--save", "", "--appendonly", "yes"));
		command.addAll(this.arguments);
		try {
			this.process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()))
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
		while (this.process.isAlive() && System.nanoTime() < deadline) {
			if (isServing()) {
				return true;
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
		}
		end();
		return false;
	}

	// Not while it loads its data; and whoever answers on this port is ours only if it
	// works in our directory
	private boolean isServing() {
		try (RawRedis connection = connect()) {
			return connection.command("PING").equals("PONG")
					&& connection.command("CONFIG", "GET", "dir") instanceof List<?> reply
					&& Path.of((String) reply.get(1)).toRealPath().equals(this.directory.toRealPath());
		}
		catch (IOException | UncheckedIOException | RawRedis.RedisError ex) {
			return false;
		}
	}

	static synchronized String executable() {
		String configured = System.getProperty("redis.server", "");
		if (!configured.isEmpty()) {
			return configured;
		}
		try {
			if (bundledServer == null) {
				bundledServer = RedisExecProvider.defaultProvider().get();
			}
			return bundledServer.getAbsolutePath();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A port of 127.0.0.1 that nobody listens on.
	 */
	public static int freePort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Stop it in order (SIGTERM).
	 */
	public synchronized void stop() {
		if (this.process != null) {
			this.process.destroy();
		}
		end();
	}

	/**
	 * Kill it (SIGKILL).
	 */
	public synchronized void kill() {
		if (this.process != null) {
			this.process.destroyForcibly();
		}
		end();
	}

	/**
	 * Stop it in order and start it again.
	 */
	public void restart() {
		stop();
		start();
	}

	/**
	 * Have it do nothing until {@link #resume()}, with its connections open (SIGSTOP).
	 */
	public synchronized void pause() {
		Signals.stop(this.process.pid());
	}

	/**
	 * Let it go on (SIGCONT).
	 */
	public synchronized void resume() {
		Signals.resume(this.process.pid());
	}

	private void end() {
		disconnect();
		if (this.process == null) {
			return;
		}
		try {
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				this.process.destroyForcibly().waitFor();
			}
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
		this.process = null;
	}

	public synchronized boolean isRunning() {
		return this.process != null && this.process.isAlive();
	}

	/**
	 * The port, which stays the same over restarts.
	 */
	public int port() {
		return this.port;
	}

	/**
	 * What the server has logged so far.
	 */
	public String log() {
		try {
			return Files.readString(logFile());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Path logFile() {
		return this.directory.resolve("redis.log");
	}

	/**
	 * A new connection, to be closed by the caller.
	 */
	public RawRedis connect() {
		RawRedis connection = new RawRedis(this.port);
		int password = this.arguments.indexOf("--requirepass") + 1;
		if (password > 0) {
			connection.command("AUTH", this.arguments.get(password));
		}
		return connection;
	}

	/**
	 * Send a command and wait for its reply.
	 * @return {@code String}, {@code Long}, {@code List} or {@code null}
	 * @throws RawRedis.RedisError if the server replies an error
	 */
	public Object command(String... words) {
		return over((connection) -> connection.command(words));
	}

	/**
	 * Send a command of bytes and wait for its reply.
	 */
	public Object command(byte[]... words) {
		return over((connection) -> connection.command(words));
	}

	// The next command has another connection if this one is lost
	private Object over(Function<RawRedis, Object> command) {
		try {
			return command.apply(connection());
		}
		catch (UncheckedIOException ex) {
			disconnect();
			throw ex;
		}
	}

	/**
	 * The integer that a command replies.
	 */
	public long integer(String... words) {
		return (Long) command(words);
	}

	/**
	 * The text that a command replies.
	 */
	public String text(String... words) {
		return (String) command(words);
	}

	/**
	 * The list that a command replies.
	 */
	@SuppressWarnings("unchecked")
	public List<Object> list(String... words) {
		return (List<Object>) command(words);
	}

	/**
	 * Add an entry of text fields.
	 * @return its id
	 */
	public String add(String stream, String... namesAndValues) {
		return text(
				Stream.concat(Stream.of("XADD", stream, "*"), Arrays.stream(namesAndValues)).toArray(String[]::new));
	}

	/**
	 * Add many entries of one field {@code n} that counts from 0.
	 * @return their ids
	 */
	public List<String> addPipelined(String stream, int count) {
		return addPipelined(stream, count, (n) -> new String[] { "n", Integer.toString(n) });
	}

	/**
	 * Add many entries quickly.
	 * @param fields makes the field names and values of the nth entry
	 * @return their ids
	 */
	public List<String> addPipelined(String stream, int count, IntFunction<String[]> fields) {
		List<String> ids = new ArrayList<>(count);
		try (RawRedis connection = connect()) {
			for (int from = 0; from < count; from += PIPELINE) {
				int to = Math.min(count, from + PIPELINE);
				for (int n = from; n < to; n++) {
					connection.send(Stream.concat(Stream.of("XADD", stream, "*"), Arrays.stream(fields.apply(n)))
						.toArray(String[]::new));
				}
				connection.flush();
				for (int n = from; n < to; n++) {
					ids.add((String) connection.receive());
				}
			}
		}
		return ids;
	}

	/**
	 * Deliver entries that are new to the group to a consumer, as a process does that
	 * then dies.
	 * @return the ids of the entries that are now pending under the consumer
	 */
	public List<String> deliver(String stream, String group, String consumer, int count) {
		List<Object> reply = list("XREADGROUP", "GROUP", group, consumer, "COUNT", Integer.toString(count), "STREAMS",
				stream, ">");
		if (reply == null) {
			return List.of();
		}
		return ((List<?>) ((List<?>) reply.get(0)).get(1)).stream()
			.map((entry) -> (String) ((List<?>) entry).get(0))
			.toList();
	}

	public long length(String stream) {
		return (Long) command("XLEN", stream);
	}

	/**
	 * How many entries are pending in a group.
	 */
	public long pending(String stream, String group) {
		return (Long) list("XPENDING", stream, group).get(0);
	}

	/**
	 * The entries of a group that are pending, by id.
	 */
	public Map<String, Pending> pendingEntries(String stream, String group) {
		Map<String, Pending> entries = new LinkedHashMap<>();
		for (Object row : list("XPENDING", stream, group, "-", "+", "1000000")) {
			List<?> columns = (List<?>) row;
			entries.put((String) columns.get(0),
					new Pending((String) columns.get(1), (Long) columns.get(2), (Long) columns.get(3)));
		}
		return entries;
	}

	/**
	 * A pending entry.
	 * @throws java.util.NoSuchElementException if it is not pending
	 */
	public Pending pendingEntry(String stream, String group, String id) {
		return Optional.ofNullable(pendingEntries(stream, group).get(id)).orElseThrow();
	}

	/**
	 * The value that {@code INFO} gives, or nothing if the server does not have it.
	 */
	public Optional<String> info(String name) {
		return text("INFO", "everything").lines()
			.filter((line) -> line.startsWith(name + ":"))
			.map((line) -> line.substring(name.length() + 1))
			.findFirst();
	}

	/**
	 * Whether the server knows a command.
	 */
	public boolean knows(String command) {
		Object reply = list("COMMAND", "INFO", command).get(0);
		return reply instanceof List<?> list && !list.isEmpty();
	}

	/**
	 * Whether it documents a command as having the given word. One that has no
	 * documentation does not.
	 */
	public boolean documents(String command, String word) {
		return !isOlderThanRedis7() && list("COMMAND", "DOCS", command).toString().contains(word);
	}

	/**
	 * Whether it lacks what came with Redis 7.0, such as the lag of a group, the deleted
	 * ids in the reply of a claim, and the end of a blocked read whose stream is deleted.
	 */
	public boolean isOlderThanRedis7() {
		return !knows("FUNCTION");
	}

	/**
	 * The line that {@code INFO commandstats} has for a command or subcommand. A server
	 * that does not count subcommands gives that of the whole command.
	 */
	public Optional<String> commandStat(String command) {
		return info("cmdstat_" + (isOlderThanRedis7() ? command.replaceFirst("\\|.*", "") : command));
	}

	/**
	 * The connected clients, as {@code CLIENT LIST} shows them, without those of this
	 * object.
	 */
	public List<String> clients() {
		String own = "id=" + integer("CLIENT", "ID") + " ";
		return text("CLIENT", "LIST").lines().filter((line) -> !line.startsWith(own)).toList();
	}

	/**
	 * The ids of the clients that are blocked in a command.
	 */
	public List<String> blockedClients() {
		return clients().stream()
			.filter((line) -> line.matches(".* flags=[A-Za-z]*b.*"))
			.map((line) -> line.substring("id=".length(), line.indexOf(' ')))
			.toList();
	}

	private synchronized RawRedis connection() {
		if (this.connection == null) {
			this.connection = connect();
		}
		return this.connection;
	}

	private synchronized void disconnect() {
		if (this.connection != null) {
			this.connection.close();
			this.connection = null;
		}
	}

	/**
	 * Kill it and delete its data.
	 */
	@Override
	public void close() {
		kill();
		try (Stream<Path> files = Files.walk(this.directory)) {
			files.sorted(Comparator.reverseOrder()).forEach((file) -> file.toFile().delete());
		}
		catch (IOException | UncheckedIOException ex) {
			// It is a directory for temporary files
		}
	}

	/**
	 * One row of {@code XPENDING}.
	 */
	public record Pending(String consumer, long idleMillis, long deliveries) {

	}

}
