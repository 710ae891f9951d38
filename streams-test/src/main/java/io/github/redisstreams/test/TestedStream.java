package io.github.redisstreams.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.github.redisstreams.deadletter.DeadLetterEntry;
import io.github.redisstreams.deadletter.DeadLetterRange;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.GroupInfo;
import io.github.redisstreams.redis.StreamEntry;
import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.data.domain.Range;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.PendingMessage;
import org.springframework.data.redis.core.StreamOperations;
import org.springframework.util.Assert;

/**
 * A stream as Redis has it at the moment, and its group. Each method asks Redis anew.
 * {@code assertThat(stream)} of AssertJ gives {@link StreamAssert its assertions}.
 */
public final class TestedStream implements AssertProvider<StreamAssert> {

	private static final int PAGE = 1000;

	private final StreamSources sources;

	private final String name;

	private final String key;

	private final @Nullable String group;

	private final @Nullable StreamListenerContainer listener;

	TestedStream(StreamSources sources, String name, String key, @Nullable String group,
			@Nullable StreamListenerContainer listener) {
		this.sources = sources;
		this.name = name;
		this.key = key;
		this.group = group;
		this.listener = listener;
	}

	/**
	 * The stream's key in Redis.
	 * @return the key
	 */
	public String key() {
		return this.key;
	}

	/**
	 * The group whose lag and pending entries these are.
	 * @return the group's name
	 * @throws IllegalStateException if there is none: no listener reads the stream here,
	 * and none was named
	 */
	public String group() {
		Assert.state(this.group != null, () -> "No listener here reads stream '" + this.key
				+ "', so say for which group to look at it: stream(\"" + this.name + "\", \"group\")");
		return this.group;
	}

	@Nullable StreamListenerContainer listener() {
		return this.listener;
	}

	/**
	 * How many entries the stream has.
	 * @return their number; 0 if there is no such stream
	 */
	public long length() {
		return this.sources.commands().length(this.key);
	}

	/**
	 * The entries of the stream, oldest first: whether handled or not, until they are
	 * trimmed or deleted.
	 * @return the entries, their fields as UTF-8 text
	 */
	public List<MapRecord<String, String, String>> entries() {
		StreamOperations<String, String, String> operations = this.sources.redis().opsForStream();
		return Objects.requireNonNullElse(operations.range(this.key, Range.unbounded()), List.of());
	}

	/**
	 * The contents of the stream's entries, oldest first, converted as for a handler.
	 * @param <T> what to convert to
	 * @param type what to convert to
	 * @return the contents
	 * @throws org.springframework.messaging.converter.MessageConversionException if one
	 * cannot be converted
	 */
	public <T> List<T> payloads(Class<T> type) {
		List<T> payloads = new ArrayList<>();
		EntryId first = EntryId.ZERO;
		List<StreamEntry> page;
		do {
			page = this.sources.commands().range(this.key, first, EntryId.MAX, false, PAGE);
			for (StreamEntry entry : page) {
				Object payload = this.sources.converter().convert(entry, ResolvableType.forClass(type));
				payloads.add(type.cast(Objects.requireNonNull(payload, () -> entry.id() + " has a null payload")));
				first = entry.id().next();
			}
		}
		while (page.size() == PAGE);
		return payloads;
	}

	/**
	 * How many entries the group has still to be given. They are counted, so this is true
	 * also where the server's own figure is not.
	 * @return their number
	 * @throws IllegalStateException if there is no such group
	 */
	public long lag() {
		return lag(requireGroup());
	}

	private long lag(GroupInfo group) {
		long lag = 0;
		EntryId after = group.lastDeliveredId();
		List<StreamEntry> page;
		do {
			page = entriesAfter(after, PAGE);
			lag += page.size();
			after = page.isEmpty() ? after : page.get(page.size() - 1).id();
		}
		while (page.size() == PAGE);
		return lag;
	}

	private List<StreamEntry> entriesAfter(EntryId id, int count) {
		return this.sources.commands().range(this.key, id.next(), EntryId.MAX, false, count);
	}

	private GroupInfo requireGroup() {
		return findGroup().orElseThrow(
				() -> new IllegalStateException("Stream '" + this.key + "' has no group '" + this.group + "'"));
	}

	private Optional<GroupInfo> findGroup() {
		String group = group();
		if (!this.sources.redis().hasKey(this.key)) {
			return Optional.empty();
		}
		return this.sources.commands().groups(this.key).stream().filter((info) -> info.name().equals(group)).findAny();
	}

	/**
	 * The entries that were delivered to the group and are neither acknowledged nor dead
	 * letters, oldest first: those that are being handled, wait for a handler or a retry,
	 * or were left by a consumer that is gone.
	 * @return the first thousand of them, each with its consumer, how long ago it was
	 * delivered or its lease renewed, and how often it was delivered
	 * @throws IllegalStateException if there is no such group
	 */
	public List<PendingMessage> pending() {
		requireGroup();
		StreamOperations<String, String, String> operations = this.sources.redis().opsForStream();
		return operations.pending(this.key, group(), Range.unbounded(), PAGE).toList();
	}

	long pendingCount() {
		return requireGroup().pending();
	}

	/**
	 * The dead letters of the stream, oldest first.
	 * @return the first thousand of them
	 */
	public List<DeadLetterEntry> deadLetters() {
		return this.sources.deadLetters().list(deadLettersName(), DeadLetterRange.all(), PAGE);
	}

	long deadLetterCount() {
		return this.sources.deadLetters().count(deadLettersName());
	}

	List<DeadLetterEntry> newestDeadLetters(int count) {
		return this.sources.deadLetters().listNewestFirst(deadLettersName(), DeadLetterRange.all(), count);
	}

	private String deadLettersName() {
		return (this.listener != null) ? this.listener.getId() : this.name;
	}

	/**
	 * How many entries are scheduled for the stream.
	 * @return their number
	 */
	public long scheduled() {
		return this.sources.commands().publishing().scheduled(this.key);
	}

	/**
	 * Wait until all that was added to the stream is handled, as
	 * {@link StreamTester#awaitDrained(String)} says.
	 * @param timeout how long to wait
	 * @return this
	 * @throws AssertionError if it is not by then, which says what is still there
	 */
	public TestedStream awaitDrained(Duration timeout) {
		Drained.await(List.of(this), timeout);
		return this;
	}

	/**
	 * Up to where the group has been given entries if the stream is drained.
	 * @return the last entry that the group was given, or nothing if it is not drained
	 */
	Optional<EntryId> drainedUpTo() {
		// In this order, so that nothing slips through in between
		if (scheduled() > 0) {
			return Optional.empty();
		}
		return findGroup().filter((group) -> group.pending() == 0)
			.map(GroupInfo::lastDeliveredId)
			.filter((id) -> entriesAfter(id, 1).isEmpty());
	}

	/**
	 * What is still to be done, in a few words.
	 */
	String describeBacklog() {
		long scheduled = scheduled();
		return findGroup()
			.map((group) -> "lag %d, pending %d, scheduled %d".formatted(lag(group), group.pending(), scheduled))
			.orElseGet(() -> "there is no such group; entries %d, scheduled %d".formatted(length(), scheduled));
	}

	/**
	 * The assertions for this stream. Called by AssertJ.
	 * @return the assertions
	 */
	@Override
	public StreamAssert assertThat() {
		return new StreamAssert(this);
	}

	@Override
	public String toString() {
		String description = "stream '" + this.key + "'";
		if (this.group != null) {
			description += ", group '" + this.group + "'";
		}
		return (this.listener != null) ? description + " (listener '" + this.listener.getId() + "')" : description;
	}

}
