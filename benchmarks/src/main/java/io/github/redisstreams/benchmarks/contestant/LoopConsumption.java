package io.github.redisstreams.benchmarks.contestant;

import java.util.ArrayList;
import java.util.List;

/**
 * Loops written by hand, one for each instance.
 */
abstract class LoopConsumption implements Consumption {

	/** How many entries they read at once, as many as our container. */
	static final int COUNT = 100;

	/** For how long they wait for entries, in milliseconds. */
	static final int BLOCK = 200;

	private final Job job;

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean stopped;

	LoopConsumption(Job job) {
		this.job = job;
	}

	/**
	 * Read, handle and acknowledge until stopped.
	 */
	abstract void loop(int instance) throws Exception;

	boolean isStopped() {
		return this.stopped;
	}

	@Override
	public void start() {
		for (int i = 0; i < this.job.instances(); i++) {
			int instance = i;
			Thread thread = new Thread(() -> run(instance), this.job.consumer(i));
			this.threads.add(thread);
			thread.start();
		}
	}

	private void run(int instance) {
		try {
			loop(instance);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.stopped = true;
		try {
			for (Thread thread : this.threads) {
				thread.join();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
