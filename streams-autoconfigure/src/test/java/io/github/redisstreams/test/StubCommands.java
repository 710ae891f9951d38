package io.github.redisstreams.test;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redisstreams.redis.ConsumerInfo;
import io.github.redisstreams.redis.DeadLetter;
import io.github.redisstreams.redis.DeadLetterMove;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.GroupInfo;
import io.github.redisstreams.redis.HandBack;
import io.github.redisstreams.redis.LeaseRenewal;
import io.github.redisstreams.redis.PendingDelivery;
import io.github.redisstreams.redis.PendingEntry;
import io.github.redisstreams.redis.PublishCommands;
import io.github.redisstreams.redis.Redelivery;
import io.github.redisstreams.redis.SampleCommands;
import io.github.redisstreams.redis.ServerInfo;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamConsumer;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.redis.StreamReader;
import io.github.redisstreams.redis.TaskCommands;
import org.jspecify.annotations.Nullable;

/**
 * A Redis that nothing can be done with. Tests override what they need.
 */
public class StubCommands implements StreamCommands {

	@Override
	public ServerInfo serverInfo() {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean createGroup(String stream, String group, String start) {
		throw new UnsupportedOperationException();
	}

	@Override
	public StreamReader openReader(StreamConsumer consumer) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletionStage<Long> acknowledge(String stream, String group, Collection<EntryId> ids) {
		return unsupported();
	}

	@Override
	public CompletionStage<Long> acknowledgeAndDelete(String stream, String group, Collection<EntryId> ids) {
		return unsupported();
	}

	@Override
	public List<PendingEntry> pending(StreamConsumer consumer, EntryId after, int count) {
		throw new UnsupportedOperationException();
	}

	@Override
	public List<PendingDelivery> pending(String stream, String group, EntryId after, int count) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletionStage<Redelivery> redeliver(StreamConsumer consumer, Map<EntryId, Long> counts) {
		return unsupported();
	}

	@Override
	public CompletionStage<LeaseRenewal> renewLeases(StreamConsumer consumer, Collection<EntryId> ids) {
		return unsupported();
	}

	@Override
	public CompletionStage<Long> handBack(StreamConsumer consumer, Collection<HandBack> entries) {
		return unsupported();
	}

	@Override
	public CompletionStage<DeadLetterMove> deadLetter(DeadLetter letter) {
		return unsupported();
	}

	@Override
	public boolean areTogether(String first, String second) {
		return true;
	}

	@Override
	public CompletionStage<Boolean> removeConsumer(StreamConsumer consumer) {
		return unsupported();
	}

	@Override
	public CompletionStage<List<String>> removeInactiveConsumers(String stream, String group, Duration inactive) {
		return unsupported();
	}

	@Override
	public CompletionStage<@Nullable String> announce(StreamConsumer consumer, String token, Duration life) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public @Nullable String setting(String name) {
		return null;
	}

	@Override
	public PublishCommands publishing() {
		throw new UnsupportedOperationException();
	}

	@Override
	public TaskCommands tasks() {
		throw new UnsupportedOperationException();
	}

	@Override
	public SampleCommands sampling() {
		throw new UnsupportedOperationException();
	}

	@Override
	public List<GroupInfo> groups(String stream) {
		throw new UnsupportedOperationException();
	}

	@Override
	public List<ConsumerInfo> consumers(String stream, String group) {
		throw new UnsupportedOperationException();
	}

	@Override
	public long length(String stream) {
		throw new UnsupportedOperationException();
	}

	@Override
	public List<StreamEntry> range(String stream, EntryId first, EntryId last, boolean newestFirst, int count) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletionStage<Optional<EntryId>> redrive(String deadLetters, EntryId id, String stream,
			List<byte[]> namesAndValues, @Nullable String task) {
		return unsupported();
	}

	@Override
	public long delete(String stream, Collection<EntryId> ids) {
		throw new UnsupportedOperationException();
	}

	@Override
	public long deleteRange(String stream, EntryId first, EntryId last, int count) {
		throw new UnsupportedOperationException();
	}

	private static <T> CompletionStage<T> unsupported() {
		return CompletableFuture.failedFuture(new UnsupportedOperationException());
	}

}
