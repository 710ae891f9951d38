package io.github.redisstreams.publish;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.github.redisstreams.redis.Promotion;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.BackgroundWorker;
import io.github.redisstreams.support.RedisWork;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Moves scheduled entries into their streams when they are due. Any number of processes
 * may do this for a stream: each entry is moved once, in one script, by whichever comes
 * first. Looks at a stream when its next entry is due, and once a second for one that
 * another process has scheduled meanwhile.
 */
public class DelayedPromoter extends BackgroundWorker implements PublishEvents {

	private static final Log logger = LogFactory.getLog(DelayedPromoter.class);

	private static final Duration LONGEST_SLEEP = Duration.ofSeconds(1);

	/** So that entries that are due one by one are moved some at a time. */
	private static final Duration SHORTEST_SLEEP = Duration.ofMillis(10);

	private final StreamCommands commands;

	private final PublisherSettings settings;

	private final Supplier<Set<String>> streams;

	private final PublishEvents events;

	private final LongSupplier nanoTime;

	private volatile Map<String, Schedule> schedules = Map.of();

	private boolean failing;

	/**
	 * Create a promoter.
	 * @param commands the port to Redis
	 * @param settings say how to trim a stream
	 * @param streams the keys of the streams whose entries are to be moved, asked for
	 * once a second
	 * @param events is told how late entries were
	 * @param phase when to start and stop it
	 */
	public DelayedPromoter(StreamCommands commands, PublisherSettings settings, Supplier<Set<String>> streams,
			PublishEvents events, int phase) {
		this(commands, settings, streams, events, phase, System::nanoTime);
	}

	DelayedPromoter(StreamCommands commands, PublisherSettings settings, Supplier<Set<String>> streams,
			PublishEvents events, int phase, LongSupplier nanoTime) {
		super("streams-promoter-", phase);
		this.commands = commands;
		this.settings = settings;
		this.streams = streams;
		this.events = events;
		this.nanoTime = nanoTime;
	}

	@Override
	protected void schedule(ScheduledExecutorService executor) {
		// Not those of the time before a stop, whose last task may still be running
		Map<String, Schedule> schedules = new ConcurrentHashMap<>();
		this.schedules = schedules;
		executor.scheduleWithFixedDelay(() -> lookForStreams(schedules, executor), 0, LONGEST_SLEEP.toMillis(),
				TimeUnit.MILLISECONDS);
	}

	private void lookForStreams(Map<String, Schedule> schedules, ScheduledExecutorService executor) {
		// The executor would drop a task that throws
		try {
			Set<String> wanted = this.streams.get();
			schedules.keySet().retainAll(wanted);
			for (String stream : wanted) {
				if (!schedules.containsKey(stream)) {
					Schedule schedule = new Schedule(stream, executor);
					schedules.put(stream, schedule);
					schedule.lookWithin(Duration.ZERO);
				}
			}
			this.failing = false;
		}
		catch (RuntimeException | Error ex) {
			if (!this.failing) {
				this.failing = true;
				logger.warn("It cannot be told now which streams to move scheduled entries into. It goes on trying",
						ex);
			}
		}
	}

	/**
	 * Look at a stream sooner than planned, if it is one of those.
	 */
	@Override
	public void scheduled(String stream, Duration dueIn) {
		Schedule schedule = this.schedules.get(stream);
		if (schedule != null) {
			schedule.empty = false;
			schedule.lookWithin(sleep(dueIn));
		}
	}

	private static Duration sleep(Duration next) {
		if (next.compareTo(LONGEST_SLEEP) > 0) {
			return LONGEST_SLEEP;
		}
		return (next.compareTo(SHORTEST_SLEEP) > 0) ? next : SHORTEST_SLEEP;
	}

	private static Duration shorter(Duration first, Duration second) {
		return (first.compareTo(second) < 0) ? first : second;
	}

	/**
	 * When to look at one stream.
	 */
	private final class Schedule {

		private final PublishedStream stream;

		private final ScheduledExecutorService executor;

		private final RedisWork work;

		private @Nullable Future<?> look;

		private long time;

		private boolean looking;

		/** When to look again at the latest, wanted while looking. */
		private @Nullable Duration wanted;

		/** Nothing was scheduled when it could be told last. */
		private volatile boolean empty;

		Schedule(String key, ScheduledExecutorService executor) {
			DelayedPromoter promoter = DelayedPromoter.this;
			this.stream = new PublishedStream(key, promoter.settings.options(key), promoter.events);
			this.executor = executor;
			String subject = "Scheduled entries of stream '" + key + "'";
			this.work = RedisWork.goingWell(subject + " are moved into it", subject + " cannot be moved into it");
		}

		/**
		 * Look after some time, or sooner if it is planned so.
		 */
		synchronized void lookWithin(Duration delay) {
			if (this.looking) {
				this.wanted = (this.wanted != null) ? shorter(this.wanted, delay) : delay;
				return;
			}
			long time = DelayedPromoter.this.nanoTime.getAsLong() + delay.toNanos();
			if (this.look != null && time - this.time >= 0) {
				return;
			}
			if (this.look != null) {
				this.look.cancel(false);
			}
			try {
				this.time = time;
				this.look = this.executor.schedule(this::look, delay.toNanos(), TimeUnit.NANOSECONDS);
			}
			catch (RejectedExecutionException ex) {
				logger.trace("Stopped", ex);
			}
		}

		// Without waiting for the reply: other streams have their entries, too
		private void look() {
			synchronized (this) {
				this.look = null;
				this.looking = isWanted();
			}
			if (this.looking) {
				promote().whenCompleteAsync((promotion, failure) -> looked(sleepAfter(promotion, failure)),
						this.executor);
			}
		}

		private synchronized void looked(Duration sleep) {
			Duration next = (this.wanted != null) ? shorter(sleep, this.wanted) : sleep;
			this.looking = false;
			this.wanted = null;
			if (isWanted()) {
				lookWithin(next);
			}
		}

		private boolean isWanted() {
			return DelayedPromoter.this.schedules.get(this.stream.key()) == this;
		}

		private CompletionStage<Promotion> promote() {
			try {
				return DelayedPromoter.this.commands.publishing()
					.promote(this.stream.key(), this.stream.options().trimming());
			}
			catch (RuntimeException | Error ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		// The executor would drop what throws
		private Duration sleepAfter(@Nullable Promotion promotion, @Nullable Throwable failure) {
			try {
				if (promotion == null) {
					return failed(unwrapped(failure));
				}
				this.work.succeeded();
				this.empty = promotion.next() == null;
				tell(promotion);
				Duration next = (promotion.next() != null) ? promotion.next() : LONGEST_SLEEP;
				// More are due: there were too many for one look
				return next.isZero() ? next : sleep(next);
			}
			catch (RuntimeException | Error ex) {
				return failed(ex);
			}
		}

		private static Throwable unwrapped(@Nullable Throwable failure) {
			if (failure == null) {
				return new IllegalStateException("No reply");
			}
			return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
					: failure;
		}

		private Duration failed(Throwable cause) {
			boolean passes = switch (RedisFault.of(cause)) {
				case DISCONNECTED, TIMEOUT, UNAVAILABLE -> true;
				default -> false;
			};
			if (this.executor.isShutdown()) {
				return LONGEST_SLEEP;
			}
			// Nothing waits for it, and the listener says what is wrong with Redis
			if (passes && this.empty && this.work.isWell()) {
				logger.debug("Whether entries are scheduled for stream '" + this.stream.key() + "' cannot be told now",
						cause);
				return LONGEST_SLEEP;
			}
			return this.work.failed(cause);
		}

		private void tell(Promotion promotion) {
			Collection<Duration> lateness = promotion.lateness();
			if (!lateness.isEmpty()) {
				DelayedPromoter.this.events.promoted(this.stream.key(), lateness);
				this.stream.trimmed(promotion.undelivered());
			}
			if (!promotion.missing().isEmpty()) {
				logger.error("Scheduled entries of stream '" + this.stream.key() + "' were due whose fields are gone "
						+ "from Redis (deleted or evicted by others), so that there was nothing to add to it: "
						+ promotion.missing());
			}
		}

	}

}
