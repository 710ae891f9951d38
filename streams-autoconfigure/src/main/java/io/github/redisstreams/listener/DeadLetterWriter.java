package io.github.redisstreams.listener;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.github.redisstreams.deadletter.DeadLetterHeaders;
import io.github.redisstreams.redis.DeadLetter;
import io.github.redisstreams.redis.DeadLetterMove;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamEntry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Moves entries to the dead-letter stream. What Redis refuses stays pending and waits in
 * the {@link RetryQueue} for the next attempt.
 */
final class DeadLetterWriter {

	private static final Log logger = LogFactory.getLog(DeadLetterWriter.class);

	private static final int LONGEST_MESSAGE = 1000;

	private static final int LONGEST_STACK_TRACE = 8000;

	private static final int DEEPEST_CAUSE = 100;

	private final String listenerId;

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final InFlightLimiter limiter;

	private final RetryQueue retries;

	private final ContainerCounters counters;

	private final Executor timer;

	private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();

	private final RedisWork writing;

	DeadLetterWriter(String listenerId, ListenerOptions options, StreamCommands commands, InFlightLimiter limiter,
			RetryQueue retries, ContainerCounters counters, Executor timer) {
		this.listenerId = listenerId;
		this.options = options;
		this.commands = commands;
		this.limiter = limiter;
		this.retries = retries;
		this.counters = counters;
		this.timer = timer;
		String subject = "Dead letters of stream '" + options.stream() + "' (group '" + options.group() + "')";
		this.writing = RedisWork.goingWell(subject + " get through",
				subject + " do not get through to '" + options.deadLetterStream() + "'; the entries stay pending");
	}

	/**
	 * Move an entry, without waiting for Redis.
	 */
	void write(Delivery delivery, DeadLetterCase why) {
		StreamEntry entry = delivery.entry();
		delivery.lease().settling();
		DeadLetter letter = new DeadLetter(this.options.streamConsumer(), entry.id(), this.options.deadLetterStream(),
				this.options.deadLetter().maxLength(), fields(entry, why), !delivery.lease().isBodyGone(),
				this.options.onSuccess() == OnSuccess.DELETE);
		CompletableFuture<Void> settled = new CompletableFuture<>();
		this.underWay.add(settled);
		// Whoever decides may be a thread of a connection, which must not have to connect
		this.timer.execute(() -> this.commands.deadLetter(letter).whenComplete((moved, failure) -> {
			if (failure != null) {
				refused(delivery, why, failure);
			}
			else {
				moved(delivery, why, moved);
			}
			this.underWay.remove(settled);
			settled.complete(null);
		}));
	}

	private void moved(Delivery delivery, DeadLetterCase why, DeadLetterMove move) {
		synchronized (this.writing) {
			this.writing.succeeded();
		}
		if (move.moved()) {
			this.counters.deadLettered.increment();
			logMove(delivery, why);
		}
		else {
			this.counters.leasesLost.increment();
			logger.info("Listener '" + this.listenerId + "' has not moved " + delivery
					+ " to the dead letters, since it is no longer held here");
		}
		if (move.dropped() > 0) {
			this.counters.deadLettersDropped.add(move.dropped());
			logger.warn("The " + move.dropped() + " oldest dead letters in '" + this.options.deadLetterStream()
					+ "' were dropped: dead-letter.max-length is " + this.options.deadLetter().maxLength());
		}
		this.limiter.release(List.of(delivery.entry().id()));
	}

	// A failure of the handler has been logged as a warning already
	private void logMove(Delivery delivery, DeadLetterCase why) {
		String message = "Listener '" + this.listenerId + "' has moved " + delivery + " to the dead letters in '"
				+ this.options.deadLetterStream() + "': " + why.reason();
		if (why.failure() != null) {
			logger.info(message);
		}
		else {
			logger.warn(message);
		}
	}

	private void refused(Delivery delivery, DeadLetterCase why, Throwable failure) {
		this.counters.deadLetterFailures.increment();
		Duration delay;
		synchronized (this.writing) {
			delay = this.writing.failed(failure);
		}
		this.retries.add(delivery, delay, false, why);
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
	@Nullable String problem() {
		return this.retries.hasUnwritten() ? this.writing.problem() : null;
	}

	private List<byte[]> fields(StreamEntry entry, DeadLetterCase why) {
		Fields fields = new Fields();
		entry.forEachField(fields::add);
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

	private static String cut(String text, int longest) {
		return (text.length() <= longest) ? text : text.substring(0, longest) + "...";
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
			add(name.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8));
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
