package io.github.redisstreams.listener;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.TaskCommands;
import io.github.redisstreams.test.StubCommands;

/**
 * Takes acknowledgements and leaves it to the test to confirm or refuse them.
 */
class RecordingCommands extends StubCommands {

	final List<Ack> acks = new CopyOnWriteArrayList<>();

	final RecordingTasks tasks = new RecordingTasks();

	@Override
	public CompletionStage<Long> acknowledge(String stream, String group, Collection<EntryId> ids) {
		Ack ack = new Ack(stream, group, List.copyOf(ids), new CompletableFuture<>());
		this.acks.add(ack);
		return ack.reply();
	}

	@Override
	public TaskCommands tasks() {
		return this.tasks;
	}

	List<EntryId> acknowledged() {
		return this.acks.stream().flatMap((ack) -> ack.ids().stream()).toList();
	}

	Ack last() {
		return this.acks.get(this.acks.size() - 1);
	}

	record Ack(String stream, String group, List<EntryId> ids, CompletableFuture<Long> reply) {

		void confirm() {
			this.reply.complete((long) this.ids.size());
		}

		void refuse() {
			this.reply.completeExceptionally(new IllegalStateException("refused by the test"));
		}

	}

}
