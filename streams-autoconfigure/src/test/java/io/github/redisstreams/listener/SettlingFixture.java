package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.redis.DeadLetter;
import io.github.redisstreams.redis.DeadLetterMove;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.LeaseRenewal;
import io.github.redisstreams.redis.NewTask;
import io.github.redisstreams.redis.Redelivery;
import io.github.redisstreams.redis.StreamConsumer;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.test.Entries;
import org.jspecify.annotations.Nullable;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;

/**
 * What settles entries in one container, with a Redis and a clock that the test plays.
 */
final class SettlingFixture {

	final ListenerOptions options;

	final Commands commands = new Commands();

	final Timer timer = new Timer();

	final ContainerCounters counters = new ContainerCounters();

	final InFlightLimiter limiter;

	final FailureCircuit circuit;

	final AckBatcher acks;

	final List<RetryQueue.Redelivered> redelivered = new ArrayList<>();

	final RetryQueue retries;

	final List<DeadLetteredEntry> deadLettered = new ArrayList<>();

	final DeadLetterWriter deadLetters;

	final TaskNotes notes;

	final RedisSettlement settlement;

	final LeaseKeeper leases;

	SettlingFixture() {
		this(options());
	}

	SettlingFixture(ListenerOptions.Builder builder) {
		this.options = builder.build("id", "test");
		this.limiter = new InFlightLimiter(this.options, false);
		this.circuit = new FailureCircuit("id", this.options.circuit(), this.counters, () -> {
		});
		this.acks = new AckBatcher(this.commands, this.options, this.limiter, this.counters, this.timer.mock);
		this.retries = new RetryQueue(this.options, this.commands, this.limiter, this.circuit, this.counters,
				this.timer.mock, this.redelivered::addAll);
		this.deadLetters = new DeadLetterWriter("id", this.options, this.commands, this.limiter, this.counters,
				this.timer.mock, this.deadLettered::add);
		this.notes = new TaskNotes(this.options, this.commands, this.timer.mock);
		this.settlement = new RedisSettlement(this.options, this.limiter, this.acks, this.retries, this.deadLetters,
				this.notes, this.timer.mock);
		this.leases = new LeaseKeeper(this.options, this.commands, this.limiter, this.retries, this.counters,
				this.timer.mock);
	}

	static ListenerOptions.Builder options() {
		return ListenerOptions.builder().stream("s").group("g").consumer("c");
	}

	static EntryId id(long n) {
		return new EntryId(1, n);
	}

	static StreamEntry entry(long n, long count) {
		return new StreamEntry(id(n), count, Entries.bytes("n"), Entries.bytes("v" + n));
	}

	/**
	 * An entry that a handler is done with, delivered for the first time.
	 */
	Delivery handled(long n) {
		return handled(n, 1);
	}

	Delivery handled(long n, long count) {
		return handled(entry(n, count));
	}

	/**
	 * The same with an entry that is a task.
	 */
	Delivery task(long n, long count, String task) {
		return handled(new StreamEntry(id(n), count, Entries.bytes("n"), Entries.bytes("v" + n),
				Entries.bytes(NewTask.FIELD), Entries.bytes(task)));
	}

	private Delivery handled(StreamEntry entry) {
		Lease lease = Objects.requireNonNull(this.limiter.hold(entry.id()));
		this.limiter.handled(1, 1000);
		return new Delivery(this.options, entry, lease, this.settlement);
	}

	/**
	 * A Redis that the test answers for.
	 */
	static final class Commands extends RecordingCommands {

		final List<Call<Redelivery>> redeliveries = new ArrayList<>();

		final List<Call<LeaseRenewal>> renewals = new ArrayList<>();

		final List<DeadLetter> letters = new ArrayList<>();

		final List<CompletableFuture<DeadLetterMove>> moves = new ArrayList<>();

		@Override
		public CompletionStage<Redelivery> redeliver(StreamConsumer consumer, Map<EntryId, Long> counts) {
			Call<Redelivery> call = new Call<>(List.copyOf(counts.keySet()), List.copyOf(counts.values()),
					new CompletableFuture<>());
			this.redeliveries.add(call);
			return call.reply;
		}

		@Override
		public CompletionStage<LeaseRenewal> renewLeases(StreamConsumer consumer, Collection<EntryId> ids) {
			Call<LeaseRenewal> call = new Call<>(List.copyOf(ids), List.of(), new CompletableFuture<>());
			this.renewals.add(call);
			return call.reply;
		}

		@Override
		public CompletionStage<DeadLetterMove> deadLetter(DeadLetter letter) {
			CompletableFuture<DeadLetterMove> move = new CompletableFuture<>();
			this.letters.add(letter);
			this.moves.add(move);
			return move;
		}

	}

	/**
	 * One command.
	 */
	record Call<T>(List<EntryId> ids, List<Long> counts, CompletableFuture<T> reply) {

		void refuse() {
			this.reply.completeExceptionally(new IllegalStateException("refused by the test"));
		}

	}

	/**
	 * Takes tasks, and runs them when the test says so.
	 */
	static final class Timer {

		final ScheduledExecutorService mock = mock();

		final List<Task> tasks = new ArrayList<>();

		/** Whether to leave to {@link #runDeferred()} what is to be executed. */
		boolean deferring;

		private final List<Runnable> deferred = new ArrayList<>();

		private @Nullable Runnable repeated;

		Timer() {
			doAnswer((call) -> take(call.getArgument(0), call.getArgument(1), call.getArgument(2))).when(this.mock)
				.schedule(any(Runnable.class), anyLong(), any());
			doAnswer((call) -> execute(call.getArgument(0))).when(this.mock).execute(any());
			doAnswer((call) -> {
				this.repeated = call.getArgument(0);
				return null;
			}).when(this.mock).scheduleWithFixedDelay(any(), anyLong(), anyLong(), any());
		}

		private @Nullable Object execute(Runnable task) {
			if (this.deferring) {
				this.deferred.add(task);
			}
			else {
				task.run();
			}
			return null;
		}

		private @Nullable Object take(Runnable task, long delay, TimeUnit unit) {
			this.tasks.add(new Task(task, Duration.of(delay, unit.toChronoUnit())));
			return null;
		}

		Task next() {
			return this.tasks.remove(0);
		}

		void runAll() {
			List<Task> due = List.copyOf(this.tasks);
			this.tasks.clear();
			due.forEach((task) -> task.task().run());
		}

		void runDeferred() {
			List<Runnable> tasks = List.copyOf(this.deferred);
			this.deferred.clear();
			tasks.forEach(Runnable::run);
		}

		void tick() {
			Objects.requireNonNull(this.repeated).run();
		}

	}

	/**
	 * One task.
	 */
	record Task(Runnable task, Duration delay) {

	}

}
