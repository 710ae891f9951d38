package io.github.redisstreams.publish;

import io.github.redisstreams.redis.Added;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.NewEntry;
import io.github.redisstreams.redis.NewTask;
import io.github.redisstreams.redis.TrimMode;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.stream.RecordId;

/**
 * An entry that is ready to be sent.
 *
 * @param stream where to
 * @param content what
 */
record OutgoingEntry(PublishedStream stream, NewEntry content) {

	/**
	 * The key of the task that it is, if it has one.
	 */
	@Nullable String taskKey() {
		NewTask task = this.content.task();
		return (task != null) ? task.id() : null;
	}

	/**
	 * The id that it was given.
	 * @throws TaskActiveException if it was refused
	 */
	RecordId id(Added reply) {
		checkNotRefused(reply);
		EntryId id = reply.id();
		if (id == null) {
			throw new IllegalStateException("No id came back from stream '" + this.stream.key() + "'");
		}
		return id.toRecordId();
	}

	/**
	 * Take note of the reply.
	 * @throws TaskActiveException if it was refused
	 */
	void checkNotRefused(Added reply) {
		if (reply.refusedAs() != null) {
			if (this.content.trimming().mode() != TrimMode.NONE) {
				this.stream.trimWithNext();
			}
			throw new TaskActiveException(this.stream.key(), String.valueOf(taskKey()), reply.refusedAs());
		}
		this.stream.trimmed(reply.undelivered());
	}

}
