package io.github.redisstreams.listener;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.GroupInfo;
import io.github.redisstreams.redis.ServerInfo;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamReader;

/**
 * Takes acknowledgements and leaves it to the test to confirm or refuse them.
 */
class RecordingCommands implements StreamCommands {

	final List<Ack> acks = new CopyOnWriteArrayList<>();

	@Override
	public CompletionStage<Long> acknowledge(String stream, String group, Collection<EntryId> ids) {
		Ack ack = new Ack(stream, group, List.copyOf(ids), new CompletableFuture<>());
		this.acks.add(ack);
		return ack.reply();
	}

	List<EntryId> acknowledged() {
		return this.acks.stream().flatMap((ack) -> ack.ids().stream()).toList();
	}

	Ack last() {
		return this.acks.get(this.acks.size() - 1);
	}

	@Override
	public ServerInfo serverInfo() {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean createGroup(String stream, String group, String start) {
		throw new UnsupportedOperationException();
	}

	@Override
	public StreamReader openReader(String stream, String group, String consumer) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletionStage<EntryId> add(String stream, List<byte[]> namesAndValues) {
		throw new UnsupportedOperationException();
	}

	@Override
	public List<GroupInfo> groups(String stream) {
		throw new UnsupportedOperationException();
	}

	@Override
	public long countAfter(String stream, EntryId after, int bound) {
		throw new UnsupportedOperationException();
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
