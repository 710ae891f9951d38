package io.github.redisstreams.benchmarks.contestant;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

import io.github.redisstreams.benchmarks.harness.Statistics;
import org.jspecify.annotations.Nullable;

/**
 * The handler that all contestants call: takes as long as the job says, and counts.
 */
public final class Probe {

	/** Into how many parts to divide a job by collections of all garbage. */
	private static final int PARTS = Integer.getInteger("benchmark.parts", 1);

	private final Job job;

	private final AtomicInteger started = new AtomicInteger();

	private final AtomicInteger left;

	private final AtomicLongArray shares;

	private final long[] latencies;

	private final CountDownLatch done = new CountDownLatch(1);

	private volatile long doneAt;

	Probe(Job job) {
		this.job = job;
		this.left = new AtomicInteger(job.entries());
		this.shares = new AtomicLongArray(job.instances());
		this.latencies = new long[job.entries()];
	}

	/**
	 * Handle an entry.
	 * @param instance the number of the consumer, from 0
	 * @param sent the text of the field {@link Job#SENT}, {@code null} to measure no
	 * latency
	 */
	void handle(int instance, @Nullable String sent) {
		if (sent != null) {
			int index = this.started.getAndIncrement();
			if (index < this.latencies.length) {
				this.latencies[index] = nowMicros() - Long.parseLong(sent);
			}
		}
		if (this.job.handlerMicros() > 0) {
			work(this.job.handlerMicros() * 1000);
		}
		this.shares.incrementAndGet(instance);
		int left = this.left.decrementAndGet();
		if (PARTS > 1 && left > 0 && left % (this.job.entries() / PARTS) == 0) {
			System.gc();
		}
		if (left == 0) {
			this.doneAt = System.nanoTime();
			this.done.countDown();
		}
	}

	private static void work(long nanos) {
		long end = System.nanoTime() + nanos;
		long left = nanos;
		while (left > 0) {
			LockSupport.parkNanos(left);
			left = end - System.nanoTime();
		}
	}

	/**
	 * The time by the clock that latencies are measured with.
	 * @return microseconds since the epoch
	 */
	public static long nowMicros() {
		return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
	}

	/**
	 * Wait until all entries have been handled.
	 * @return when that was, by {@link System#nanoTime()}
	 */
	long awaitDone() throws InterruptedException {
		this.done.await();
		return this.doneAt;
	}

	double[] latencyMicros() {
		double[] all = Arrays.stream(this.latencies, 0, Math.min(this.started.get(), this.latencies.length))
			.asDoubleStream()
			.toArray();
		return new double[] { Statistics.quantile(all, 0.5), Statistics.quantile(all, 0.99),
				Statistics.quantile(all, 0.999), Statistics.quantile(all, 1) };
	}

	long[] shares() {
		long[] counts = new long[this.shares.length()];
		Arrays.setAll(counts, this.shares::get);
		return counts;
	}

}
