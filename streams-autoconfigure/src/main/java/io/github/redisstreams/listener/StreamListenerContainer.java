package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import io.github.redisstreams.listener.RetryQueue.Redelivered;
import io.github.redisstreams.redis.HandBack;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads one stream for one consumer group and has its entries handled. Delivers at least
 * once: an entry leaves the group's pending list only after its handler has succeeded (or
 * as the {@link AckMode} says).
 * <p>
 * This class is the life cycle only: a {@link StreamPoller} reads, a {@link WorkerPool}
 * has a {@link RecordProcessor} handle, a {@link RedisSettlement} carries out what is
 * decided, a {@link LeaseKeeper} keeps others away meanwhile, and an
 * {@link InFlightLimiter} keeps them all in step. Created by a container factory and
 * started and stopped by the registry; may be started and stopped again at any time.
 */
public final class StreamListenerContainer {

	private static final Log logger = LogFactory.getLog(StreamListenerContainer.class);

	private static final Duration UNBLOCK_INTERVAL = Duration.ofMillis(20);

	private static final Duration SHORTEST_POLLER_PATIENCE = Duration.ofSeconds(1);

	private static final Duration LAST_COMMANDS_TIMEOUT = Duration.ofSeconds(2);

	private final String id;

	private final ListenerOptions options;

	private final EntryHandler handler;

	private final StreamCommands commands;

	private final ScheduledExecutorService timer;

	private final ThreadFactory workerThreads;

	private final ContainerCounters counters = new ContainerCounters();

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
			run.start();
			this.run = run;
		}
		return run.poller.firstAttempt();
	}

	/**
	 * Stop: read no more, wait up to {@code shutdown-timeout} for running handlers, send
	 * their acknowledgements. Entries that were read and not started are handed back, so
	 * that another consumer takes them at its next claim, and that does not count as a
	 * delivery. With nothing left pending under its name the consumer leaves the group.
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
	 * How many entries this container holds: waiting for a handler, being handled,
	 * waiting for a retry, or handled and not yet acknowledged.
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
	 * How this container is.
	 * @return its state and what there is to say about it
	 */
	public ContainerStatus getStatus() {
		Run run = this.run;
		return (run != null) ? run.status() : new ContainerStatus(ContainerState.STOPPED, null, null, false);
	}

	/**
	 * What this container has done.
	 * @return the counters
	 */
	public ContainerCounters getCounters() {
		return this.counters;
	}

	/**
	 * What lives from one start to the next stop.
	 */
	private final class Run {

		private final ListenerOptions options = StreamListenerContainer.this.options;

		private final StreamCommands commands = StreamListenerContainer.this.commands;

		private final InFlightLimiter limiter;

		private final AckBatcher acks;

		private final FailureCircuit circuit;

		private final RetryQueue retries;

		private final DeadLetterWriter deadLetters;

		private final RedisSettlement settlement;

		private final RecordProcessor processor;

		private final WorkerPool workers;

		private final LeaseKeeper leases;

		private final ConsumerPresence presence;

		private final StreamPoller poller;

		private final Thread pollerThread;

		Run() {
			String id = StreamListenerContainer.this.id;
			EntryHandler handler = StreamListenerContainer.this.handler;
			ContainerCounters counters = StreamListenerContainer.this.counters;
			ScheduledExecutorService timer = StreamListenerContainer.this.timer;
			this.limiter = new InFlightLimiter(this.options, handler.isBatch());
			this.acks = new AckBatcher(this.commands, this.options, this.limiter, counters, timer);
			this.circuit = new FailureCircuit(id, this.options.circuit(), counters);
			this.retries = new RetryQueue(this.options, this.commands, this.limiter, this.circuit, counters, timer,
					this::redelivered);
			this.deadLetters = new DeadLetterWriter(id, this.options, this.commands, this.limiter, this.retries,
					counters);
			this.settlement = new RedisSettlement(this.options, this.limiter, this.acks, this.retries, this.deadLetters,
					timer);
			this.processor = new RecordProcessor(id, this.options, handler, this.limiter, this.circuit);
			this.workers = new WorkerPool(id, this.options, handler.isBatch(), this.limiter, this.processor, this.acks,
					StreamListenerContainer.this.workerThreads);
			this.leases = new LeaseKeeper(this.options, this.commands, this.limiter, this.retries, counters, timer);
			this.presence = new ConsumerPresence(id, this.options, this.commands, timer);
			this.poller = new StreamPoller(id, this.options, this.commands, this.limiter, this.leases, this.circuit,
					counters, this.settlement, this.workers::submit);
			// Not a daemon: an application that does nothing but listen stays alive
			this.pollerThread = new Thread(this.poller, "streams-poller-" + id);
		}

		void start() {
			this.leases.start();
			this.presence.start();
			this.pollerThread.start();
		}

		private void redelivered(List<Redelivered> entries) {
			List<Delivery> deliveries = new ArrayList<>(entries.size());
			for (Redelivered redelivered : entries) {
				Delivery delivery = new Delivery(this.options, redelivered.entry(), redelivered.lease(),
						this.settlement);
				DeadLetterCase unwritten = redelivered.unwritten();
				if (unwritten != null) {
					this.deadLetters.write(delivery, unwritten);
				}
				else {
					this.limiter.resume(redelivered.lease());
					deliveries.add(delivery);
				}
			}
			if (!deliveries.isEmpty()) {
				this.workers.submit(deliveries);
			}
		}

		ContainerStatus status() {
			RedisWork reading = this.poller.reading();
			String problem = Stream
				.of(reading.problem(), this.acks.problem(), this.deadLetters.problem(), this.retries.problem(),
						this.leases.problem())
				.filter(Objects::nonNull)
				.findFirst()
				.orElse(null);
			return new ContainerStatus(state(reading.fault()), this.poller.lastPoll(), problem,
					this.presence.isShared());
		}

		private ContainerState state(@Nullable RedisFault fault) {
			if (isPaused()) {
				return ContainerState.PAUSED;
			}
			if (fault != null) {
				return switch (fault) {
					case GROUP_MISSING -> ContainerState.RECREATING;
					case WRONG_TYPE -> ContainerState.FAILED;
					default -> ContainerState.BACKING_OFF;
				};
			}
			if (!this.circuit.isClosed()) {
				return ContainerState.SUSPENDED;
			}
			return (this.poller.lastPoll() != null) ? ContainerState.POLLING : ContainerState.STARTING;
		}

		void stop() {
			String id = StreamListenerContainer.this.id;
			long deadline = System.nanoTime() + this.options.shutdownTimeout().toNanos();
			try {
				stopPoller(deadline);
				this.retries.stop();
				this.workers.close();
				if (!this.workers.awaitTermination(Duration.ofNanos(deadline - System.nanoTime()))) {
					logger.warn(
							"Handlers of listener '" + id + "' still run after shutdown-timeout; they are interrupted");
					this.processor.abandon();
					this.workers.interrupt();
				}
				settleAll(System.nanoTime() + LAST_COMMANDS_TIMEOUT.toNanos());
			}
			catch (InterruptedException ex) {
				this.workers.interrupt();
				Thread.currentThread().interrupt();
			}
			finally {
				this.leases.stop();
				this.presence.stop();
			}
			logger.info("Listener '" + id + "' has stopped");
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

		private void settleAll(long deadline) throws InterruptedException {
			this.acks.drain(until(deadline));
			this.deadLetters.drain(until(deadline));
			List<HandBack> handBacks = new ArrayList<>(this.retries.close());
			// Whoever claims an entry raises its count, so that of one never started is
			// lowered
			this.workers.unstarted()
				.stream()
				.map(Delivery::entry)
				.map((entry) -> new HandBack(entry.id(), this.options.minIdle(), entry.deliveryCount() - 1))
				.forEach(handBacks::add);
			if (!handBacks.isEmpty()) {
				attempt("hand back " + handBacks.size() + " entries",
						this.commands.handBack(this.options.streamConsumer(), handBacks), deadline);
				this.limiter.release(handBacks.stream().map(HandBack::id).toList());
			}
			else if (this.limiter.inFlight() == 0) {
				attempt("leave the group", this.commands.removeConsumer(this.options.streamConsumer()), deadline);
			}
		}

		// Without these, others wait for min-idle, and the consumer's name stays
		private void attempt(String what, CompletionStage<?> command, long deadline) throws InterruptedException {
			try {
				command.toCompletableFuture().get(until(deadline).toNanos(), TimeUnit.NANOSECONDS);
			}
			catch (ExecutionException | TimeoutException ex) {
				logger.info("Listener '" + StreamListenerContainer.this.id + "' could not " + what + ": "
						+ RedisFault.explain(ex));
			}
		}

		private static Duration until(long deadline) {
			return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
		}

	}

}
