package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The threads that entries are handled on, and the entries that wait for one.
 */
final class WorkerPool {

	private static final Log logger = LogFactory.getLog(WorkerPool.class);

	private static final Duration IDLE_WORKER_LIFE = Duration.ofSeconds(10);

	private final String listenerId;

	private final boolean batches;

	private final int batchSize;

	private final InFlightLimiter limiter;

	private final RecordProcessor processor;

	private final AckBatcher acks;

	private final ThreadPoolExecutor threads;

	private final ReentrantLock lock = new ReentrantLock();

	private final List<Delivery> unstarted = new ArrayList<>();

	private boolean closed;

	/**
	 * Create a new pool, without a thread yet.
	 * @param batches whether entries are handled many together rather than one by one
	 */
	WorkerPool(String listenerId, ListenerOptions options, boolean batches, InFlightLimiter limiter,
			RecordProcessor processor, AckBatcher acks, ThreadFactory threadFactory) {
		int concurrency = options.concurrency();
		this.listenerId = listenerId;
		this.batches = batches;
		this.batchSize = options.batchSize();
		this.limiter = limiter;
		this.processor = processor;
		this.acks = acks;
		this.threads = new ThreadPoolExecutor(concurrency, concurrency, IDLE_WORKER_LIFE.toSeconds(), TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), threadFactory);
		this.threads.allowCoreThreadTimeOut(true);
	}

	/**
	 * Have entries handled as soon as a thread is free.
	 */
	void submit(List<Delivery> deliveries) {
		if (this.batches) {
			for (int from = 0; from < deliveries.size(); from += this.batchSize) {
				execute(new Work(deliveries.subList(from, Math.min(from + this.batchSize, deliveries.size()))));
			}
		}
		else {
			deliveries.forEach((delivery) -> execute(new Work(List.of(delivery))));
		}
	}

	private void execute(Work work) {
		this.lock.lock();
		try {
			if (this.closed) {
				notStarted(work);
			}
			else {
				this.threads.execute(work);
			}
		}
		// Where no thread can be created the entry stays pending, to be claimed later
		catch (RuntimeException | Error ex) {
			this.limiter.unstarted(work.deliveries.size());
			work.deliveries.forEach((delivery) -> this.limiter.leave(delivery.entry().id()));
			logger.warn("Listener '" + this.listenerId + "' has no thread to handle " + work.deliveries.size()
					+ " entries; they stay pending", ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void notStarted(Work work) {
		this.limiter.unstarted(work.deliveries.size());
		this.unstarted.addAll(work.deliveries);
	}

	/**
	 * Start nothing any more.
	 */
	void close() {
		this.lock.lock();
		try {
			this.closed = true;
			Runnable queued;
			while ((queued = this.threads.getQueue().poll()) != null) {
				notStarted((Work) queued);
			}
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

	/**
	 * One call of the handler.
	 */
	private final class Work implements Runnable {

		private final List<Delivery> deliveries;

		Work(List<Delivery> deliveries) {
			this.deliveries = deliveries;
		}

		@Override
		public void run() {
			WorkerPool.this.processor.process(this.deliveries);
			if (WorkerPool.this.threads.getQueue().isEmpty()) {
				WorkerPool.this.acks.flush();
			}
		}

	}

}
