package io.github.redisstreams.listener;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;

import io.github.redisstreams.redis.StreamCommands;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads one stream for one consumer group and has its entries handled. Delivers at least
 * once: an entry leaves the group's pending list only after its handler has succeeded (or
 * as the {@link AckMode} says).
 * <p>
 * This class is the life cycle only: each start makes a {@link ContainerRun}, in which a
 * {@link StreamPoller} reads, a {@link WorkerPool} has a {@link RecordProcessor} handle,
 * a {@link RedisSettlement} carries out what is decided, a {@link LeaseKeeper} keeps
 * others away meanwhile, and an {@link InFlightLimiter} keeps them all in step. Created
 * by a container factory and started and stopped by the registry; may be started and
 * stopped again at any time.
 */
public final class StreamListenerContainer {

	private static final Log logger = LogFactory.getLog(StreamListenerContainer.class);

	private final String id;

	private final ListenerOptions options;

	private final EntryHandler handler;

	private final HandlerObserver.Calls observer;

	private final StreamCommands commands;

	private final ScheduledExecutorService timer;

	private final ThreadFactory workerThreads;

	private final ContainerCounters counters = new ContainerCounters();

	private final ContainerReporter reporter;

	private volatile @Nullable ContainerRun run;

	private volatile boolean paused;

	/**
	 * Create a new container, not started.
	 * @param id the listener's id
	 * @param options how to read
	 * @param handler takes the entries
	 * @param commands the port to Redis
	 * @param timer runs short tasks, which wait for nothing but a connection to Redis
	 * @param workerThreads makes the threads that handlers run on
	 * @param observers watch it
	 */
	public StreamListenerContainer(String id, ListenerOptions options, EntryHandler handler, StreamCommands commands,
			ScheduledExecutorService timer, ThreadFactory workerThreads, ContainerObservers observers) {
		this.id = id;
		this.options = options;
		this.handler = handler;
		this.observer = ObservedCalls.by(observers.handlers(), id, options);
		this.commands = commands;
		this.timer = timer;
		this.workerThreads = workerThreads;
		this.reporter = new ContainerReporter(this, observers.events());
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
		ContainerRun run = this.run;
		if (run == null) {
			run = new ContainerRun(this.id, this.options, this.handler, this.observer, this.commands, this.timer,
					this.workerThreads, this.counters, this.reporter);
			run.pause(this.paused);
			this.reporter.started();
			run.start();
			this.run = run;
			this.reporter.lookAtState();
		}
		return run.firstAttempt().copy();
	}

	/**
	 * Stop: read no more, wait up to {@code shutdown-timeout} for running handlers, send
	 * their acknowledgements. Entries that were read and not started are handed back, so
	 * that another consumer takes them at its next claim, and that does not count as a
	 * delivery. With nothing left pending under its name the consumer leaves the group.
	 */
	public void stop() {
		stop(StopReason.REQUESTED);
	}

	/**
	 * Stop, for a reason that is only told to others.
	 * @param reason why
	 * @see #stop()
	 */
	public synchronized void stop(StopReason reason) {
		ContainerRun run = this.run;
		if (run != null) {
			try {
				run.stop();
			}
			finally {
				this.run = null;
				this.reporter.lookAtState();
				this.reporter.stopped(reason);
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
			ContainerRun run = this.run;
			if (run != null) {
				run.pause(paused);
			}
			this.reporter.lookAtState();
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
		ContainerRun run = this.run;
		return (run != null) ? run.inFlight() : 0;
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
		ContainerRun run = this.run;
		return (run != null) ? run.status() : new ContainerStatus(ContainerState.STOPPED, null, null, false, null);
	}

	ContainerState state() {
		ContainerRun run = this.run;
		return (run != null) ? run.state() : ContainerState.STOPPED;
	}

	/**
	 * What this container has done.
	 * @return the counters
	 */
	public ContainerCounters getCounters() {
		return this.counters;
	}

}
