package io.github.redisstreams.listener;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.github.redisstreams.redis.EntryBatch;
import io.github.redisstreams.redis.PendingEntry;
import io.github.redisstreams.redis.Redelivery;
import io.github.redisstreams.redis.ServerInfo.Capability;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.redis.StreamReader;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * The loop of one container: makes sure that the group exists, takes up what is pending
 * under its own name, then claims and reads. One thread, one connection. No failure ends
 * it: whatever goes wrong, the connection is closed, the loop backs off, and starts again
 * from the group.
 */
final class StreamPoller implements Runnable {

	private static final Log logger = LogFactory.getLog(StreamPoller.class);

	private static final int REPLAY_PAGE = 100;

	/** How often a poller without room looks whether it is to stop. */
	private static final Duration LONGEST_WAIT_FOR_ROOM = Duration.ofSeconds(1);

	private final String listenerId;

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final InFlightLimiter limiter;

	private final LeaseKeeper leases;

	private final FailureCircuit circuit;

	private final ContainerCounters counters;

	private final Settlement settlement;

	private final Consumer<List<Delivery>> sink;

	private final CompletableFuture<Void> firstAttempt = new CompletableFuture<>();

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition stateChanged = this.lock.newCondition();

	private volatile boolean stopped;

	private volatile boolean paused;

	private volatile @Nullable StreamReader reader;

	private final RedisWork reading;

	private boolean groupSeen;

	private @Nullable DataAccessException groupRefused;

	private EntryId claimCursor = EntryId.ZERO;

	private long nextClaim = System.nanoTime();

	private boolean claimsAsItReads;

	private boolean ownPendingSeen;

	private volatile @Nullable Instant lastPoll;

	/**
	 * Create a new poller.
	 * @param listenerId the id of the listener, for the log
	 * @param options how to read
	 * @param commands the port to Redis
	 * @param limiter says how much to read
	 * @param leases says whether it is safe to claim
	 * @param circuit says whether to read at all
	 * @param counters counts
	 * @param settlement carries out what is decided about entries
	 * @param sink takes what was read, never more than the limiter has room for
	 */
	StreamPoller(String listenerId, ListenerOptions options, StreamCommands commands, InFlightLimiter limiter,
			LeaseKeeper leases, FailureCircuit circuit, ContainerCounters counters, Settlement settlement,
			Consumer<List<Delivery>> sink) {
		this.listenerId = listenerId;
		this.options = options;
		this.commands = commands;
		this.limiter = limiter;
		this.leases = leases;
		this.circuit = circuit;
		this.counters = counters;
		this.settlement = settlement;
		this.sink = sink;
		this.reading = RedisWork.toBegin(
				"Listener '" + listenerId + "' reads stream '" + options.stream() + "' as consumer '"
						+ options.consumer() + "' of group '" + options.group() + "'",
				"Listener '" + listenerId + "' cannot read stream '" + options.stream() + "' (group '" + options.group()
						+ "')");
	}

	@Override
	public void run() {
		while (!this.stopped) {
			try (StreamReader reader = open()) {
				this.reader = reader;
				this.nextClaim = System.nanoTime();
				replayOwnPending();
				while (!this.stopped) {
					awaitResume();
					claimThenRead(reader);
				}
			}
			catch (InterruptedException ex) {
				logger
					.debug("Listener '" + this.listenerId + "' was interrupted" + (this.stopped ? "" : " and goes on"));
			}
			// Errors too: a listener that has silently stopped is worse than any of them
			catch (Throwable ex) {
				backOff(ex);
			}
			finally {
				this.reader = null;
			}
		}
		this.firstAttempt.complete(null);
	}

	private StreamReader open() {
		this.claimsAsItReads = this.commands.serverInfo().has(Capability.READ_AND_CLAIM);
		ensureGroup();
		this.firstAttempt.complete(null);
		return this.commands.openReader(this.options.streamConsumer());
	}

	private void ensureGroup() {
		// Once the group has been there, whatever was added since it vanished is for it
		String start = this.groupSeen ? "0" : this.options.groupStart();
		try {
			boolean created = this.commands.createGroup(this.options.stream(), this.options.group(), start);
			if (created) {
				logger.info("Listener '" + this.listenerId + "' created group '" + this.options.group() + "' at "
						+ start + " on stream '" + this.options.stream() + "'");
				if (this.groupSeen) {
					this.counters.groupsRecreated.increment();
				}
			}
			this.groupSeen = true;
			this.groupRefused = null;
		}
		catch (DataAccessException ex) {
			RedisFault fault = RedisFault.of(ex);
			if (fault != RedisFault.UNAVAILABLE && fault != RedisFault.NO_PERMISSION) {
				throw ex;
			}
			// Out of memory, or without the permission, a group that is there can be read
			this.groupRefused = ex;
		}
	}

	// What a lost reply or an earlier life of this consumer has left. It counts as
	// another
	// delivery in the latter case only: a reply that was lost has started no handler
	private void replayOwnPending() throws InterruptedException {
		EntryId after = EntryId.ZERO;
		boolean more = true;
		while (more && !this.stopped) {
			awaitResume();
			int room = this.limiter.awaitRoom(LONGEST_WAIT_FOR_ROOM);
			if (room > 0) {
				this.limiter.beginScan();
				List<PendingEntry> page = this.commands.pending(this.options.streamConsumer(), after, REPLAY_PAGE);
				List<EntryId> unseen = new ArrayList<>(room);
				more = page.size() == REPLAY_PAGE;
				for (PendingEntry pending : page) {
					if (unseen.size() == room) {
						more = true;
						break;
					}
					after = pending.id();
					if (this.limiter.leaseOf(after) == null && !this.limiter.wasLeft(after)) {
						unseen.add(after);
					}
				}
				redeliver(unseen);
				this.limiter.endScan();
			}
		}
		this.ownPendingSeen = true;
	}

	private void redeliver(List<EntryId> ids) throws InterruptedException {
		if (ids.isEmpty()) {
			return;
		}
		Redelivery redelivery = await(
				this.commands.redeliver(this.options.streamConsumer(), ids, !this.ownPendingSeen));
		this.counters.retried.add(handOver(redelivery.entries()));
		cleared(redelivery.deleted());
	}

	private static <T> T await(CompletionStage<T> reply) throws InterruptedException {
		try {
			return reply.toCompletableFuture().get();
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof DataAccessException failure) ? failure : new IllegalStateException(ex);
		}
	}

	private void claimThenRead(StreamReader reader) throws InterruptedException {
		int room = awaitRoom();
		if (room > 0 && !this.stopped && !this.paused) {
			if (this.nextClaim - System.nanoTime() <= 0 && this.leases.areCurrent()) {
				room -= claim(reader, room);
			}
			if (room > 0) {
				// The first round does not wait, to know at once whether all is well
				read(reader, room, this.reading.isWell() ? untilNextClaim() : Duration.ZERO);
			}
			this.groupSeen = true;
			this.reading.succeeded();
		}
		if (this.reading.isWell()) {
			this.lastPoll = Instant.now();
		}
	}

	private int awaitRoom() throws InterruptedException {
		int room = this.limiter.awaitRoom(LONGEST_WAIT_FOR_ROOM);
		if (room == 0 || this.circuit.isClosed()) {
			return room;
		}
		Duration suspended = this.circuit.untilNextTry();
		if (suspended.isZero()) {
			return 1;
		}
		awaitStopped((suspended.compareTo(LONGEST_WAIT_FOR_ROOM) < 0) ? suspended : LONGEST_WAIT_FOR_ROOM);
		return 0;
	}

	private int claim(StreamReader reader, int room) throws InterruptedException {
		this.limiter.beginScan();
		EntryBatch claimed = reader.claim(this.claimCursor, this.options.minIdle(), room);
		this.claimCursor = claimed.cursor();
		if (this.claimCursor.equals(EntryId.ZERO)) {
			this.nextClaim = System.nanoTime() + claimInterval().toNanos();
		}
		int handedOver = handOver(claimed.entries());
		cleared(claimed.deleted());
		this.limiter.endScan();
		this.counters.claimed.add(handedOver);
		if (claimed.unnamedDeleted() > 0) {
			// They are ours now, and found among what is pending under our name
			replayOwnPending();
			return room;
		}
		return handedOver;
	}

	// A server whose reads claim needs the sweep only for entries that are gone. Jitter,
	// so
	// that the instances of an application do not all sweep at the same moment
	private Duration claimInterval() {
		Duration interval = this.options.claimInterval().multipliedBy(this.claimsAsItReads ? 10 : 1);
		return Duration.ofNanos((long) (interval.toNanos() * (0.8 + 0.2 * ThreadLocalRandom.current().nextDouble())));
	}

	private Duration untilNextClaim() {
		Duration wait = Duration.ofNanos(Math.max(0, this.nextClaim - System.nanoTime()));
		return (wait.compareTo(this.options.pollTimeout()) < 0) ? wait : this.options.pollTimeout();
	}

	private void read(StreamReader reader, int room, Duration block) {
		if (this.claimsAsItReads && this.leases.areCurrent()) {
			this.limiter.beginScan();
			List<StreamEntry> entries = reader.claimAndReadNew(room, block, this.options.minIdle()).entries();
			handOver(entries);
			this.limiter.endScan();
			this.counters.claimed.add(entries.stream().filter((entry) -> entry.deliveryCount() > 1).count());
		}
		else {
			handOver(reader.readNew(room, block).entries());
		}
	}

	private int handOver(List<StreamEntry> entries) {
		List<Delivery> deliveries = new ArrayList<>(entries.size());
		for (StreamEntry entry : entries) {
			Lease lease = this.limiter.hold(entry.id());
			if (lease != null) {
				deliveries.add(new Delivery(this.options, entry, lease, this.settlement));
			}
		}
		if (!deliveries.isEmpty()) {
			this.sink.accept(deliveries);
		}
		return deliveries.size();
	}

	private void cleared(List<EntryId> deleted) {
		TrimmedEntries.cleared(this.options, this.counters, deleted);
		for (EntryId id : deleted) {
			Lease lease = this.limiter.leaseOf(id);
			if (lease != null) {
				lease.bodyIsGone();
			}
		}
	}

	private void backOff(Throwable symptom) {
		this.firstAttempt.complete(null);
		if (!this.stopped) {
			awaitStopped(this.reading.failed(cause(symptom)));
		}
	}

	private Throwable cause(Throwable symptom) {
		DataAccessException refused = this.groupRefused;
		return (refused != null && RedisFault.of(symptom) == RedisFault.GROUP_MISSING) ? refused : symptom;
	}

	private void awaitStopped(Duration patience) {
		long nanos = patience.toNanos();
		this.lock.lock();
		try {
			while (!this.stopped && nanos > 0) {
				nanos = this.stateChanged.awaitNanos(nanos);
			}
		}
		catch (InterruptedException ex) {
			logger.debug("Listener '" + this.listenerId + "' was interrupted while backing off");
		}
		finally {
			this.lock.unlock();
		}
	}

	private void awaitResume() throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			while (this.paused && !this.stopped) {
				this.stateChanged.await();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * When the loop last went round without a failure.
	 */
	@Nullable Instant lastPoll() {
		return this.lastPoll;
	}

	/**
	 * How the reading goes.
	 */
	RedisWork reading() {
		return this.reading;
	}

	/**
	 * Completed when the group was created for the first time, or that has failed.
	 */
	CompletableFuture<Void> firstAttempt() {
		return this.firstAttempt;
	}

	void pause(boolean pause) {
		changeState(() -> this.paused = pause);
		if (pause) {
			endBlockingRead();
		}
	}

	void stop() {
		changeState(() -> this.stopped = true);
		endBlockingRead();
	}

	/**
	 * End the read that may be under way, so that the loop looks at its state. The read
	 * may also be just about to begin: whoever waits for the loop calls this again.
	 */
	void endBlockingRead() {
		StreamReader reader = this.reader;
		if (reader != null) {
			reader.unblock();
		}
	}

	private void changeState(Runnable change) {
		this.lock.lock();
		try {
			change.run();
			this.stateChanged.signalAll();
		}
		finally {
			this.lock.unlock();
		}
		this.limiter.wake();
	}

}
