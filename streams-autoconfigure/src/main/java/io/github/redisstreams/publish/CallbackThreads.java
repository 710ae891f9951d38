package io.github.redisstreams.publish;

import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Threads that complete futures: what is done with an id may well be to send the next
 * entry, and that must not wait for Redis on the very thread that its replies come in on.
 */
final class CallbackThreads {

	private CallbackThreads() {
	}

	/**
	 * An executor that has threads only while there is something to do, and more of them
	 * if some wait. They have the context class loader of the caller: with their own, in
	 * an executable jar, no class of the application could be found.
	 */
	static Executor create() {
		ClassLoader classLoader = ClassUtils.getDefaultClassLoader();
		return new ForkJoinPool(Math.max(2, Runtime.getRuntime().availableProcessors()),
				(pool) -> newThread(pool, classLoader), null, true);
	}

	private static ForkJoinWorkerThread newThread(ForkJoinPool pool, @Nullable ClassLoader classLoader) {
		ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
		thread.setName("streams-callbacks-" + thread.getName());
		thread.setContextClassLoader(classLoader);
		return thread;
	}

}
