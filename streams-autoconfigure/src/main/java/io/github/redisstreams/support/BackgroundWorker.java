package io.github.redisstreams.support;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Does something in the background while the application runs: on one daemon thread of
 * its own, which exists only while there is something to do.
 * <p>
 * It can be started again after a stop, on another thread. A stop interrupts the task
 * that runs and drops those that wait, but does not wait itself: a task that takes no
 * notice may still be running when the next thread starts.
 */
public abstract class BackgroundWorker implements SmartLifecycle {

	private final String threadNamePrefix;

	private final int phase;

	private @Nullable ScheduledExecutorService executor;

	/**
	 * Create a worker that is not running.
	 * @param threadNamePrefix how the names of its threads begin
	 * @param phase when to start and stop it; among those of one phase, Spring starts it
	 * after the beans that it depends on and stops it before them
	 */
	protected BackgroundWorker(String threadNamePrefix, int phase) {
		this.threadNamePrefix = threadNamePrefix;
		this.phase = phase;
	}

	/**
	 * Schedule what is to be done. Called at every start, before {@link #start()}
	 * returns.
	 * <p>
	 * A periodic task ends with the first run that throws. A task may schedule its next
	 * run itself, which is rejected once the worker was stopped, and may shut the
	 * executor down when all is done: that ends the thread, while the worker stays
	 * {@linkplain #isRunning() running}.
	 * @param executor runs tasks on the worker's thread until the next stop
	 */
	protected abstract void schedule(ScheduledExecutorService executor);

	@Override
	public synchronized void start() {
		if (this.executor == null) {
			CustomizableThreadFactory threads = new CustomizableThreadFactory(this.threadNamePrefix);
			threads.setDaemon(true);
			ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(threads);
			schedule(executor);
			this.executor = executor;
		}
	}

	@Override
	public synchronized void stop() {
		if (this.executor != null) {
			this.executor.shutdownNow();
			this.executor = null;
		}
	}

	/**
	 * Whether it was started and not stopped since.
	 */
	@Override
	public synchronized boolean isRunning() {
		return this.executor != null;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

}
