package io.github.redisstreams.publish;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.redisstreams.redis.Added;
import io.github.redisstreams.redis.DueTime;
import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.NewEntry;
import io.github.redisstreams.redis.NewEntry.IdempotencyKey;
import io.github.redisstreams.redis.NewTask;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.TrimMode;
import io.github.redisstreams.redis.Trimming;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.support.StreamHeaders;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.Message;
import org.springframework.util.Assert;
import org.springframework.util.ConcurrentLruCache;

/**
 * {@link StreamTemplate} over {@link StreamCommands}.
 */
public class DefaultStreamTemplate implements StreamTemplate {

	/**
	 * Of which to know when they were trimmed last: there may be one per customer, say.
	 */
	private static final int MOST_STREAMS = 1000;

	private final StreamCommands commands;

	private final EntryMessageConverter converter;

	private final PublisherSettings settings;

	private final PublishEvents events;

	private final ConcurrentLruCache<String, PublishedStream> streams;

	private final Executor callbacks = CallbackThreads.create();

	/**
	 * Create a new template with the default options.
	 * @param commands the port to Redis
	 * @param converter writes payloads
	 */
	public DefaultStreamTemplate(StreamCommands commands, EntryMessageConverter converter) {
		this(commands, converter, PublisherSettings.DEFAULTS, new PublishEvents() {
		});
	}

	/**
	 * Create a new template.
	 * @param commands the port to Redis
	 * @param converter writes payloads
	 * @param settings say how to write to each stream
	 * @param events is told what happens
	 */
	public DefaultStreamTemplate(StreamCommands commands, EntryMessageConverter converter, PublisherSettings settings,
			PublishEvents events) {
		this.commands = commands;
		this.converter = converter;
		this.settings = settings;
		this.events = events;
		this.streams = new ConcurrentLruCache<>(MOST_STREAMS,
				(key) -> new PublishedStream(key, settings.options(key), events));
	}

	@Override
	public RecordId send(String stream, Object payload, Map<String, ?> headers) {
		Outgoing entry = outgoing(stream, payload, headers);
		return inTime(() -> id(entry, join(add(entry), entry.stream().key())), RecordId.autoGenerate());
	}

	@Override
	public CompletableFuture<RecordId> sendAsync(String stream, Object payload, Map<String, ?> headers) {
		Outgoing entry = outgoing(stream, payload, headers);
		CompletableFuture<RecordId> result = new CompletableFuture<>();
		inTime(() -> addAsync(entry, result), () -> result.cancel(false));
		return result;
	}

	@Override
	public List<RecordId> sendAll(String stream, Collection<?> payloads) {
		List<Outgoing> entries = new ArrayList<>(payloads.size());
		payloads.forEach((payload) -> entries.add(outgoing(stream, payload, Map.of())));
		return inTime(() -> addAll(entries), Collections.nCopies(entries.size(), RecordId.autoGenerate()));
	}

	@Override
	public String sendAt(String stream, Object payload, Map<String, ?> headers, Instant time) {
		return schedule(stream, payload, headers, DueTime.at(time));
	}

	@Override
	public String sendAfter(String stream, Object payload, Map<String, ?> headers, Duration delay) {
		return schedule(stream, payload, headers, DueTime.after(delay));
	}

	private String schedule(String name, Object payload, Map<String, ?> headers, DueTime due) {
		// It trims if it is due and added, which is not for us to know
		Outgoing entry = convert(name, payload, headers, (stream) -> stream.options().trimming());
		if (entry.content().idempotencyKey() != null) {
			throw new IllegalArgumentException("An entry for stream '" + name + "' cannot be scheduled with a header "
					+ StreamHeaders.IDEMPOTENCY_KEY + ". Use " + StreamHeaders.TASK_KEY + ".");
		}
		String key = entry.taskKey();
		String id = (key != null) ? key : UUID.randomUUID().toString();
		return inTime(() -> {
			schedule(entry, id, due);
			return id;
		}, id);
	}

	private void schedule(Outgoing entry, String id, DueTime due) {
		PublishedStream stream = entry.stream();
		Added reply = join(this.commands.publishing().schedule(entry.content(), id, due, stream.options().durability()),
				stream.key());
		checkNotRefused(entry, reply);
		if (reply.dueIn() != null) {
			this.events.scheduled(stream.key(), reply.dueIn());
		}
	}

	@Override
	public boolean cancel(String stream, String id) {
		String key = this.settings.streamKey(stream);
		return join(this.commands.publishing().cancel(key, id), key);
	}

	@Override
	public boolean reschedule(String stream, String id, Instant time) {
		String key = this.settings.streamKey(stream);
		boolean scheduled = join(this.commands.publishing().reschedule(key, id, DueTime.at(time)), key);
		if (scheduled) {
			// Whoever waits for the time it had before has to look
			this.events.scheduled(key, Duration.ZERO);
		}
		return scheduled;
	}

	@Override
	public StreamTemplate withDurability(Durability durability) {
		Assert.isTrue(durability.replicas() >= 0, () -> "There cannot be " + durability.replicas() + " replicas");
		Assert.isTrue(durability.timeout().toMillis() >= 1,
				() -> "A timeout of " + durability.timeout() + " is less than a millisecond");
		return new DefaultStreamTemplate(this.commands, this.converter, new WithDurability(this.settings, durability),
				this.events);
	}

	private CompletionStage<Added> add(Outgoing entry) {
		Durability durability = entry.stream().options().durability();
		return durability.isWanted() ? this.commands.publishing().addAll(List.of(entry.content()), durability).get(0)
				: this.commands.publishing().add(entry.content());
	}

	private void addAsync(Outgoing entry, CompletableFuture<RecordId> result) {
		CompletionStage<Added> reply = add(entry);
		reply.whenCompleteAsync((added, failure) -> {
			try {
				result.complete(id(entry, join(reply, entry.stream().key())));
			}
			// Errors too: somebody waits for it
			catch (RuntimeException | Error ex) {
				result.completeExceptionally(ex);
			}
		}, this.callbacks);
	}

	private List<RecordId> addAll(List<Outgoing> entries) {
		if (entries.isEmpty()) {
			return List.of();
		}
		PublishedStream stream = entries.get(0).stream();
		List<CompletionStage<Added>> replies = this.commands.publishing()
			.addAll(entries.stream().map(Outgoing::content).toList(), stream.options().durability());
		Map<Integer, RecordId> sent = new TreeMap<>();
		Map<Integer, Throwable> failures = new TreeMap<>();
		for (int i = 0; i < replies.size(); i++) {
			try {
				sent.put(i, id(entries.get(i), join(replies.get(i), stream.key())));
			}
			catch (RuntimeException ex) {
				failures.put(i, ex);
			}
		}
		if (!failures.isEmpty()) {
			throw new PartlySentException(stream.key(), sent, failures);
		}
		return List.copyOf(sent.values());
	}

	private static RecordId id(Outgoing entry, Added reply) {
		checkNotRefused(entry, reply);
		EntryId id = reply.id();
		if (id == null) {
			throw new IllegalStateException("No id came back from stream '" + entry.stream().key() + "'");
		}
		return id.toRecordId();
	}

	private static void checkNotRefused(Outgoing entry, Added reply) {
		if (reply.refusedAs() != null) {
			if (entry.content().trimming().mode() != TrimMode.NONE) {
				entry.stream().trimWithNext();
			}
			throw new TaskActiveException(entry.stream().key(), String.valueOf(entry.taskKey()), reply.refusedAs());
		}
		entry.stream().trimmed(reply.undelivered());
	}

	private Outgoing outgoing(String name, Object payload, Map<String, ?> headers) {
		return convert(name, payload, headers, PublishedStream::trimming);
	}

	private Outgoing convert(String name, Object payload, Map<String, ?> headers,
			Function<PublishedStream, Trimming> trimming) {
		Object content = payload;
		Map<String, ?> fields = headers;
		if (payload instanceof Message<?> message) {
			Map<String, Object> all = EntryMessageConverter.withoutSprings(message.getHeaders());
			all.putAll(headers);
			content = message.getPayload();
			fields = all;
		}
		String taskKey = key(name, fields, StreamHeaders.TASK_KEY);
		String idempotencyKey = key(name, fields, StreamHeaders.IDEMPOTENCY_KEY);
		if (taskKey != null && idempotencyKey != null) {
			throw new IllegalArgumentException("An entry for stream '" + name + "' has both a header "
					+ StreamHeaders.TASK_KEY + " and a header " + StreamHeaders.IDEMPOTENCY_KEY + ". Use one.");
		}
		PublishedStream stream = this.streams.get(this.settings.streamKey(name));
		List<byte[]> namesAndValues = this.converter.toFields(content, fields);
		return new Outgoing(stream, new NewEntry(stream.key(), namesAndValues, trimming.apply(stream),
				stream.task(taskKey),
				(idempotencyKey != null) ? new IdempotencyKey(this.settings.producer(), idempotencyKey) : null));
	}

	private static @Nullable String key(String stream, Map<String, ?> headers, String name) {
		Object value = headers.get(name);
		if (value == null) {
			return null;
		}
		String key = value.toString();
		if (key.isEmpty() || key.equals(NewTask.OWN_ID)) {
			throw new IllegalArgumentException("An entry for stream '" + stream + "' has the " + name + " '" + key
					+ "'. A key is any text but '' and '" + NewTask.OWN_ID + "'.");
		}
		return key;
	}

	private <T> T inTime(Supplier<T> send, T ifDeferred) {
		if (!isDeferred()) {
			return send.get();
		}
		AfterCommit.send(send::get, () -> {
		});
		return ifDeferred;
	}

	private void inTime(Runnable send, Runnable drop) {
		if (isDeferred()) {
			AfterCommit.send(send, drop);
		}
		else {
			send.run();
		}
	}

	private boolean isDeferred() {
		return this.settings.afterCommit() && AfterCommit.isPossible();
	}

	private static <T> T join(CompletionStage<T> stage, String stream) {
		try {
			return stage.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof RedisConnectionFailureException failure) {
				throw named(failure, stream);
			}
			throw (ex.getCause() instanceof RuntimeException failure) ? failure : ex;
		}
	}

	// Where there was no connection to begin with, it does not tell what for
	private static RedisConnectionFailureException named(RedisConnectionFailureException failure, String stream) {
		String message = String.valueOf(failure.getMessage());
		String name = "'" + stream + "'";
		return message.contains(name) ? failure
				: new RedisConnectionFailureException(message + ", so that nothing was done on " + name, failure);
	}

	/**
	 * The settings of another template, with a durability of its own.
	 */
	private record WithDurability(PublisherSettings settings, Durability durability) implements PublisherSettings {

		@Override
		public String streamKey(String name) {
			return this.settings.streamKey(name);
		}

		@Override
		public PublisherOptions options(String stream) {
			PublisherOptions options = this.settings.options(stream);
			return new PublisherOptions(options.trimming(), options.tracking(), options.taskRetention(),
					this.durability);
		}

		@Override
		public boolean afterCommit() {
			return this.settings.afterCommit();
		}

		@Override
		public String producer() {
			return this.settings.producer();
		}

	}

	/**
	 * An entry that is ready to be sent.
	 *
	 * @param stream where to
	 * @param content what
	 */
	private record Outgoing(PublishedStream stream, NewEntry content) {

		@Nullable String taskKey() {
			NewTask task = this.content.task();
			return (task != null) ? task.id() : null;
		}

	}

}
