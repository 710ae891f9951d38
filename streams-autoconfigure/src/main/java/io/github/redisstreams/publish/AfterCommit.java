package io.github.redisstreams.publish;

import java.util.HashSet;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends once the transaction of this thread is committed, and not at all if it is rolled
 * back, or the part of it that began with a savepoint.
 */
final class AfterCommit implements TransactionSynchronization {

	private static final Log logger = LogFactory.getLog(AfterCommit.class);

	private final Runnable send;

	private final Runnable drop;

	/** Those that were created later. */
	private final Set<Object> savepoints = new HashSet<>();

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
	 * @param send sends
	 * @param drop is run instead if nothing is to be sent
	 */
	static void send(Runnable send, Runnable drop) {
		TransactionSynchronizationManager.registerSynchronization(new AfterCommit(send, drop));
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.add(savepoint);
	}

	@Override
	public void savepointRollback(Object savepoint) {
		if (!this.savepoints.contains(savepoint)) {
			finish(this.drop);
		}
	}

	@Override
	public void afterCommit() {
		finish(this.send);
	}

	@Override
	public void afterCompletion(int status) {
		// Not sent yet if registered by another that ran after the commit, or if another
		// has failed then
		if (status == STATUS_COMMITTED) {
			finish(this.send);
			return;
		}
		if (status == STATUS_UNKNOWN) {
			logger.warn("Entries were not sent, since it is not known whether the transaction was committed");
		}
		finish(this.drop);
	}

	private void finish(Runnable action) {
		if (!this.done) {
			this.done = true;
			action.run();
		}
	}

}
