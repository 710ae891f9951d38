package io.github.redisstreams.listener;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.redisstreams.deadletter.DeadLetterHeaders;
import io.github.redisstreams.redis.DeadLetter;
import io.github.redisstreams.redis.DeadLetterMove;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.HandBack;
import io.github.redisstreams.redis.NewTask;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.redis.TaskState;
import io.github.redisstreams.support.RedisWork;
import io.github.redisstreams.support.RedisWork.Problem;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Moves entries to the dead-letter stream. What Redis refuses stays pending and leased,
 * and waits here for the next attempt, at most {@value #CAPACITY} of them; what finds no
 * place is left to be claimed after {@code min-idle}.
 */
final class DeadLetterWriter {

	private static final Log logger = LogFactory.getLog(DeadLetterWriter.class);

	private static final int CAPACITY = 1000;

	private static final byte[] TASK_FIELD = bytes(NewTask.FIELD);

	private static final int LONGEST_MESSAGE = 1000;

	private static final int LONGEST_STACK_TRACE = 8000;

	private static final int DEEPEST_CAUSE = 100;

	private final String listenerId;

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final InFlightLimiter limiter;

	private final ContainerCounters counters;

	private final ScheduledExecutorService timer;

	private final Consumer<DeadLetteredEntry> listener;

	private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();

	/** What Redis has refused. */
	private final Map<EntryId, Letter> waiting = new ConcurrentHashMap<>();

	private volatile boolean closed;

	private final RedisWork writing;

	/**
	 * Create a new writer.
	 * @param listener is told what was moved
	 */
	DeadLetterWriter(String listenerId, ListenerOptions options, StreamCommands commands, InFlightLimiter limiter,
			ContainerCounters counters, ScheduledExecutorService timer, Consumer<DeadLetteredEntry> listener) {
		this.listenerId = listenerId;
		this.options = options;
		this.commands = commands;
		this.limiter = limiter;
		this.counters = counters;
		this.timer = timer;
		this.listener = listener;
		String subject = "Dead letters of stream '" + options.stream() + "' (group '" + options.group() + "')";
		this.writing = RedisWork.goingWell(subject + " get through",
				subject + " do not get through to '" + options.deadLetterStream() + "'; the entries stay pending");
	}

	/**
	 * Move an entry, without waiting for Redis.
	 */
	void write(Delivery delivery, DeadLetterCase why) {
		delivery.lease().settling();
		attempt(new Letter(delivery, why, false));
	}

	private void attempt(Letter letter) {
		CompletableFuture<Void> settled = new CompletableFuture<>();
		this.underWay.add(settled);
		// Whoever decides may be a thread of a connection, which must not have to connect
		CompletableFuture.supplyAsync(() -> this.commands.deadLetter(request(letter)), this.timer)
			.thenCompose(Function.identity())
			.whenComplete((moved, failure) -> {
				if (failure != null) {
					refused(letter, failure);
				}
				else {
					moved(letter, moved);
				}
				this.underWay.remove(settled);
				settled.complete(null);
			});
	}

	private DeadLetter request(Letter letter) {
		Lease lease = letter.delivery.lease();
		return new DeadLetter(this.options.streamConsumer(), lease.id(), this.options.deadLetterStream(),
				this.options.deadLetter().maxLength(), fields(letter.delivery.entry(), letter.why), !lease.isBodyGone(),
				this.options.onSuccess() == OnSuccess.DELETE, letter.delivery.task(TaskState.DEAD));
	}

	private void moved(Letter letter, DeadLetterMove move) {
		Delivery delivery = letter.delivery;
		this.waiting.remove(delivery.entry().id());
		synchronized (this.writing) {
			this.writing.succeeded();
		}
		EntryId deadLetterId = move.id();
		if (deadLetterId != null) {
			this.counters.deadLettered.increment();
			logMove(letter);
			this.listener.accept(letter.moved(this.options.deadLetterStream(), deadLetterId));
		}
		else {
			if (!letter.again) {
				this.counters.leasesLost.increment();
			}
			logger.info("Listener '" + this.listenerId + "' has not moved " + delivery
					+ " to the dead letters, since it is no longer held here"
					+ (letter.again ? ", unless an earlier attempt has, whose reply was lost" : ""));
		}
		if (move.dropped() > 0) {
			this.counters.deadLettersDropped.add(move.dropped());
			logger.warn("The " + move.dropped() + " oldest dead letters in '" + this.options.deadLetterStream()
					+ "' were dropped: dead-letter.max-length is " + this.options.deadLetter().maxLength());
		}
		this.limiter.release(List.of(delivery.entry().id()));
	}

	// A failure of the handler has been logged as a warning already
	private void logMove(Letter letter) {
		String message = "Listener '" + this.listenerId + "' has moved " + letter.delivery + " to the dead letters in '"
				+ this.options.deadLetterStream() + "': " + letter.why.reason();
		if (letter.why.failure() != null) {
			logger.info(message);
		}
		else {
			logger.warn(message);
		}
	}

	private void refused(Letter letter, Throwable failure) {
		this.counters.deadLetterFailures.increment();
		Duration delay;
		synchronized (this.writing) {
			delay = this.writing.failed(failure);
		}
		Lease lease = letter.delivery.lease();
		Letter again = new Letter(letter.delivery, letter.why, true);
		// Kept with its content, which may be gone from the stream
		if (this.waiting.size() < CAPACITY && !this.closed && this.limiter.setAside(lease)) {
			this.waiting.put(lease.id(), again);
			this.timer.schedule(() -> attemptAgain(again), delay.toMillis(), TimeUnit.MILLISECONDS);
		}
		else {
			this.limiter.leave(lease.id());
		}
	}

	private void attemptAgain(Letter letter) {
		if (!this.closed) {
			attempt(letter);
		}
	}

	/**
	 * Write nothing any more.
	 * @return what could not be written, for others to take
	 */
	List<HandBack> close() {
		this.closed = true;
		return this.waiting.values()
			.stream()
			.map((letter) -> letter.delivery.entry())
			.map((entry) -> new HandBack(entry.id(), this.options.minIdle(), entry.deliveryCount()))
			.toList();
	}

	/**
	 * Wait for what is under way.
	 */
	void drain(Duration patience) throws InterruptedException {
		try {
			CompletableFuture.allOf(this.underWay.toArray(CompletableFuture[]::new))
				.get(patience.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("Dead letters of listener '" + this.listenerId + "' were not written before the stop; "
					+ "these entries stay pending", ex);
		}
	}

	/**
	 * What stands in the way, if anything does.
	 */
	@Nullable Problem problem() {
		return this.waiting.isEmpty() ? null : this.writing.problem();
	}

	private List<byte[]> fields(StreamEntry entry, DeadLetterCase why) {
		Fields fields = new Fields();
		// One that goes by its entry's id keeps that, when it is another entry
		byte[] task = bytes(String.valueOf(entry.taskId()));
		entry.forEachField((name, value) -> fields.add(name, Arrays.equals(name, TASK_FIELD) ? task : value));
		fields.add(DeadLetterHeaders.STREAM, this.options.stream());
		fields.add(DeadLetterHeaders.ID, entry.id().toString());
		fields.add(DeadLetterHeaders.GROUP, this.options.group());
		fields.add(DeadLetterHeaders.CONSUMER, this.options.consumer());
		fields.add(DeadLetterHeaders.DELIVERY_COUNT, Long.toString(entry.deliveryCount()));
		fields.add(DeadLetterHeaders.FIRST_SEEN, entry.id().timestamp().toString());
		fields.add(DeadLetterHeaders.REASON, cut(why.reason(), LONGEST_MESSAGE));
		Throwable failure = why.failure();
		if (failure != null) {
			addFailure(fields, failure);
		}
		return fields.namesAndValues;
	}

	private void addFailure(Fields fields, Throwable failure) {
		fields.add(DeadLetterHeaders.EXCEPTION, failure.getClass().getName());
		fields.addIfItCanBeTold(DeadLetterHeaders.CAUSE, () -> rootCause(failure).getClass().getName());
		fields.addIfItCanBeTold(DeadLetterHeaders.MESSAGE,
				() -> cut(String.valueOf(failure.getMessage()), LONGEST_MESSAGE));
		if (this.options.deadLetter().stackTrace()) {
			fields.addIfItCanBeTold(DeadLetterHeaders.STACK_TRACE, () -> {
				StringWriter trace = new StringWriter();
				failure.printStackTrace(new PrintWriter(trace));
				return cutInTheMiddle(trace.toString());
			});
		}
	}

	// Where it was thrown, and what it was caused by
	private static String cutInTheMiddle(String trace) {
		int half = LONGEST_STACK_TRACE / 2;
		return (trace.length() <= LONGEST_STACK_TRACE) ? trace
				: trace.substring(0, half) + "\n...\n" + trace.substring(trace.length() - half);
	}

	private static Throwable rootCause(Throwable failure) {
		Throwable cause = failure;
		for (int depth = 0; cause.getCause() != null && depth < DEEPEST_CAUSE; depth++) {
			cause = cause.getCause();
		}
		return cause;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String cut(String text, int longest) {
		return (text.length() <= longest) ? text : text.substring(0, longest) + "...";
	}

	/**
	 * An entry on its way.
	 *
	 * @param again whether it has been tried before
	 */
	private record Letter(Delivery delivery, DeadLetterCase why, boolean again) {

		DeadLetteredEntry moved(String stream, EntryId id) {
			StreamEntry entry = this.delivery.entry();
			Throwable failure = this.why.failure();
			return new DeadLetteredEntry(entry.id(), entry.deliveryCount(), stream, id, this.why.reason(),
					(failure != null) ? failure.getClass().getName() : null);
		}

	}

	/**
	 * Field names and values in turn.
	 */
	private static final class Fields {

		private final List<byte[]> namesAndValues = new ArrayList<>();

		void add(byte[] name, byte[] value) {
			this.namesAndValues.add(name);
			this.namesAndValues.add(value);
		}

		void add(String name, String value) {
			add(bytes(name), bytes(value));
		}

		// Some exceptions cannot even tell their message
		void addIfItCanBeTold(String name, Supplier<String> value) {
			String text;
			try {
				text = value.get();
			}
			catch (RuntimeException | Error ex) {
				text = "cannot be shown: " + ex.getClass().getName();
			}
			add(name, text);
		}

	}

}
