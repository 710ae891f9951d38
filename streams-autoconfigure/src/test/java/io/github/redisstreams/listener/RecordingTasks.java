package io.github.redisstreams.listener;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamConsumer;
import io.github.redisstreams.redis.StreamTask;
import io.github.redisstreams.redis.TaskAttempt;
import io.github.redisstreams.redis.TaskCommands;

/**
 * Takes what becomes of tasks and leaves it to the test to confirm or refuse it.
 */
class RecordingTasks implements TaskCommands {

	final List<Call> notes = new CopyOnWriteArrayList<>();

	final List<Call> finishes = new CopyOnWriteArrayList<>();

	@Override
	public CompletionStage<Void> note(StreamConsumer consumer, Collection<TaskAttempt> attempts) {
		Call call = new Call(consumer, List.copyOf(attempts), false, new CompletableFuture<>());
		this.notes.add(call);
		return call.reply.thenAccept((noted) -> {
		});
	}

	@Override
	public CompletionStage<Long> finish(StreamConsumer consumer, Collection<TaskAttempt> tasks, boolean delete) {
		Call call = new Call(consumer, List.copyOf(tasks), delete, new CompletableFuture<>());
		this.finishes.add(call);
		return call.reply;
	}

	@Override
	public Optional<StreamTask> find(String stream, String id) {
		throw new UnsupportedOperationException();
	}

	Call lastFinish() {
		return this.finishes.get(this.finishes.size() - 1);
	}

	/**
	 * One command.
	 */
	record Call(StreamConsumer consumer, List<TaskAttempt> tasks, boolean delete, CompletableFuture<Long> reply) {

		List<EntryId> entries() {
			return this.tasks.stream().map(TaskAttempt::entry).toList();
		}

		void confirm() {
			this.reply.complete((long) this.tasks.size());
		}

		void refuse() {
			this.reply.completeExceptionally(new IllegalStateException("refused by the test"));
		}

	}

}
