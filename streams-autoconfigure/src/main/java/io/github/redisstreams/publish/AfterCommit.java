package io.github.redisstreams.publish;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ReflectionUtils;

/**
 * Sends once the transaction of this thread is committed, and not at all if it is rolled
 * back, or the part of it that began with a savepoint.
 */
final class AfterCommit implements TransactionSynchronization {

	private static final Log logger = LogFactory.getLog(AfterCommit.class);

	/** In their order. */
	private final List<Send> sends = new ArrayList<>();

	/**
	 * How many sends there were before each. Nobody tells that one is released, but then
	 * nobody holds it any more.
	 */
	private final Map<Object, Integer> savepoints = new WeakHashMap<>();

	private boolean suspended;

	private volatile boolean completed;

	private AfterCommit() {
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
		current().sends.add(new Send(send, drop));
	}

	private static AfterCommit current() {
		AfterCommit bound = (AfterCommit) TransactionSynchronizationManager.getResource(AfterCommit.class);
		if (bound != null && !bound.completed) {
			return bound;
		}
		if (bound != null) {
			// Was completed on another thread, which could not unbind it here
			TransactionSynchronizationManager.unbindResource(AfterCommit.class);
		}
		AfterCommit current = new AfterCommit();
		TransactionSynchronizationManager.registerSynchronization(current);
		current.bind();
		return current;
	}

	private void bind() {
		TransactionSynchronizationManager.bindResource(AfterCommit.class, this);
	}

	private boolean unbind() {
		boolean bound = TransactionSynchronizationManager.getResource(AfterCommit.class) == this;
		if (bound) {
			TransactionSynchronizationManager.unbindResource(AfterCommit.class);
		}
		return bound;
	}

	@Override
	public void suspend() {
		this.suspended = unbind();
	}

	@Override
	public void resume() {
		if (this.suspended) {
			bind();
		}
	}

	@Override
	public void savepoint(Object savepoint) {
		// Else the key would stay one that is equal and released, as where it is a name
		this.savepoints.remove(savepoint);
		this.savepoints.put(savepoint, this.sends.size());
	}

	@Override
	public void savepointRollback(Object savepoint) {
		// Those that are not known were created before the first send
		drop(this.savepoints.getOrDefault(savepoint, 0));
	}

	@Override
	public void beforeCompletion() {
		// The rest may be on another thread. And what others send after the commit is
		// not to fail for whoever commits
		unbind();
	}

	@Override
	public void afterCommit() {
		send();
	}

	@Override
	public void afterCompletion(int status) {
		this.completed = true;
		// Bound still if registered by another that ran since beforeCompletion
		unbind();
		// Not sent yet if registered by another that ran after the commit, or if another
		// has failed then
		if (status == STATUS_COMMITTED) {
			send();
			return;
		}
		if (status == STATUS_UNKNOWN && !this.sends.isEmpty()) {
			logger.warn("Entries were not sent, since it is not known whether the transaction was committed");
		}
		drop(0);
	}

	private void send() {
		Throwable failure = null;
		for (Send send : cut(0)) {
			try {
				send.send().run();
			}
			catch (RuntimeException | Error ex) {
				if (failure == null) {
					failure = ex;
				}
				else {
					logger.error("Sending after the commit has failed more than once", ex);
				}
			}
		}
		if (failure != null) {
			ReflectionUtils.rethrowRuntimeException(failure);
		}
	}

	private void drop(int from) {
		cut(from).forEach((send) -> send.drop().run());
	}

	/**
	 * Takes them out before anything is run, since that may send, too.
	 */
	private List<Send> cut(int from) {
		// May be fewer by now, if a rollback to an earlier savepoint has cut them
		List<Send> tail = this.sends.subList(Math.min(from, this.sends.size()), this.sends.size());
		List<Send> taken = List.copyOf(tail);
		tail.clear();
		return taken;
	}

	private record Send(Runnable send, Runnable drop) {
	}

}
