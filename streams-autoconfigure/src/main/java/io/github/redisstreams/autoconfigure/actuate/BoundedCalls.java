package io.github.redisstreams.autoconfigure.actuate;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.redisstreams.StreamsConfigurationException;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Calls what may take long on threads of its own, so that who asks waits no longer than
 * it may. Of these there are {@value #MOST_THREADS} at most: where all are taken, no
 * further calls are made.
 */
final class BoundedCalls implements AutoCloseable {

	static final int MOST_THREADS = 16;

	private final Duration timeout;

	private final ThreadPoolExecutor executor;

	/**
	 * Create new calls.
	 * @param timeout how long each may take
	 * @throws StreamsConfigurationException if that is less than a millisecond
	 */
	BoundedCalls(Duration timeout) {
		if (timeout.toMillis() < 1) {
			throw new StreamsConfigurationException("The actuator endpoint cannot wait " + timeout.toMillis() + "ms",
					"Set management.endpoint.redisstreams.timeout to 1ms or more, such as 5s.");
		}
		this.timeout = timeout;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("streams-actuator-");
		threads.setDaemon(true);
		this.executor = new ThreadPoolExecutor(0, MOST_THREADS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(),
				threads);
	}

	/**
	 * How long to wait for a call.
	 */
	Duration timeout() {
		return this.timeout;
	}

	/**
	 * Call, and give up where it takes too long.
	 * @throws java.util.concurrent.RejectedExecutionException if too much is under way
	 * @throws TimeoutException if it takes too long; it is interrupted then
	 * @throws ExecutionException if it fails
	 */
	<T> T call(Callable<T> call) throws TimeoutException, ExecutionException, InterruptedException {
		Future<T> result = this.executor.submit(call);
		try {
			return result.get(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		finally {
			result.cancel(true);
		}
	}

	/**
	 * Begin a call that goes on whether anybody waits for it or not.
	 * @throws java.util.concurrent.RejectedExecutionException if too much is under way
	 */
	<T> CompletableFuture<T> begin(Callable<T> call) {
		CompletableFuture<T> result = new CompletableFuture<>();
		this.executor.execute(() -> {
			try {
				result.complete(call.call());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		return result;
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
