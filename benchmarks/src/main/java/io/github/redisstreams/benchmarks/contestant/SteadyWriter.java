package io.github.redisstreams.benchmarks.contestant;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes entries at a steady rate, whether anybody keeps up with it or not. Over a
 * socket, so that it leaves the processors to those who are measured.
 */
final class SteadyWriter implements AutoCloseable {

	private static final long MICROS = TimeUnit.SECONDS.toMicros(1);

	private final String stream;

	private final String field;

	private final Socket socket;

	private final OutputStream out;

	/**
	 * Create a new writer.
	 * @param job whose stream it writes to
	 * @param field the name of the field that has the content
	 */
	SteadyWriter(Job job, String field) throws IOException {
		this.stream = job.stream();
		this.field = field;
		this.socket = new Socket("127.0.0.1", job.port());
		this.socket.setTcpNoDelay(true);
		this.out = new BufferedOutputStream(this.socket.getOutputStream(), 1 << 16);
		this.out.write(RespCommand.of("CLIENT", "REPLY", "OFF"));
	}

	/**
	 * Write entries, and return when all are sent. It does not wait for replies, so an
	 * entry that is held up says when it was due rather than when it was sent at last.
	 * @param entries how many
	 * @param rate how many in a second
	 * @param unmeasured how many of them, the first, do not say when they were sent
	 */
	void write(int entries, int rate, int unmeasured) throws IOException {
		long start = Probe.nowMicros();
		int written = 0;
		while (written < entries) {
			long now = Probe.nowMicros();
			int due = (int) Math.min(entries, (now - start) * rate / MICROS + 1);
			for (; written < due; written++) {
				// The last one has waited for no other, but for the end of a sleep
				long sent = (written == due - 1) ? now : start + written * MICROS / rate;
				this.out.write(entry((written < unmeasured) ? "early" : Job.SENT, sent));
			}
			this.out.flush();
			LockSupport.parkNanos((start + written * MICROS / rate - Probe.nowMicros()) * 1000);
		}
	}

	private byte[] entry(String time, long sent) {
		return RespCommand.of("XADD", this.stream, "*", time, String.valueOf(sent), this.field, Order.JSON);
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
