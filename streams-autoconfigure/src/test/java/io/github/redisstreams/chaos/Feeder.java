package io.github.redisstreams.chaos;

import java.io.UncheckedIOException;
import java.time.Duration;

import io.github.redisstreams.test.RawRedis;
import io.github.redisstreams.test.RedisServer;

/**
 * Adds the entries evenly over a time, each exactly once whatever happens to Redis: their
 * ids say which they are, and Redis refuses those that it has.
 */
final class Feeder implements Runnable, AutoCloseable {

	private static final int PIPELINE = 500;

	private final RedisServer redis;

	private final int entries;

	private final Duration time;

	private final long start = System.nanoTime();

	private final long startMillis = System.currentTimeMillis();

	private volatile int added;

	private RawRedis connection;

	Feeder(RedisServer redis, int entries, Duration time) {
		this.redis = redis;
		this.entries = entries;
		this.time = time;
	}

	/**
	 * The id of an entry.
	 */
	String id(int n) {
		return this.startMillis + "-" + (n + 1);
	}

	boolean isDone() {
		return this.added == this.entries;
	}

	/**
	 * Add what is due by now. To be called now and then.
	 */
	@Override
	public synchronized void run() {
		long elapsed = System.nanoTime() - this.start;
		int due = (int) Math.min(this.entries, this.entries * (double) elapsed / this.time.toNanos());
		try {
			while (this.added < due) {
				add(Math.min(due, this.added + PIPELINE));
			}
		}
		catch (UncheckedIOException | RawRedis.RedisError ex) {
			// The next time will do
			close();
		}
	}

	private void add(int to) {
		if (this.connection == null) {
			this.connection = this.redis.connect();
			// While it loads its data Redis may refuse the first of a pipeline, and take
			// the rest. The first are then refused for good, for their ids
			this.connection.command("PING");
		}
		int from = this.added;
		for (int n = from; n < to; n++) {
			String[] fields = Workload.fields(n);
			String[] command = new String[fields.length + 3];
			command[0] = "XADD";
			command[1] = Workload.STREAM;
			command[2] = id(n);
			System.arraycopy(fields, 0, command, 3, fields.length);
			this.connection.send(command);
		}
		this.connection.flush();
		for (int n = from; n < to; n++) {
			try {
				this.connection.receive();
			}
			catch (RawRedis.RedisError ex) {
				if (!ex.getMessage().contains("equal or smaller")) {
					throw ex;
				}
			}
			this.added = n + 1;
		}
	}

	@Override
	public synchronized void close() {
		if (this.connection != null) {
			this.connection.close();
			this.connection = null;
		}
	}

}
