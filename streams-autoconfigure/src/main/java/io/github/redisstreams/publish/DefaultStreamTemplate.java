package io.github.redisstreams.publish;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.redisstreams.redis.Added;
import io.github.redisstreams.redis.DueTime;
import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.EntryMessageConverter;

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

	private final ObservedSends observer;

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
	 * Create a new template that nobody watches.
	 * @param commands the port to Redis
	 * @param converter writes payloads
	 * @param settings say how to write to each stream
	 * @param events is told what happens
	 */
	public DefaultStreamTemplate(StreamCommands commands, EntryMessageConverter converter, PublisherSettings settings,
			PublishEvents events) {
		this(commands, converter, settings, events, List.of());
	}

	/**
	 * Create a new template.
	 * @param commands the port to Redis
	 * @param converter writes payloads
	 * @param settings say how to write to each stream
	 * @param events is told what happens
	 * @param observers watch what is sent, the first around the others
	 */
	public DefaultStreamTemplate(StreamCommands commands, EntryMessageConverter converter, PublisherSettings settings,
			PublishEvents events, Collection<SendObserver> observers) {
		this(commands, converter, settings, events, new ObservedSends(observers));
	}

	private DefaultStreamTemplate(StreamCommands commands, EntryMessageConverter converter, PublisherSettings settings,
			PublishEvents events, ObservedSends observer) {
		this.commands = commands;
		this.converter = converter;
		this.settings = settings;
		this.events = events;
		this.observer = observer;
		this.entries = new OutgoingEntries(converter, settings, events);
	}

	@Override
	public RecordId send(String stream, Object payload, Map<String, ?> headers) {
		return observe(stream, 1, (send) -> {
			OutgoingEntry entry = this.entries.toAdd(stream, payload, headers, send);
			return inTime(() -> entry.id(Confirmations.await(add(entry), entry.stream().key())),
					RecordId.autoGenerate(), send);
		});
	}

	@Override
	public CompletableFuture<RecordId> sendAsync(String stream, Object payload, Map<String, ?> headers) {
		return observe(stream, 1, (send) -> {
			OutgoingEntry entry = this.entries.toAdd(stream, payload, headers, send);
			CompletableFuture<RecordId> result = new CompletableFuture<>();
			inTime(() -> addAsync(entry, result, send), () -> result.cancel(false), send);
			return result;
		});
	}

	@Override
	public List<RecordId> sendAll(String stream, Collection<?> payloads) {
		if (payloads.isEmpty()) {
			return List.of();
		}
		return observe(stream, payloads.size(), (send) -> {
			List<OutgoingEntry> entries = this.entries.toAdd(stream, payloads, send);
			return inTime(() -> addAll(entries), Collections.nCopies(entries.size(), RecordId.autoGenerate()), send);
		});
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
		return observe(name, 1, (send) -> {
			OutgoingEntry entry = this.entries.toSchedule(name, payload, headers, send);
			String key = entry.taskKey();
			String id = (key != null) ? key : UUID.randomUUID().toString();
			return inTime(() -> {
				schedule(entry, id, due);
				return id;
			}, id, send);
		});
	}

	private void schedule(OutgoingEntry entry, String id, DueTime due) {
		PublishedStream stream = entry.stream();
		Added reply = Confirmations.await(
				this.commands.publishing().schedule(entry.content(), id, due, stream.options().durability()),
				stream.key());
		entry.checkNotRefused(reply);
		if (reply.dueIn() != null) {
			this.events.scheduled(stream.key(), reply.dueIn());
		}
	}

	@Override
	public boolean cancel(String stream, String id) {
		String key = this.settings.streamKey(stream);
		return Confirmations.await(this.commands.publishing().cancel(key, id), key);
	}

	@Override
	public boolean reschedule(String stream, String id, Instant time) {
		String key = this.settings.streamKey(stream);
		boolean scheduled = Confirmations.await(this.commands.publishing().reschedule(key, id, DueTime.at(time)), key);
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
				this.events, this.observer);
	}

	private CompletionStage<Added> add(OutgoingEntry entry) {
		Durability durability = entry.stream().options().durability();
		return durability.isWanted() ? this.commands.publishing().addAll(List.of(entry.content()), durability).get(0)
				: this.commands.publishing().add(entry.content());
	}

	private void addAsync(OutgoingEntry entry, CompletableFuture<RecordId> result, SendObserver.Send send) {
		CompletionStage<Added> reply = add(entry);
		reply.whenCompleteAsync((added, failure) -> {
			try {
				RecordId id = entry.id(Confirmations.await(reply, entry.stream().key()));
				send.end(null);
				result.complete(id);
			}
			// Errors too: somebody waits for it
			catch (RuntimeException | Error ex) {
				send.end(ex);
				result.completeExceptionally(ex);
			}
		}, this.callbacks);
	}

	private List<RecordId> addAll(List<OutgoingEntry> entries) {
		Durability durability = entries.get(0).stream().options().durability();
		return Confirmations.awaitAll(entries,
				this.commands.publishing().addAll(entries.stream().map(OutgoingEntry::content).toList(), durability));
	}

	// With what has to be in place at the time of the call, whenever the entry is sent
	private <T> T observe(String name, int entries, Function<SendObserver.Send, T> action) {
		SendObserver.Send send = this.observer.begin(this.settings.streamKey(name), entries);
		return orFail(send, () -> action.apply(send));
	}

	private static <T> T orFail(SendObserver.Send send, Supplier<T> action) {
		try {
			return action.get();
		}
		catch (RuntimeException | Error ex) {
			send.end(ex);
			throw ex;
		}
	}

	private <T> T inTime(Supplier<T> action, T ifDeferred, SendObserver.Send send) {
		if (!isDeferred()) {
			T result = action.get();
			send.end(null);
			return result;
		}
		AfterCommit.send(() -> {
			orFail(send, action);
			send.end(null);
		}, send::dropped);
		return ifDeferred;
	}

	private void inTime(Runnable action, Runnable drop, SendObserver.Send send) {
		if (!isDeferred()) {
			action.run();
			return;
		}
		AfterCommit.send(() -> orFail(send, () -> {
			action.run();
			return true;
		}), () -> {
			send.dropped();
			drop.run();
		});
	}

	private boolean isDeferred() {
		return this.settings.afterCommit() && AfterCommit.isPossible();
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
