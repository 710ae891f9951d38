package io.github.redisstreams.test;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that refuses chosen commands with a chosen error, and is the real one
 * otherwise. Listens on 127.0.0.1.
 * <p>
 * In place of a refused command the server is sent a script that returns the error, so
 * that replies keep their order and both protocol versions work.
 */
public final class ErrorProxy implements AutoCloseable {

	private final ServerSocket listener;

	private final int target;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final AtomicInteger refusals = new AtomicInteger();

	private volatile Set<String> refused = Set.of();

	private volatile String error = "";

	/**
	 * Start a proxy that refuses nothing.
	 * @param target the port to connect to
	 */
	public ErrorProxy(int target) {
		this.target = target;
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		startThread(this::accept, "error-proxy-accept");
	}

	private static void startThread(Runnable task, String name) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * The port to connect to.
	 */
	public int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Refuse commands until {@link #heal()}.
	 * @param error what to reply, without the leading minus
	 * @param commands the names of the commands
	 */
	public void refuse(String error, String... commands) {
		this.error = error;
		this.refused = Set.of(commands);
	}

	/**
	 * Refuse nothing any more.
	 */
	public void heal() {
		this.refused = Set.of();
	}

	/**
	 * How many commands were refused.
	 */
	public int refusals() {
		return this.refusals.get();
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Socket client = this.listener.accept();
				Socket server = new Socket(InetAddress.getLoopbackAddress(), this.target);
				client.setTcpNoDelay(true);
				server.setTcpNoDelay(true);
				this.sockets.addAll(List.of(client, server));
				startThread(() -> pump(client, server, this::passRequests), "error-proxy-requests");
				startThread(() -> pump(server, client, InputStream::transferTo), "error-proxy-replies");
			}
			catch (IOException ex) {
				// Closed, or one of the two is gone already
			}
		}
	}

	private void pump(Socket from, Socket to, Pump pump) {
		try (from; to) {
			pump.run(from.getInputStream(), to.getOutputStream());
		}
		catch (IOException ex) {
			// Either side is gone
		}
		finally {
			this.sockets.removeAll(Set.of(from, to));
		}
	}

	private void passRequests(InputStream from, OutputStream to) throws IOException {
		InputStream in = new BufferedInputStream(from);
		OutputStream out = new BufferedOutputStream(to);
		while (true) {
			List<byte[]> words = read(in);
			String command = new String(words.get(0), StandardCharsets.US_ASCII).toUpperCase(Locale.ROOT);
			if (this.refused.contains(command)) {
				words = List.of(bytes("EVAL"), bytes("return redis.error_reply(ARGV[1])"), bytes("0"),
						bytes(this.error));
				this.refusals.incrementAndGet();
			}
			write(words, out);
			if (in.available() == 0) {
				out.flush();
			}
		}
	}

	private static List<byte[]> read(InputStream in) throws IOException {
		int count = readLength('*', in);
		List<byte[]> words = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			words.add(in.readNBytes(readLength('$', in)));
			in.skipNBytes(2);
		}
		return words;
	}

	private static int readLength(char type, InputStream in) throws IOException {
		int first = in.read();
		if (first < 0) {
			throw new EOFException();
		}
		if (first != type) {
			throw new IOException("Not a request: " + (char) first);
		}
		int length = 0;
		int character;
		while ((character = in.read()) != '\r') {
			length = 10 * length + Character.digit(character, 10);
		}
		in.skipNBytes(1);
		return length;
	}

	private static void write(List<byte[]> words, OutputStream out) throws IOException {
		out.write(bytes("*" + words.size() + "\r\n"));
		for (byte[] word : words) {
			out.write(bytes("$" + word.length + "\r\n"));
			out.write(word);
			out.write(bytes("\r\n"));
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

	@Override
	public void close() {
		try {
			this.listener.close();
			for (Socket socket : this.sockets) {
				socket.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * What one direction of a connection does.
	 */
	private interface Pump {

		void run(InputStream in, OutputStream out) throws IOException;

	}

}
