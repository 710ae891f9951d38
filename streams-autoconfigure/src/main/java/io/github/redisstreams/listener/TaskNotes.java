package io.github.redisstreams.listener;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;

import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.TaskAttempt;
import io.github.redisstreams.redis.TaskState;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Notes in the records of tasks how their handling goes. Nothing waits for that, and
 * nothing suffers where it fails: the step that ends a task sets its record right.
 */
final class TaskNotes {

	private static final Log logger = LogFactory.getLog(TaskNotes.class);

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final ScheduledExecutorService timer;

	TaskNotes(ListenerOptions options, StreamCommands commands, ScheduledExecutorService timer) {
		this.options = options;
		this.commands = commands;
		this.timer = timer;
	}

	/**
	 * A handler is about to begin with entries.
	 */
	void running(List<Delivery> deliveries) {
		List<TaskAttempt> tasks = null;
		for (Delivery delivery : deliveries) {
			TaskAttempt task = delivery.task(TaskState.RUNNING);
			if (task != null) {
				tasks = (tasks != null) ? tasks : new ArrayList<>();
				tasks.add(task);
			}
		}
		if (tasks != null) {
			note(tasks);
		}
	}

	/**
	 * An entry waits for its next delivery.
	 */
	void queuedAgain(Delivery delivery) {
		TaskAttempt task = delivery.task(TaskState.QUEUED);
		if (task != null) {
			note(List.of(task));
		}
	}

	// On a thread that may connect
	private void note(List<TaskAttempt> tasks) {
		try {
			this.timer.execute(() -> this.commands.tasks()
				.note(this.options.streamConsumer(), tasks)
				.whenComplete((noted, failure) -> {
					if (failure != null) {
						logger.debug("It was not noted that tasks are " + tasks.get(0).state() + ": "
								+ RedisFault.explain(failure));
					}
				}));
		}
		catch (RejectedExecutionException ex) {
			logger.debug("It is not noted any more that tasks are " + tasks.get(0).state());
		}
	}

}
