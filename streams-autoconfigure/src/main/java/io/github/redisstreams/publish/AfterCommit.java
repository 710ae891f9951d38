package io.github.redisstreams.publish;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends once the transaction of this thread is committed, and not at all if it is rolled
 * back.
 */
final class AfterCommit implements TransactionSynchronization {

	private static final Log logger = LogFactory.getLog(AfterCommit.class);

	private final Runnable send;

	private final Runnable drop;

	private boolean done;

	private AfterCommit(Runnable send, Runnable drop) {
		this.send = send;
		this.drop = drop;
	}

	/**
	 * Whether there is a transaction to wait for.
	 */
	static boolean isPossible() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive();
	}

	/**
	 * Send then. What fails is thrown to whoever commits.
	 */
	static void send(Supplier<?> send) {
		TransactionSynchronizationManager.registerSynchronization(new AfterCommit(send::get, () -> {
		}));
	}

	/**
	 * Send then, without waiting for the reply.
	 */
	static <T> CompletableFuture<T> sendAsync(Supplier<CompletableFuture<T>> send) {
		CompletableFuture<T> result = new CompletableFuture<>();
		TransactionSynchronizationManager
			.registerSynchronization(new AfterCommit(() -> send.get().whenComplete((reply, failure) -> {
				if (failure != null) {
					result.completeExceptionally(failure);
				}
				else {
					result.complete(reply);
				}
			}), () -> result.cancel(false)));
		return result;
	}

	@Override
	public void afterCommit() {
		this.done = true;
		this.send.run();
	}

	@Override
	public void afterCompletion(int status) {
		if (this.done) {
			return;
		}
		// Registered by another that ran after the commit, and so too late for that
		if (status == STATUS_COMMITTED) {
			afterCommit();
			return;
		}
		if (status == STATUS_UNKNOWN) {
			logger.warn("Entries were not sent, since it is not known whether the transaction was committed");
		}
		this.drop.run();
	}

}
