package io.github.redisstreams.redis;

import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The part of the port to Redis that keeps records of tasks, one hash for each. They are
 * begun by {@link PublishCommands}, and ended here or with
 * {@link StreamCommands#deadLetter}, in the script that does what the record tells.
 * <p>
 * As with {@link StreamCommands}, methods do not wait for the reply, but may have to
 * connect first.
 * <p>
 * Not for applications to implement: methods will be added.
 */
public interface TaskCommands {

	/**
	 * Note how the handling of tasks goes, where they are still to be done and the entry
	 * still is the task's: {@code HSET}.
	 * @param consumer whose handler it is
	 * @param attempts the tasks, all in one state
	 * @return when it is done
	 */
	CompletionStage<Void> note(StreamConsumer consumer, Collection<TaskAttempt> attempts);

	/**
	 * Acknowledge entries of tasks, and note in the same script what has become of these:
	 * {@code XACK}, then {@code HSET} and {@code PEXPIRE}, where no other group has still
	 * to be given the entry or has it pending.
	 * @param consumer whose handler is done with them
	 * @param tasks the tasks
	 * @param delete whether to delete entries that no other group needs
	 * @return how many were pending; 0 is no error
	 */
	CompletionStage<Long> finish(StreamConsumer consumer, Collection<TaskAttempt> tasks, boolean delete);

	/**
	 * Look up a task: {@code HGETALL}.
	 * @param stream the key of its stream
	 * @param id the task's id
	 * @return its record, if there is one
	 */
	Optional<StreamTask> find(String stream, String id);

}
