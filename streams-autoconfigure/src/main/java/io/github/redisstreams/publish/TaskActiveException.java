package io.github.redisstreams.publish;

import java.util.Locale;

import io.github.redisstreams.redis.TaskState;

import org.springframework.dao.DuplicateKeyException;

/**
 * An entry was refused, since there is a task with its key that is still to be done.
 * Nothing was added.
 */
public class TaskActiveException extends DuplicateKeyException {

	private static final long serialVersionUID = 1L;

	private final String stream;

	private final String taskId;

	private final TaskState state;

	/**
	 * Create a new exception.
	 * @param stream the stream's key
	 * @param taskId the key, which is the id of the task that there is
	 * @param state its state
	 */
	public TaskActiveException(String stream, String taskId, TaskState state) {
		super("There is a task '" + taskId + "' in stream '" + stream + "' already, which is "
				+ state.name().toLowerCase(Locale.ROOT));
		this.stream = stream;
		this.taskId = taskId;
		this.state = state;
	}

	/**
	 * The key of the stream.
	 * @return the key
	 */
	public String getStream() {
		return this.stream;
	}

	/**
	 * The id of the task that there is.
	 * @return the key that both have
	 */
	public String getTaskId() {
		return this.taskId;
	}

	/**
	 * The state of the task that there is.
	 * @return scheduled, queued or running
	 */
	public TaskState getState() {
		return this.state;
	}

}
