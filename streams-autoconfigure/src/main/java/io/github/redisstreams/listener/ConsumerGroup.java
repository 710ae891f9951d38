package io.github.redisstreams.listener;

import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * Sees to it that the group of one container exists.
 */
final class ConsumerGroup {

	private static final Log logger = LogFactory.getLog(ConsumerGroup.class);

	private final String listenerId;

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final ContainerCounters counters;

	private boolean seen;

	private @Nullable DataAccessException refused;

	ConsumerGroup(String listenerId, ListenerOptions options, StreamCommands commands, ContainerCounters counters) {
		this.listenerId = listenerId;
		this.options = options;
		this.commands = commands;
		this.counters = counters;
	}

	/**
	 * Create the group where it is missing.
	 */
	void ensure() {
		// Once the group has been there, whatever was added since it vanished is for it
		String start = this.seen ? "0" : this.options.groupStart();
		try {
			if (this.commands.createGroup(this.options.stream(), this.options.group(), start)) {
				created(start);
			}
			this.seen = true;
			this.refused = null;
		}
		catch (DataAccessException ex) {
			RedisFault fault = RedisFault.of(ex);
			if (fault != RedisFault.UNAVAILABLE && fault != RedisFault.NO_PERMISSION) {
				throw ex;
			}
			// Out of memory, or without the permission, a group that is there can be read
			this.refused = ex;
		}
	}

	private void created(String start) {
		logger.info("Listener '" + this.listenerId + "' created group '" + this.options.group() + "' at " + start
				+ " on stream '" + this.options.stream() + "'");
		if (this.seen) {
			this.counters.groupsRecreated.increment();
		}
	}

	/**
	 * The group is there: it has been read.
	 */
	void seen() {
		this.seen = true;
	}

	/**
	 * What to report where reading has failed: that the group is missing is but the
	 * symptom where creating it was refused.
	 */
	Throwable explain(Throwable symptom) {
		DataAccessException refused = this.refused;
		return (refused != null && RedisFault.of(symptom) == RedisFault.GROUP_MISSING) ? refused : symptom;
	}

}
