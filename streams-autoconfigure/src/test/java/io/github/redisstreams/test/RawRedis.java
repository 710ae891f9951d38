package io.github.redisstreams.test;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serial;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One connection to Redis that speaks RESP2 and nothing else, so that tests see the truth
 * without the client under test. Replies are {@code String}, {@code Long}, {@code List}
 * or {@code null}; an error is a {@link RedisError}, thrown at the top and an element
 * within a list.
 */
public final class RawRedis implements AutoCloseable {

	private static final int TIMEOUT_MILLIS = 10_000;

	private final Socket socket;

	private final InputStream in;

	private final OutputStream out;

	/**
	 * Connect.
	 * @param port the server's port on 127.0.0.1
	 */
	public RawRedis(int port) {
		try {
			this.socket = new Socket();
			this.socket.setTcpNoDelay(true);
			this.socket.setSoTimeout(TIMEOUT_MILLIS);
			this.socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
			this.in = new BufferedInputStream(this.socket.getInputStream());
			this.out = new BufferedOutputStream(this.socket.getOutputStream(), 1 << 16);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot connect to port " + port, ex);
		}
	}

	/**
	 * Send a command and wait for its reply.
	 */
	public Object command(String... words) {
		return command(bytes(words));
	}

	/**
	 * Send a command of bytes and wait for its reply.
	 */
	public synchronized Object command(byte[]... words) {
		send(words);
		flush();
		return receive();
	}

	/**
	 * Send a command without waiting; {@link #flush()} and {@link #receive()} are to
	 * follow.
	 */
	public synchronized void send(String... words) {
		send(bytes(words));
	}

	private void send(byte[]... words) {
		try {
			this.out.write(("*" + words.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
			for (byte[] word : words) {
				this.out.write(("$" + word.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
				this.out.write(word);
				this.out.write('\r');
				this.out.write('\n');
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public synchronized void flush() {
		try {
			this.out.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The next reply.
	 */
	public synchronized Object receive() {
		try {
			Object reply = read();
			if (reply instanceof RedisError error) {
				throw error;
			}
			return reply;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Object read() throws IOException {
		String line = readLine();
		String rest = line.substring(1);
		return switch (line.charAt(0)) {
			case '+' -> rest;
			case '-' -> new RedisError(rest);
			case ':' -> Long.valueOf(rest);
			case '$' -> readBulk(Integer.parseInt(rest));
			case '*' -> readList(Integer.parseInt(rest));
			default -> throw new IOException("Not RESP2: " + line);
		};
	}

	private String readBulk(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] bytes = this.in.readNBytes(length);
		if (bytes.length < length || this.in.read() != '\r' || this.in.read() != '\n') {
			throw new EOFException();
		}
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private List<Object> readList(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		List<Object> list = new ArrayList<>(length);
		for (int i = 0; i < length; i++) {
			list.add(read());
		}
		return list;
	}

	private String readLine() throws IOException {
		StringBuilder line = new StringBuilder();
		while (true) {
			int character = this.in.read();
			if (character < 0) {
				throw new EOFException("The server closed the connection");
			}
			if (character == '\r') {
				this.in.read();
				return line.toString();
			}
			line.append((char) character);
		}
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static byte[][] bytes(String... words) {
		return Arrays.stream(words).map((word) -> word.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
	}

	/**
	 * An error that the server replied.
	 */
	public static final class RedisError extends RuntimeException {

		@Serial
		private static final long serialVersionUID = 1L;

		RedisError(String message) {
			super(message);
		}

	}

}
