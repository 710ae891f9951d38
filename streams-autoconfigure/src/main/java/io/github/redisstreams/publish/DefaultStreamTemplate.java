package io.github.redisstreams.publish;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.redisstreams.redis.Added;
import io.github.redisstreams.redis.DueTime;
import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.EntryMessageConverter;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.util.Assert;

/**
 * {@link StreamTemplate} over {@link StreamCommands}.
 */
public class DefaultStreamTemplate implements StreamTemplate {

	private final StreamCommands commands;

	private final EntryMessageConverter converter;

	private final PublisherSettings settings;

	private final PublishEvents events;

	private final OutgoingEntries entries;

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
		this.entries = new OutgoingEntries(converter, settings, events);
	}

	@Override
	public RecordId send(String stream, Object payload, Map<String, ?> headers) {
		OutgoingEntry entry = this.entries.toAdd(stream, payload, headers);
		return inTime(() -> entry.id(join(add(entry), entry.stream().key())), RecordId.autoGenerate());
	}

	@Override
	public CompletableFuture<RecordId> sendAsync(String stream, Object payload, Map<String, ?> headers) {
		OutgoingEntry entry = this.entries.toAdd(stream, payload, headers);
		CompletableFuture<RecordId> result = new CompletableFuture<>();
		inTime(() -> addAsync(entry, result), () -> result.cancel(false));
		return result;
	}

	@Override
	public List<RecordId> sendAll(String stream, Collection<?> payloads) {
		List<OutgoingEntry> entries = this.entries.toAdd(stream, payloads);
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
		OutgoingEntry entry = this.entries.toSchedule(name, payload, headers);
		String key = entry.taskKey();
		String id = (key != null) ? key : UUID.randomUUID().toString();
		return inTime(() -> {
			schedule(entry, id, due);
			return id;
		}, id);
	}

	private void schedule(OutgoingEntry entry, String id, DueTime due) {
		PublishedStream stream = entry.stream();
		Added reply = join(this.commands.publishing().schedule(entry.content(), id, due, stream.options().durability()),
				stream.key());
		entry.checkNotRefused(reply);
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

	private CompletionStage<Added> add(OutgoingEntry entry) {
		Durability durability = entry.stream().options().durability();
		return durability.isWanted() ? this.commands.publishing().addAll(List.of(entry.content()), durability).get(0)
				: this.commands.publishing().add(entry.content());
	}

	private void addAsync(OutgoingEntry entry, CompletableFuture<RecordId> result) {
		CompletionStage<Added> reply = add(entry);
		reply.whenCompleteAsync((added, failure) -> {
			try {
				result.complete(entry.id(join(reply, entry.stream().key())));
			}
			// Errors too: somebody waits for it
			catch (RuntimeException | Error ex) {
				result.completeExceptionally(ex);
			}
		}, this.callbacks);
	}

	private List<RecordId> addAll(List<OutgoingEntry> entries) {
		if (entries.isEmpty()) {
			return List.of();
		}
		PublishedStream stream = entries.get(0).stream();
		List<CompletionStage<Added>> replies = this.commands.publishing()
			.addAll(entries.stream().map(OutgoingEntry::content).toList(), stream.options().durability());
		awaitLast(replies);
		List<RecordId> ids = new ArrayList<>(replies.size());
		Map<Integer, Throwable> failures = new TreeMap<>();
		for (int i = 0; i < replies.size(); i++) {
			try {
				ids.add(entries.get(i).id(join(replies.get(i), stream.key())));
			}
			catch (RuntimeException ex) {
				ids.add(RecordId.autoGenerate());
				failures.put(i, ex);
			}
		}
		if (!failures.isEmpty()) {
			throw new PartlySentException(stream.key(), sent(ids, failures.keySet()), failures);
		}
		return Collections.unmodifiableList(ids);
	}

	// The last comes last as a rule. To be woken for each would take longer than to send
	// it
	private static void awaitLast(List<CompletionStage<Added>> replies) {
		replies.get(replies.size() - 1).handle((added, failure) -> true).toCompletableFuture().join();
	}

	private static Map<Integer, RecordId> sent(List<RecordId> ids, Set<Integer> failed) {
		Map<Integer, RecordId> sent = new TreeMap<>();
		for (int i = 0; i < ids.size(); i++) {
			if (!failed.contains(i)) {
				sent.put(i, ids.get(i));
			}
		}
		return sent;
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
			if (ex.getCause() instanceof RuntimeException failure) {
				// Who has sent tells more than who has read the reply, as the cause does
				failure.setStackTrace(new Throwable().getStackTrace());
				throw failure;
			}
			throw ex;
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

}
