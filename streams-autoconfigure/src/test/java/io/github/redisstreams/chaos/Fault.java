package io.github.redisstreams.chaos;

import java.time.Instant;

/**
 * Something that was done to the application or to Redis.
 *
 * @param kind what
 * @param worker whom it hit, or {@link #ALL}
 * @param from when it began
 * @param to when it was over
 */
record Fault(Kind kind, int worker, long from, long to) {

	static final int ALL = -1;

	boolean hits(int worker) {
		return this.worker == ALL || this.worker == worker;
	}

	@Override
	public String toString() {
		return Instant.ofEpochMilli(this.from) + " to " + Instant.ofEpochMilli(this.to) + " " + this.kind
				+ ((this.worker == ALL) ? "" : " of worker " + this.worker);
	}

	/**
	 * What is hit.
	 */
	enum Target {

		PROCESS, NETWORK, REDIS

	}

	/**
	 * The faults that there are. Some cannot have an entry handled twice: a stop in order
	 * sends all acknowledgements, and after the loss of a connection they are sent again
	 * in good time.
	 */
	enum Kind {

		/** SIGKILL, and started again under the same name. */
		KILL(Target.PROCESS, true),

		/** SIGKILL, and started again under another name. */
		KILL_AND_RENAME(Target.PROCESS, true),

		/** SIGTERM, and started again under the same name. */
		STOP(Target.PROCESS, false),

		/** SIGSTOP for longer than min-idle, then SIGCONT. */
		PAUSE(Target.PROCESS, true),

		/** The connections are closed. */
		CUT(Target.NETWORK, false),

		/** The connections are reset. */
		RESET(Target.NETWORK, false),

		/** Replies are late. */
		DELAY(Target.NETWORK, true),

		/** Requests are lost, the connections stay open. */
		SWALLOW_REQUESTS(Target.NETWORK, true),

		/** Replies are lost, the connections stay open. */
		SWALLOW_REPLIES(Target.NETWORK, true),

		/** The connections stay open and carry nothing any more; others can be made. */
		FORGET(Target.NETWORK, true),

		/** The connections are closed and none can be made. */
		PARTITION(Target.NETWORK, true),

		/** CLIENT KILL of about half the connections. */
		CLIENT_KILL(Target.REDIS, false),

		/** CLIENT PAUSE. */
		REDIS_PAUSE(Target.REDIS, true),

		/** SIGTERM, and started again with its data. */
		REDIS_RESTART(Target.REDIS, true),

		/** SIGKILL, and started again with its data. */
		REDIS_KILL(Target.REDIS, true);

		private final Target target;

		private final boolean doubles;

		Kind(Target target, boolean doubles) {
			this.target = target;
			this.doubles = doubles;
		}

		Target target() {
			return this.target;
		}

		/**
		 * Whether what was held when it happened may be handled twice.
		 */
		boolean doubles() {
			return this.doubles;
		}

	}

}
