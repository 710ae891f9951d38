package io.github.redisstreams.support;

import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Calls who only watches, so that it cannot do any harm: what it throws is logged, the
 * first time as a warning.
 */
public final class ObserverGuard {

	private static final Log logger = LogFactory.getLog(ObserverGuard.class);

	private final String subject;

	private volatile boolean failed;

	/**
	 * Create a guard.
	 * @param subject what is watched, as the log is to call it
	 */
	public ObserverGuard(String subject) {
		this.subject = subject;
	}

	/**
	 * Call who watches.
	 * @param <T> what it returns
	 * @param call the call
	 * @param otherwise what to return if it fails
	 * @return what it has returned
	 */
	public <T> T call(Supplier<T> call, T otherwise) {
		try {
			return call.get();
		}
		catch (RuntimeException | Error ex) {
			log(ex);
			return otherwise;
		}
	}

	/**
	 * Call who watches.
	 * @param call the call
	 */
	public void run(Runnable call) {
		try {
			call.run();
		}
		catch (RuntimeException | Error ex) {
			log(ex);
		}
	}

	private void log(Throwable failure) {
		if (this.failed) {
			logger.debug("Observing " + this.subject + " failed again", failure);
			return;
		}
		this.failed = true;
		logger.warn("Observing " + this.subject + " failed, which does not keep it from its work. "
				+ "Further failures are logged as debug", failure);
	}

}
