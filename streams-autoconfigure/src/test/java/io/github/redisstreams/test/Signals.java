package io.github.redisstreams.test;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Sends signals that Java cannot.
 */
final class Signals {

	private Signals() {
	}

	/**
	 * Stop all threads of a process (SIGSTOP).
	 */
	static void stop(long pid) {
		send("-STOP", pid);
	}

	/**
	 * Let it go on (SIGCONT).
	 */
	static void resume(long pid) {
		send("-CONT", pid);
	}

	private static void send(String signal, long pid) {
		try {
			int status = new ProcessBuilder("sh", "-c", "kill " + signal + " " + pid).inheritIO().start().waitFor();
			if (status != 0) {
				throw new IllegalStateException("kill " + signal + " ended with " + status);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
