package io.github.redisstreams.benchmarks.contestant;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * The floor: a loop over a socket that reads RESP itself, keeps of an entry its id and
 * when it was sent, and sends the {@code XACK} of a batch in one packet with the next
 * read. Not meant to be used: it survives nothing.
 */
final class SocketConsumption extends LoopConsumption {

	private final Job job;

	private final Probe probe;

	SocketConsumption(Job job, Probe probe) {
		super(job);
		this.job = job;
		this.probe = probe;
	}

	@Override
	void loop(int instance) throws IOException {
		byte[] read = RespCommand.of("XREADGROUP", "GROUP", this.job.group(), this.job.consumer(instance), "COUNT",
				String.valueOf(COUNT), "BLOCK", String.valueOf(BLOCK), "STREAMS", this.job.stream(), ">");
		try (Socket socket = new Socket("127.0.0.1", this.job.port())) {
			socket.setTcpNoDelay(true);
			socket.setSoTimeout(10_000);
			OutputStream out = socket.getOutputStream();
			Replies replies = new Replies(socket.getInputStream());
			String[] ids = new String[COUNT];
			int handled = 0;
			while (!isStopped()) {
				if (handled > 0) {
					out.write(acknowledge(ids, handled));
				}
				out.write(read);
				out.flush();
				if (handled > 0) {
					replies.integer();
				}
				handled = handleAll(replies, instance, ids);
			}
			if (handled > 0) {
				out.write(acknowledge(ids, handled));
				out.flush();
				replies.integer();
			}
		}
	}

	private int handleAll(Replies replies, int instance, String[] ids) throws IOException {
		if (replies.array() < 0) {
			return 0;
		}
		replies.array();
		replies.text();
		int count = (int) replies.array();
		for (int i = 0; i < count; i++) {
			replies.array();
			ids[i] = replies.text();
			String sent = null;
			long fields = replies.array();
			for (int field = 0; field < fields; field += 2) {
				if (replies.textIs(Job.SENT)) {
					sent = replies.text();
				}
				else {
					replies.skip();
				}
			}
			this.probe.handle(instance, sent);
		}
		return count;
	}

	private byte[] acknowledge(String[] ids, int count) {
		String[] command = new String[count + 3];
		command[0] = "XACK";
		command[1] = this.job.stream();
		command[2] = this.job.group();
		System.arraycopy(ids, 0, command, 3, count);
		return RespCommand.of(command);
	}

	/**
	 * Reads replies of RESP2, as far as they occur here.
	 */
	private static final class Replies {

		private final InputStream in;

		private final byte[] buffer = new byte[1 << 16];

		private int position;

		private int limit;

		/** The text that was read last, from here to the position without its end. */
		private int textStart;

		private int textLength;

		Replies(InputStream in) {
			this.in = in;
		}

		long array() throws IOException {
			return number('*');
		}

		long integer() throws IOException {
			return number(':');
		}

		private long number(char type) throws IOException {
			int actual = next();
			if (actual != type) {
				throw new IOException("Unexpected reply " + (char) actual);
			}
			long number = 0;
			boolean negative = false;
			int character = next();
			while (character != '\r') {
				if (character == '-') {
					negative = true;
				}
				else {
					number = number * 10 + (character - '0');
				}
				character = next();
			}
			next();
			return negative ? -number : number;
		}

		private int next() throws IOException {
			if (this.position == this.limit) {
				fill(1);
			}
			return this.buffer[this.position++];
		}

		// So that so many bytes are there in one piece
		private void fill(int needed) throws IOException {
			if (this.buffer.length - this.position < needed) {
				System.arraycopy(this.buffer, this.position, this.buffer, 0, this.limit - this.position);
				this.limit -= this.position;
				this.position = 0;
			}
			while (this.limit - this.position < needed) {
				int count = this.in.read(this.buffer, this.limit, this.buffer.length - this.limit);
				if (count < 0) {
					throw new EOFException("Redis has closed the connection");
				}
				this.limit += count;
			}
		}

		void skip() throws IOException {
			this.textLength = (int) number('$');
			fill(this.textLength + 2);
			this.textStart = this.position;
			this.position += this.textLength + 2;
		}

		String text() throws IOException {
			skip();
			return new String(this.buffer, this.textStart, this.textLength, StandardCharsets.ISO_8859_1);
		}

		boolean textIs(String expected) throws IOException {
			skip();
			if (this.textLength != expected.length()) {
				return false;
			}
			for (int i = 0; i < this.textLength; i++) {
				if (this.buffer[this.textStart + i] != expected.charAt(i)) {
					return false;
				}
			}
			return true;
		}

	}

}
