package io.github.redisstreams.redis;

/**
 * How the handling of a task goes.
 *
 * @param entry its entry
 * @param id the task's id
 * @param state what to note: that it is running, or queued again, or done
 * @param deliveryCount how often it was delivered
 * @param error what its handler failed with, empty if it did not
 */
public record TaskAttempt(EntryId entry, String id, TaskState state, long deliveryCount, String error) {

}
