package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The threads that entries are handled on, and the entries that wait for one.
 */
final class WorkerPool {

	private static final Log logger = LogFactory.getLog(WorkerPool.class);

	private static final Duration IDLE_WORKER_LIFE = Duration.ofSeconds(10);

	private final String listenerId;

	private final int concurrency;

	/** How many entries the handler takes at once. */
	private final int perCall;

	private final InFlightLimiter limiter;

	private final RecordProcessor processor;

	private final AckBatcher acks;

	private final ThreadPoolExecutor threads;

	private final ReentrantLock lock = new ReentrantLock();

	/** One call of the handler each. */
	private final Queue<List<Delivery>> queue = new ArrayDeque<>();

	/** How many threads take from the queue. */
	private int working;

	private final List<Delivery> unstarted = new ArrayList<>();

	private boolean closed;

	/**
	 * Create a new pool, without a thread yet.
	 * @param batches whether entries are handled many together rather than one by one
	 */
	WorkerPool(String listenerId, ListenerOptions options, boolean batches, InFlightLimiter limiter,
			RecordProcessor processor, AckBatcher acks, ThreadFactory threadFactory) {
		this.listenerId = listenerId;
		this.concurrency = options.concurrency();
		this.perCall = batches ? options.batchSize() : 1;
		this.limiter = limiter;
		this.processor = processor;
		this.acks = acks;
		this.threads = new ThreadPoolExecutor(this.concurrency, this.concurrency, IDLE_WORKER_LIFE.toSeconds(),
				TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threadFactory);
		this.threads.allowCoreThreadTimeOut(true);
	}

	/**
	 * Have entries handled as soon as a thread is free, by threads that are there
	 * already. Where there may be too few, {@link #start()} is to be called.
	 */
	void submit(List<Delivery> deliveries) {
		this.lock.lock();
		try {
			if (this.closed) {
				notStarted(deliveries);
				return;
			}
			for (int from = 0; from < deliveries.size(); from += this.perCall) {
				this.queue.add(deliveries.subList(from, Math.min(from + this.perCall, deliveries.size())));
			}
			if (this.threads.getPoolSize() == this.concurrency) {
				startWorkers();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Start threads for what waits for one.
	 */
	void start() {
		this.lock.lock();
		try {
			if (!this.closed) {
				startWorkers();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	// One wake-up for each worker rather than for each entry, which would cost more than
	// many a handler
	private void startWorkers() {
		while (!this.queue.isEmpty() && this.working < this.concurrency) {
			List<Delivery> first = this.queue.remove();
			try {
				this.threads.execute(() -> work(first));
				this.working++;
			}
			catch (RuntimeException | Error ex) {
				leave(first, ex);
			}
		}
	}

	// Where no thread can be created an entry stays pending, to be claimed later, rather
	// than wait here for handlers of which nobody knows when they end
	private void leave(List<Delivery> deliveries, Throwable cause) {
		this.limiter.unstarted(deliveries.size());
		deliveries.forEach((delivery) -> this.limiter.leave(delivery.entry().id()));
		logger.warn("Listener '" + this.listenerId + "' has no thread to handle " + deliveries.size()
				+ " entries; they stay pending", cause);
	}

	private void work(List<Delivery> first) {
		try {
			List<Delivery> deliveries = first;
			while (deliveries != null) {
				this.processor.process(deliveries);
				// One handler's interrupt is not the next one's
				Thread.interrupted();
				deliveries = next();
			}
			this.acks.ranDry();
		}
		finally {
			workerEnds();
		}
	}

	private @Nullable List<Delivery> next() {
		this.lock.lock();
		try {
			return this.queue.poll();
		}
		finally {
			this.lock.unlock();
		}
	}

	// Entries may have come while it was ending
	private void workerEnds() {
		this.lock.lock();
		try {
			this.working--;
			start();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void notStarted(List<Delivery> deliveries) {
		this.limiter.unstarted(deliveries.size());
		this.unstarted.addAll(deliveries);
	}

	/**
	 * Start nothing any more.
	 */
	void close() {
		this.lock.lock();
		try {
			this.closed = true;
			this.queue.forEach(this::notStarted);
			this.queue.clear();
			this.threads.shutdown();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Wait for running handlers.
	 * @return whether they have all ended
	 */
	boolean awaitTermination(Duration patience) throws InterruptedException {
		return this.threads.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS);
	}

	/**
	 * Interrupt running handlers.
	 */
	void interrupt() {
		this.threads.shutdownNow();
	}

	/**
	 * What was submitted and, since the pool was closed before, has not been started.
	 */
	List<Delivery> unstarted() {
		this.lock.lock();
		try {
			return List.copyOf(this.unstarted);
		}
		finally {
			this.lock.unlock();
		}
	}

}
