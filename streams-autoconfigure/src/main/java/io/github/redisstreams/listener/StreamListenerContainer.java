package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamCommands;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads one stream for one consumer group and has its entries handled. Delivers at least
 * once: an entry leaves the group's pending list only after its handler has succeeded (or
 * as the {@link AckMode} says).
 * <p>
 * This class is the life cycle only: a {@link StreamPoller} reads, a
 * {@link RecordProcessor} handles, an {@link AckBatcher} acknowledges, and an
 * {@link InFlightLimiter} keeps them in step. Created by a container factory and started
 * and stopped by the registry; may be started and stopped again at any time.
 */
public final class StreamListenerContainer {

	private static final Log logger = LogFactory.getLog(StreamListenerContainer.class);

	private static final Duration IDLE_WORKER_LIFE = Duration.ofSeconds(10);

	private static final Duration UNBLOCK_INTERVAL = Duration.ofMillis(20);

	private static final Duration SHORTEST_POLLER_PATIENCE = Duration.ofSeconds(1);

	private static final Duration LAST_ACKS_TIMEOUT = Duration.ofSeconds(2);

	private final String id;

	private final ListenerOptions options;

	private final EntryHandler handler;

	private final StreamCommands commands;

	private final ScheduledExecutorService timer;

	private final ThreadFactory workerThreads;

	private volatile @Nullable Run run;

	private volatile boolean paused;

	/**
	 * Create a new container, not started.
	 * @param id the listener's id
	 * @param options how to read
	 * @param handler takes the entries
	 * @param commands the port to Redis
	 * @param timer runs short tasks, which wait for nothing but a connection to Redis
	 * @param workerThreads makes the threads that handlers run on
	 */
	public StreamListenerContainer(String id, ListenerOptions options, EntryHandler handler, StreamCommands commands,
			ScheduledExecutorService timer, ThreadFactory workerThreads) {
		this.id = id;
		this.options = options;
		this.handler = handler;
		this.commands = commands;
		this.timer = timer;
		this.workerThreads = workerThreads;
	}

	/**
	 * The listener's id.
	 * @return the id
	 */
	public String getId() {
		return this.id;
	}

	/**
	 * How this container reads.
	 * @return the options
	 */
	public ListenerOptions getOptions() {
		return this.options;
	}

	/**
	 * Start reading, unless started. Does not wait for Redis.
	 * @return completed when the group has been created, or the first attempt to do so
	 * has failed and is repeated in the background
	 */
	public synchronized CompletableFuture<Void> start() {
		Run run = this.run;
		if (run == null) {
			run = new Run();
			run.poller.pause(this.paused);
			run.pollerThread.start();
			this.run = run;
		}
		return run.poller.firstAttempt();
	}

	/**
	 * Stop: read no more, wait up to {@code shutdown-timeout} for running handlers, send
	 * their acknowledgements. Entries that were read and not started stay pending.
	 */
	public synchronized void stop() {
		Run run = this.run;
		if (run != null) {
			try {
				run.stop();
			}
			finally {
				this.run = null;
			}
		}
	}

	/**
	 * Whether the container is started; also while it waits for Redis to come back.
	 * @return whether it is started
	 */
	public boolean isRunning() {
		return this.run != null;
	}

	/**
	 * Read no more until {@link #resume()}, staying started. What has been read is
	 * handled.
	 */
	public void pause() {
		setPaused(true);
	}

	/**
	 * Read again after a {@link #pause()}.
	 */
	public void resume() {
		setPaused(false);
	}

	private synchronized void setPaused(boolean paused) {
		if (this.paused != paused) {
			this.paused = paused;
			logger.info("Listener '" + this.id + "' is " + (paused ? "paused" : "resumed"));
			Run run = this.run;
			if (run != null) {
				run.poller.pause(paused);
			}
		}
	}

	/**
	 * Whether the container is paused.
	 * @return whether it is paused
	 */
	public boolean isPaused() {
		return this.paused;
	}

	/**
	 * How many entries this container holds: waiting for a handler, being handled, or
	 * handled and not yet acknowledged.
	 * @return the number of entries
	 */
	public int getInFlight() {
		Run run = this.run;
		return (run != null) ? run.limiter.inFlight() : 0;
	}

	@Override
	public String toString() {
		return "listener '" + this.id + "' (stream '" + this.options.stream() + "', group '" + this.options.group()
				+ "')";
	}

	/**
	 * What lives from one start to the next stop.
	 */
	private final class Run {

		private final InFlightLimiter limiter;

		private final AckBatcher acks;

		private final RecordProcessor processor;

		private final ThreadPoolExecutor workers;

		private final StreamPoller poller;

		private final Thread pollerThread;

		Run() {
			StreamListenerContainer container = StreamListenerContainer.this;
			ListenerOptions options = container.options;
			this.limiter = new InFlightLimiter(options, container.handler.isBatch());
			this.acks = new AckBatcher(container.commands, options, this.limiter, container.timer);
			this.processor = new RecordProcessor(container.id, options, container.handler, this.limiter, this.acks);
			this.workers = new ThreadPoolExecutor(options.concurrency(), options.concurrency(),
					IDLE_WORKER_LIFE.toSeconds(), TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
					container.workerThreads);
			this.workers.allowCoreThreadTimeOut(true);
			this.poller = new StreamPoller(container.id, options, container.commands, this.limiter, this.acks,
					this::handOver);
			// Not a daemon: an application that does nothing but listen stays alive
			this.pollerThread = new Thread(this.poller, "streams-poller-" + container.id);
		}

		private void handOver(List<Delivery> deliveries) {
			if (StreamListenerContainer.this.handler.isBatch()) {
				execute(new Work(deliveries));
			}
			else {
				deliveries.stream().map((delivery) -> new Work(List.of(delivery))).forEach(this::execute);
			}
		}

		private void execute(Work work) {
			try {
				this.workers.execute(work);
			}
			// Where no thread can be created the entry stays pending, to be claimed later
			catch (RuntimeException | Error ex) {
				this.limiter.unstarted(work.ids());
				logger.warn("Listener '" + StreamListenerContainer.this.id + "' has no thread to handle "
						+ work.ids().size() + " entries; they stay pending", ex);
			}
		}

		void stop() {
			long deadline = System.nanoTime() + StreamListenerContainer.this.options.shutdownTimeout().toNanos();
			try {
				stopPoller(deadline);
				discardUnstarted();
				this.workers.shutdown();
				if (!this.workers.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
					logger.warn("Handlers of listener '" + StreamListenerContainer.this.id
							+ "' still run after shutdown-timeout; they are interrupted");
					this.workers.shutdownNow();
				}
				this.acks.drain(LAST_ACKS_TIMEOUT);
			}
			catch (InterruptedException ex) {
				this.workers.shutdownNow();
				Thread.currentThread().interrupt();
			}
			logger.info("Listener '" + StreamListenerContainer.this.id + "' has stopped");
		}

		private void stopPoller(long deadline) throws InterruptedException {
			long patience = Math.max(deadline, System.nanoTime() + SHORTEST_POLLER_PATIENCE.toNanos());
			this.poller.stop();
			this.pollerThread.join(UNBLOCK_INTERVAL.toMillis());
			while (this.pollerThread.isAlive()) {
				this.poller.endBlockingRead();
				if (System.nanoTime() - patience > 0) {
					this.pollerThread.interrupt();
				}
				this.pollerThread.join(UNBLOCK_INTERVAL.toMillis());
			}
		}

		private void discardUnstarted() {
			Runnable queued;
			while ((queued = this.workers.getQueue().poll()) != null) {
				this.limiter.unstarted(((Work) queued).ids());
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
				Run.this.processor.process(this.deliveries);
				if (Run.this.workers.getQueue().isEmpty()) {
					Run.this.processor.ranDry();
				}
			}

			List<EntryId> ids() {
				return this.deliveries.stream().map((delivery) -> delivery.entry().id()).toList();
			}

		}

	}

}
