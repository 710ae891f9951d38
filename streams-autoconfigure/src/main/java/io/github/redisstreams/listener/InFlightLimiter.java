package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.github.redisstreams.redis.EntryId;
import org.jspecify.annotations.Nullable;

/**
 * Knows what this container holds, so that it reads only what it can work on soon and
 * never hands out an entry twice.
 * <p>
 * There is room for as many entries as handlers can take at once, plus what they handle
 * in about {@value #PREFETCH_MILLIS} ms at the rate measured so far: slow handlers leave
 * the backlog to other instances, fast ones get full batches. An entry stays known until
 * it is settled in Redis, so the room also shrinks while acknowledgements do not get
 * through.
 */
final class InFlightLimiter {

	private static final long PREFETCH_MILLIS = 50;

	/** More are forgotten, the oldest first, which costs them an early delivery. */
	private static final int MOST_LEFT = 10_000;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition roomMade = this.lock.newCondition();

	/** Everything that is queued, running, waiting, or done but not settled in Redis. */
	private final Map<EntryId, Lease> held = new HashMap<>();

	/** Since when that is nothing, if it is nothing. */
	private long emptySince = System.nanoTime();

	/** How many of those are queued or running. */
	private int working;

	/** Which of those wait for a retry. They take no room. */
	private final Set<EntryId> aside = new HashSet<>();

	/** What was given up here and is to be delivered again by a claim only. */
	private final Set<EntryId> left = new LinkedHashSet<>();

	/** What was let go of since a scan began, see {@link #beginScan()}. */
	private final Set<EntryId> releasedInScan = new HashSet<>();

	private boolean scanning;

	private boolean woken;

	private final int concurrency;

	private final int slots;

	private final int batchSize;

	private final boolean batchHandler;

	private boolean measured;

	private double nanosPerEntry = TimeUnit.MILLISECONDS.toNanos(PREFETCH_MILLIS);

	InFlightLimiter(ListenerOptions options, boolean batchHandler) {
		this.batchSize = options.batchSize();
		this.batchHandler = batchHandler;
		this.concurrency = options.concurrency();
		this.slots = this.concurrency * (batchHandler ? this.batchSize : 1);
	}

	/**
	 * Wait until it is worth reading: at once while a handler is idle, otherwise until a
	 * good part of a batch fits. A batch handler is to get whole batches.
	 * @param patience how long to wait
	 * @return how many entries there is room for, 0 if the time ran out or somebody
	 * called {@link #wake()}
	 */
	int awaitRoom(Duration patience) throws InterruptedException {
		long nanos = patience.toNanos();
		this.lock.lockInterruptibly();
		try {
			while (!isWorthReading()) {
				if (nanos <= 0 || this.woken) {
					return 0;
				}
				nanos = this.roomMade.awaitNanos(nanos);
			}
			return room();
		}
		finally {
			this.woken = false;
			this.lock.unlock();
		}
	}

	/**
	 * Wait until no entry is queued or running.
	 * @param patience how long to wait
	 */
	void awaitIdle(Duration patience) throws InterruptedException {
		long nanos = patience.toNanos();
		this.lock.lockInterruptibly();
		try {
			while (this.working > 0 && nanos > 0 && !this.woken) {
				nanos = this.roomMade.awaitNanos(nanos);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Have whoever waits for room look at other things first.
	 */
	void wake() {
		this.lock.lock();
		try {
			this.woken = true;
			this.roomMade.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * To be called before Redis is asked for pending entries. Its reply may list entries
	 * that are settled by the time it arrives, and these must not be handled again.
	 */
	void beginScan() {
		setScanning(true);
	}

	/**
	 * To be called when the reply has been {@linkplain #hold taken in}.
	 */
	void endScan() {
		setScanning(false);
	}

	private void setScanning(boolean scanning) {
		this.lock.lock();
		try {
			this.scanning = scanning;
			this.releasedInScan.clear();
		}
		finally {
			this.lock.unlock();
		}
	}

	// Not for each entry: to wake a thread costs more than to handle many an entry
	private void signalIfWorthwhile() {
		if (this.working == 0 || isWorthReading()) {
			this.roomMade.signalAll();
		}
	}

	private boolean isWorthReading() {
		int room = room();
		if (this.batchHandler) {
			return room == this.batchSize;
		}
		return room > 0 && (this.working < this.slots || room >= Math.max(1, Math.min(this.batchSize, prefetch() / 2)));
	}

	private int room() {
		int queueable = this.slots + prefetch() - this.working;
		int settleable = this.slots + 4 * this.batchSize - (this.held.size() - this.aside.size());
		return Math.min(this.batchSize, Math.min(queueable, settleable));
	}

	// Nothing before a handler has succeeded in ending once: an entry that kills
	// its process is not to take others along
	private int prefetch() {
		if (!this.measured) {
			return 0;
		}
		double worthOfTime = this.concurrency * TimeUnit.MILLISECONDS.toNanos(PREFETCH_MILLIS) / this.nanosPerEntry;
		return (int) Math.min(2.0 * this.batchSize, worthOfTime);
	}

	/**
	 * Take an entry in, unless it is here already.
	 * @return its lease if the caller is to have it handled, otherwise {@code null}
	 */
	@Nullable Lease hold(EntryId id) {
		this.lock.lock();
		try {
			Lease present = this.held.get(id);
			if (present != null && present.isLost()) {
				present.regain();
			}
			if (present != null || this.releasedInScan.contains(id)) {
				return null;
			}
			Lease lease = new Lease(id);
			this.held.put(id, lease);
			this.left.remove(id);
			this.working++;
			return lease;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The lease of an entry that is here.
	 */
	@Nullable Lease leaseOf(EntryId id) {
		this.lock.lock();
		try {
			return this.held.get(id);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Whether an entry was {@linkplain #leave left} and has not been taken in since.
	 */
	boolean wasLeft(EntryId id) {
		this.lock.lock();
		try {
			return this.left.contains(id);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The leases of everything that is here.
	 */
	List<Lease> leases() {
		this.lock.lock();
		try {
			return List.copyOf(this.held.values());
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * An entry that a handler is done with waits for something: it takes no room until it
	 * is {@linkplain #resume resumed}. Also for one that was left before.
	 * @return whether the lease is that of the entry as it is held here
	 */
	boolean setAside(Lease lease) {
		this.lock.lock();
		try {
			if (this.held.putIfAbsent(lease.id(), lease) != null && this.held.get(lease.id()) != lease) {
				return false;
			}
			this.left.remove(lease.id());
			this.aside.add(lease.id());
			signalIfWorthwhile();
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Have an entry handled that was set aside.
	 */
	void resume(Lease lease) {
		this.lock.lock();
		try {
			this.aside.remove(lease.id());
			this.working++;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * A handler is done with entries, which are still to be settled or released.
	 * @param count how many
	 * @param nanos how long it took
	 */
	void handled(int count, long nanos) {
		this.lock.lock();
		try {
			this.working -= count;
			this.measured = true;
			double latest = Math.max(1, (double) nanos / count);
			// Slower counts at once, faster only over many entries, since reading too
			// much harms more than reading too little
			this.nanosPerEntry = (latest > this.nanosPerEntry) ? latest
					: this.nanosPerEntry + (latest - this.nanosPerEntry) * Math.min(1.0, 0.1 * count);
			signalIfWorthwhile();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Entries that were never started are no longer about to be.
	 */
	void unstarted(int count) {
		this.lock.lock();
		try {
			this.working -= count;
			signalIfWorthwhile();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * An entry is given up, to be claimed later by whoever comes first.
	 */
	void leave(EntryId id) {
		this.lock.lock();
		try {
			this.left.add(id);
			if (this.left.size() > MOST_LEFT) {
				this.left.remove(this.left.iterator().next());
			}
		}
		finally {
			this.lock.unlock();
		}
		release(List.of(id));
	}

	/**
	 * Entries are settled in Redis, or no longer ours.
	 */
	void release(Collection<EntryId> ids) {
		this.lock.lock();
		try {
			boolean wasEmpty = this.held.isEmpty();
			ids.forEach(this.held::remove);
			if (!wasEmpty && this.held.isEmpty()) {
				this.emptySince = System.nanoTime();
			}
			ids.forEach(this.aside::remove);
			if (this.scanning) {
				this.releasedInScan.addAll(ids);
			}
			signalIfWorthwhile();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * How many entries are here: queued, running, waiting, or done and not yet settled.
	 */
	int inFlight() {
		this.lock.lock();
		try {
			return this.held.size();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * For how long there has been nothing here.
	 * @return nanoseconds, 0 if there is something
	 */
	long idleNanos() {
		this.lock.lock();
		try {
			return this.held.isEmpty() ? System.nanoTime() - this.emptySince : 0;
		}
		finally {
			this.lock.unlock();
		}
	}

}
