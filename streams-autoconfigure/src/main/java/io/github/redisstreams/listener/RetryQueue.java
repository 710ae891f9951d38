package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.HandBack;
import io.github.redisstreams.redis.Redelivery;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamEntry;
import org.jspecify.annotations.Nullable;

/**
 * Entries that wait to be delivered again. They wait here by id only, leased and holding
 * no handler; when their time has come Redis is asked for them as they are then, which
 * also counts the delivery. Holds at most {@value #CAPACITY}; what finds no place is left
 * to be claimed after {@code min-idle}.
 */
final class RetryQueue {

	static final int CAPACITY = 1000;

	private static final int MOST_AT_ONCE = 100;

	private static final Duration CIRCUIT_WATCH = Duration.ofMillis(200);

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final InFlightLimiter limiter;

	private final FailureCircuit circuit;

	private final ContainerCounters counters;

	private final ScheduledExecutorService timer;

	private final Consumer<List<Redelivered>> sink;

	private final ReentrantLock lock = new ReentrantLock();

	private final Map<EntryId, Waiting> waiting = new HashMap<>();

	/** Those of them whose time has come. */
	private List<Waiting> due = new ArrayList<>();

	/** Those whose time has come while the listener is suspended. */
	private final Queue<Waiting> suspended = new ArrayDeque<>();

	private boolean watchingCircuit;

	private boolean asking;

	private boolean stopped;

	private boolean closed;

	private final RedisWork redelivering;

	/**
	 * Create a new queue.
	 * @param sink takes entries that are to be handled
	 */
	RetryQueue(ListenerOptions options, StreamCommands commands, InFlightLimiter limiter, FailureCircuit circuit,
			ContainerCounters counters, ScheduledExecutorService timer, Consumer<List<Redelivered>> sink) {
		this.options = options;
		this.commands = commands;
		this.limiter = limiter;
		this.circuit = circuit;
		this.counters = counters;
		this.timer = timer;
		this.sink = sink;
		String subject = "Retries on stream '" + options.stream() + "' (group '" + options.group() + "')";
		this.redelivering = RedisWork.goingWell(subject + " go on", subject + " wait");
	}

	/**
	 * Have an entry delivered again after a delay, or leave it if there is no place.
	 * @param delivery the entry, which no handler works on
	 * @param delay how long to wait
	 * @param counted whether that is to count as a delivery
	 * @param unwritten why it is to go to the dead letters then, rather than to a handler
	 */
	void add(Delivery delivery, Duration delay, boolean counted, @Nullable DeadLetterCase unwritten) {
		Lease lease = delivery.lease();
		Waiting item = new Waiting(lease, counted, delivery.entry().deliveryCount(), unwritten,
				System.nanoTime() + TimeUnit.NANOSECONDS.convert(delay));
		this.lock.lock();
		try {
			if (!this.limiter.setAside(lease)) {
				// Decided about too late: it has been delivered again meanwhile
				return;
			}
			if (this.closed || this.waiting.size() >= CAPACITY) {
				this.limiter.leave(lease.id());
				return;
			}
			this.waiting.put(lease.id(), item);
			schedule(item, delay);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void schedule(Waiting item, Duration delay) {
		this.timer.schedule(() -> isDue(item), TimeUnit.MILLISECONDS.convert(delay), TimeUnit.MILLISECONDS);
	}

	private void isDue(Waiting item) {
		this.lock.lock();
		try {
			if (this.stopped || this.waiting.get(item.lease.id()) != item) {
				return;
			}
			if (item.unwritten == null && !this.circuit.isClosed()) {
				this.suspended.add(item);
				watchCircuit();
			}
			else {
				this.due.add(item);
			}
		}
		finally {
			this.lock.unlock();
		}
		ask();
	}

	private void watchCircuit() {
		if (!this.watchingCircuit) {
			this.watchingCircuit = true;
			this.timer.schedule(this::lookAtCircuit, CIRCUIT_WATCH.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	// One of them at a time may find out whether all is well again
	private void lookAtCircuit() {
		this.lock.lock();
		try {
			this.watchingCircuit = false;
			if (this.circuit.isClosed()) {
				this.due.addAll(this.suspended);
				this.suspended.clear();
			}
			else {
				if (this.circuit.untilNextTry().isZero()) {
					this.due.add(this.suspended.remove());
				}
				if (!this.suspended.isEmpty()) {
					watchCircuit();
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		ask();
	}

	/**
	 * An entry is no longer ours to retry.
	 * @return whether it waited here
	 */
	boolean forget(EntryId id) {
		this.lock.lock();
		try {
			return this.waiting.remove(id) != null;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void ask() {
		List<Waiting> items;
		this.lock.lock();
		try {
			if (this.asking || this.stopped || this.due.isEmpty()) {
				return;
			}
			this.asking = true;
			items = this.due.subList(0, Math.min(MOST_AT_ONCE, this.due.size()));
			this.due = new ArrayList<>(this.due.subList(items.size(), this.due.size()));
		}
		finally {
			this.lock.unlock();
		}
		askFor(items.stream().filter((item) -> item.counted).toList(), true,
				() -> askFor(items.stream().filter((item) -> !item.counted).toList(), false, this::askForMore));
	}

	private void askFor(List<Waiting> items, boolean counted, Runnable next) {
		if (items.isEmpty()) {
			next.run();
			return;
		}
		List<EntryId> ids = items.stream().map((item) -> item.lease.id()).toList();
		// Not on a thread of the connection that the next question may have to
		// establish
		this.commands.redeliver(this.options.streamConsumer(), ids, counted)
			.whenCompleteAsync((redelivery, failure) -> {
				if (failure != null) {
					refused(items, failure);
				}
				else {
					redelivered(redelivery);
				}
				next.run();
			}, this.timer);
	}

	private void askForMore() {
		this.lock.lock();
		try {
			this.asking = false;
		}
		finally {
			this.lock.unlock();
		}
		ask();
	}

	private void refused(List<Waiting> items, Throwable failure) {
		this.lock.lock();
		try {
			Duration delay = this.redelivering.failed(failure);
			items.forEach((item) -> schedule(item, delay));
		}
		finally {
			this.lock.unlock();
		}
	}

	private void redelivered(Redelivery redelivery) {
		List<Redelivered> entries = new ArrayList<>(redelivery.entries().size());
		this.lock.lock();
		try {
			this.redelivering.succeeded();
			for (StreamEntry entry : redelivery.entries()) {
				Waiting item = this.waiting.remove(entry.id());
				if (item != null) {
					entries.add(new Redelivered(entry, item.lease, item.unwritten));
				}
			}
			redelivery.deleted().forEach(this.waiting::remove);
			for (EntryId id : redelivery.lost()) {
				Waiting item = this.waiting.remove(id);
				// Where the reply to a move was lost, the entry is among the dead letters
				if (item != null && item.unwritten == null) {
					this.counters.leasesLost.increment();
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		this.counters.retried.add(entries.stream().filter((entry) -> entry.unwritten == null).count());
		this.limiter.release(redelivery.lost());
		TrimmedEntries.cleared(this.options, this.counters, redelivery.deleted());
		this.limiter.release(redelivery.deleted());
		if (!entries.isEmpty()) {
			this.sink.accept(entries);
		}
	}

	/**
	 * How many entries wait.
	 */
	int size() {
		this.lock.lock();
		try {
			return this.waiting.size();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * What stands in the way, if anything does.
	 */
	@Nullable String problem() {
		return (size() > 0) ? this.redelivering.problem() : null;
	}

	/**
	 * Whether some of the entries wait to be written to the dead letters.
	 */
	boolean hasUnwritten() {
		this.lock.lock();
		try {
			return this.waiting.values().stream().anyMatch((item) -> item.unwritten != null);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Have nothing delivered again any more. What still comes is kept for
	 * {@link #close()}.
	 */
	void stop() {
		this.lock.lock();
		try {
			this.stopped = true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Take nothing any more either.
	 * @return what waited, for others to take when its time has come
	 */
	List<HandBack> close() {
		this.lock.lock();
		try {
			this.closed = true;
			long now = System.nanoTime();
			return this.waiting.values().stream().map((item) -> item.handBack(now, this.options.minIdle())).toList();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * An entry that has come back.
	 *
	 * @param entry as it is now
	 * @param lease the lease under which it waited
	 * @param unwritten why it is to go to the dead letters rather than to a handler
	 */
	record Redelivered(StreamEntry entry, Lease lease, @Nullable DeadLetterCase unwritten) {

	}

	/**
	 * An entry that waits.
	 */
	private record Waiting(Lease lease, boolean counted, long deliveryCount, @Nullable DeadLetterCase unwritten,
			long dueAt) {

		// A dead letter that is handed back must not be handled once more
		private boolean isToBeCounted() {
			return this.counted || this.unwritten != null;
		}

		// Whoever claims it raises the count by one
		HandBack handBack(long now, Duration minIdle) {
			Duration wait = Duration.ofNanos(Math.max(0, this.dueAt - now));
			Duration idle = (wait.compareTo(minIdle) < 0) ? minIdle.minus(wait) : Duration.ZERO;
			return new HandBack(this.lease.id(), idle, this.deliveryCount - (isToBeCounted() ? 0 : 1));
		}

	}

}
