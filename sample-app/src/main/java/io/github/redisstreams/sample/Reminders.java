package io.github.redisstreams.sample;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.publish.StreamTasks;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.StreamTask;
import io.github.redisstreams.redis.TaskState;
import io.github.redisstreams.support.StreamHeaders;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.stereotype.Component;

/**
 * Reminds of an order some time after it was taken. A reminder waits in Redis until then,
 * so it outlives this process, and may be cancelled. What becomes of it is on record
 * there, since tracking is on for the stream.
 */
@Component
class Reminders {

	private static final Logger logger = LoggerFactory.getLogger(Reminders.class);

	private static final String STREAM = "reminders";

	private final StreamTemplate streams;

	private final StreamTasks tasks;

	private final SampleProperties properties;

	private final OrderStats stats;

	Reminders(StreamTemplate streams, StreamTasks tasks, SampleProperties properties, OrderStats stats) {
		this.streams = streams;
		this.tasks = tasks;
		this.properties = properties;
		this.stats = stats;
	}

	/**
	 * Schedule a reminder. With the order's id as its key it can be found by that, and
	 * there cannot be two at a time.
	 */
	void schedule(RecordId id, Order order) {
		Reminder reminder = new Reminder(id.getValue(), order);
		this.streams.sendAfter(STREAM, reminder, Map.of(StreamHeaders.TASK_KEY, id.getValue()),
				this.properties.reminderDelay());
	}

	/**
	 * Cancel the reminder of an order, if it is not too late.
	 * @return whether it was still scheduled
	 */
	boolean cancel(String orderId) {
		return this.streams.cancel(STREAM, orderId);
	}

	/**
	 * What has become of the reminder of an order, as long as that is known.
	 */
	Optional<Status> find(String orderId) {
		return this.tasks.find(STREAM, orderId).map(Status::of);
	}

	@StreamListener(STREAM)
	void remind(Reminder reminder) {
		logger.info("Reminded {} of order {}", reminder.order().customer(), reminder.orderId());
		this.stats.reminded();
	}

	/**
	 * What has become of a reminder.
	 *
	 * @param state scheduled, queued, running, completed or dead
	 * @param due when it is or was due
	 * @param attempts how often a handler was given it
	 * @param finished when that was done with it
	 */
	record Status(TaskState state, @Nullable Instant due, long attempts, @Nullable Instant finished) {

		private static Status of(StreamTask task) {
			return new Status(task.state(), task.scheduledFor(), task.attempts(), task.finished());
		}

	}

}
