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
import java.util.function.Supplier;

import io.github.redisstreams.redis.Added;
import io.github.redisstreams.redis.DueTime;
import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.NewEntry;
import io.github.redisstreams.redis.NewEntry.IdempotencyKey;
import io.github.redisstreams.redis.NewTask;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.EntryMessageConverter;
import io.github.redisstreams.support.StreamHeaders;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.Message;
import org.springframework.util.ConcurrentLruCache;

/**
 * {@link StreamTemplate} over {@link StreamCommands}.
 */
public class DefaultStreamTemplate implements StreamTemplate {

	/** Of which to know when they were trimmed last: there may be one for each user. */
	private static final int MOST_STREAMS = 1000;

	private final StreamCommands commands;

	private final EntryMessageConverter converter;

	private final PublisherSettings settings;

	private final PublishEvents events;

	private final ConcurrentLruCache<String, PublishedStream> streams = new ConcurrentLruCache<>(MOST_STREAMS,
			this::stream);

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
	}

	@Override
	public RecordId send(String stream, Object payload, Map<String, ?> headers) {
		Outgoing entry = convert(stream, payload, headers);
		return inTime(() -> id(entry, join(add(entry))), RecordId.autoGenerate());
	}

	@Override
	public CompletableFuture<RecordId> sendAsync(String stream, Object payload, Map<String, ?> headers) {
		Outgoing entry = convert(stream, payload, headers);
		return isDeferred() ? AfterCommit.sendAsync(() -> addAsync(entry)) : addAsync(entry);
	}

	@Override
	public List<RecordId> sendAll(String stream, Collection<?> payloads) {
		List<Outgoing> entries = new ArrayList<>(payloads.size());
		payloads.forEach((payload) -> entries.add(convert(stream, payload, Map.of())));
		return inTime(() -> addAll(stream, entries), Collections.nCopies(entries.size(), RecordId.autoGenerate()));
	}

	@Override
	public String sendAt(String stream, Object payload, Map<String, ?> headers, Instant time) {
		return schedule(stream, payload, headers, DueTime.at(time));
	}

	@Override
	public String sendAfter(String stream, Object payload, Map<String, ?> headers, Duration delay) {
		return schedule(stream, payload, headers, DueTime.after(delay));
	}

	private String schedule(String stream, Object payload, Map<String, ?> headers, DueTime due) {
		Outgoing entry = convert(stream, payload, headers);
		if (entry.idempotencyKey() != null) {
			throw new IllegalArgumentException("An entry for stream '" + stream + "' cannot be scheduled with a header "
					+ StreamHeaders.IDEMPOTENCY_KEY + ". Use " + StreamHeaders.TASK_KEY + ".");
		}
		String id = (entry.taskKey() != null) ? entry.taskKey() : UUID.randomUUID().toString();
		return inTime(() -> {
			join(schedule(entry, id, due));
			return id;
		}, id);
	}

	@Override
	public boolean cancel(String stream, String id) {
		return join(this.commands.publishing().cancel(this.settings.streamKey(stream), id));
	}

	@Override
	public boolean reschedule(String stream, String id, Instant time) {
		PublishedStream published = this.streams.get(stream);
		boolean scheduled = join(this.commands.publishing().reschedule(published.key(), id, DueTime.at(time)));
		if (scheduled) {
			// Whoever waits for the time it had before has to look
			this.events.scheduled(published.key(), Duration.ZERO);
		}
		return scheduled;
	}

	private CompletionStage<Added> add(Outgoing entry) {
		Durability durability = entry.stream().options().durability();
		return durability.isWanted() ? this.commands.publishing().addAll(List.of(newEntry(entry)), durability).get(0)
				: this.commands.publishing().add(newEntry(entry));
	}

	// On another thread: what is done with the id may well be to send the next entry, and
	// that must not wait for Redis on the very thread that its replies come in on
	private CompletableFuture<RecordId> addAsync(Outgoing entry) {
		return add(entry).thenApplyAsync((reply) -> id(entry, reply)).toCompletableFuture();
	}

	private List<RecordId> addAll(String name, List<Outgoing> entries) {
		PublishedStream stream = this.streams.get(name);
		List<CompletionStage<Added>> replies = this.commands.publishing()
			.addAll(entries.stream().map(this::newEntry).toList(), stream.options().durability());
		Map<Integer, RecordId> sent = new TreeMap<>();
		Map<Integer, Throwable> failures = new TreeMap<>();
		for (int i = 0; i < replies.size(); i++) {
			try {
				sent.put(i, id(entries.get(i), join(replies.get(i))));
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

	private CompletionStage<Added> schedule(Outgoing entry, String id, DueTime due) {
		PublishedStream stream = entry.stream();
		return this.commands.publishing()
			.schedule(newEntry(entry), id, due, stream.options().durability())
			.thenApply((reply) -> {
				checkNotRefused(entry, reply);
				if (reply.dueIn() != null) {
					this.events.scheduled(stream.key(), reply.dueIn());
				}
				return reply;
			});
	}

	private NewEntry newEntry(Outgoing entry) {
		PublishedStream stream = entry.stream();
		NewTask task = stream.task(entry.taskKey());
		IdempotencyKey idempotencyKey = (entry.idempotencyKey() != null)
				? new IdempotencyKey(this.settings.producer(), entry.idempotencyKey()) : null;
		return new NewEntry(stream.key(), entry.namesAndValues(), stream.trimming(), task, idempotencyKey);
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
			throw new TaskActiveException(entry.stream().key(), String.valueOf(entry.taskKey()), reply.refusedAs());
		}
		entry.stream().trimmed(reply.undelivered());
	}

	private PublishedStream stream(String name) {
		String key = this.settings.streamKey(name);
		return new PublishedStream(key, this.settings.options(key), this.events);
	}

	private Outgoing convert(String name, Object payload, Map<String, ?> headers) {
		Object content = payload;
		Map<String, ?> fields = headers;
		if (payload instanceof Message<?> message) {
			content = message.getPayload();
			fields = message.getHeaders();
		}
		String taskKey = key(name, fields, StreamHeaders.TASK_KEY);
		String idempotencyKey = key(name, fields, StreamHeaders.IDEMPOTENCY_KEY);
		if (taskKey != null && idempotencyKey != null) {
			throw new IllegalArgumentException("An entry for stream '" + name + "' has both a header "
					+ StreamHeaders.TASK_KEY + " and a header " + StreamHeaders.IDEMPOTENCY_KEY + ". Use one.");
		}
		return new Outgoing(this.streams.get(name), this.converter.toFields(content, fields), taskKey, idempotencyKey);
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

	private boolean isDeferred() {
		return this.settings.afterCommit() && AfterCommit.isPossible();
	}

	private <T> T inTime(Supplier<T> send, T ifDeferred) {
		if (!isDeferred()) {
			return send.get();
		}
		AfterCommit.send(send);
		return ifDeferred;
	}

	static <T> T join(CompletionStage<T> stage) {
		try {
			return stage.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException failure) ? failure : ex;
		}
	}

	/**
	 * An entry that is ready to be sent.
	 *
	 * @param stream where to
	 * @param namesAndValues its fields
	 * @param taskKey the key of the task that it is, if it has one
	 * @param idempotencyKey the key by which the server is to know it, if it has one
	 */
	private record Outgoing(PublishedStream stream, List<byte[]> namesAndValues, @Nullable String taskKey,
			@Nullable String idempotencyKey) {

	}

}
