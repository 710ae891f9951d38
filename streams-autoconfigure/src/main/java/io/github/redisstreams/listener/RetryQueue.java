package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.HandBack;
import io.github.redisstreams.redis.Redelivery;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.support.RedisWork;
import io.github.redisstreams.support.RedisWork.Problem;
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

	private final Condition answered = this.lock.newCondition();

	private final Map<EntryId, Waiting> waiting = new HashMap<>();

	/** Those of them whose time has come. */
	private final Queue<Waiting> due = new ArrayDeque<>();

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
	 */
	void add(Delivery delivery, Duration delay, boolean counted) {
		Lease lease = delivery.lease();
		Waiting item = new Waiting(lease, delivery.entry().deliveryCount() + (counted ? 1 : 0),
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
			if (!this.circuit.isClosed()) {
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
		Map<EntryId, Waiting> items = new LinkedHashMap<>();
		this.lock.lock();
		try {
			if (this.asking || this.stopped) {
				return;
			}
			while (!this.due.isEmpty() && items.size() < MOST_AT_ONCE) {
				Waiting item = this.due.remove();
				if (this.waiting.get(item.lease.id()) == item) {
					items.put(item.lease.id(), item);
				}
			}
			if (items.isEmpty()) {
				return;
			}
			this.asking = true;
		}
		finally {
			this.lock.unlock();
		}
		askFor(items);
	}

	private void askFor(Map<EntryId, Waiting> items) {
		Map<EntryId, Long> counts = new LinkedHashMap<>();
		items.forEach((id, item) -> counts.put(id, item.count));
		// Not on a thread of the connection that the next question may have to establish
		this.commands.redeliver(this.options.streamConsumer(), counts)
			.whenCompleteAsync((redelivery, failure) -> answered(items, redelivery, failure), this.timer);
	}

	private void answered(Map<EntryId, Waiting> items, @Nullable Redelivery redelivery, @Nullable Throwable failure) {
		try {
			if (redelivery != null) {
				redelivered(items, redelivery);
			}
			else if (failure != null) {
				refused(items, failure);
			}
		}
		finally {
			askForMore();
		}
	}

	private void askForMore() {
		this.lock.lock();
		try {
			this.asking = false;
			this.answered.signalAll();
		}
		finally {
			this.lock.unlock();
		}
		ask();
	}

	private void refused(Map<EntryId, Waiting> items, Throwable failure) {
		this.lock.lock();
		try {
			Duration delay = this.redelivering.failed(failure);
			items.values().forEach((item) -> schedule(item, delay));
		}
		finally {
			this.lock.unlock();
		}
	}

	private void redelivered(Map<EntryId, Waiting> items, Redelivery redelivery) {
		List<Redelivered> entries = new ArrayList<>(redelivery.entries().size());
		List<EntryId> lost;
		List<EntryId> deleted;
		this.lock.lock();
		try {
			this.redelivering.succeeded();
			for (StreamEntry entry : redelivery.entries()) {
				Waiting item = items.get(entry.id());
				if (item != null && this.waiting.remove(entry.id(), item)) {
					entries.add(new Redelivered(entry, item.lease));
				}
			}
			lost = takeOut(items, redelivery.lost());
			deleted = takeOut(items, redelivery.deleted());
		}
		finally {
			this.lock.unlock();
		}
		this.counters.retried.add(entries.size());
		this.counters.leasesLost.add(lost.size());
		this.limiter.release(lost);
		TrimmedEntries.cleared(this.options, this.counters, deleted);
		this.limiter.release(deleted);
		if (!entries.isEmpty()) {
			this.sink.accept(entries);
		}
	}

	private List<EntryId> takeOut(Map<EntryId, Waiting> items, List<EntryId> ids) {
		return ids.stream().filter((id) -> items.containsKey(id) && this.waiting.remove(id, items.get(id))).toList();
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
	@Nullable Problem problem() {
		return (size() > 0) ? this.redelivering.problem() : null;
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
	 * Wait for what Redis has been asked for, once {@linkplain #stop() stopped}.
	 */
	void awaitAnswer(Duration patience) throws InterruptedException {
		long nanos = patience.toNanos();
		this.lock.lockInterruptibly();
		try {
			while (this.asking && nanos > 0) {
				nanos = this.answered.awaitNanos(nanos);
			}
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
	 */
	record Redelivered(StreamEntry entry, Lease lease) {

	}

	/**
	 * An entry that waits.
	 *
	 * @param count how often it is to count as delivered when it comes back
	 */
	private record Waiting(Lease lease, long count, long dueAt) {

		// Whoever claims it raises the count by one
		HandBack handBack(long now, Duration minIdle) {
			Duration wait = Duration.ofNanos(Math.max(0, this.dueAt - now));
			Duration idle = (wait.compareTo(minIdle) < 0) ? minIdle.minus(wait) : Duration.ZERO;
			return new HandBack(this.lease.id(), idle, this.count - 1);
		}

	}

}
