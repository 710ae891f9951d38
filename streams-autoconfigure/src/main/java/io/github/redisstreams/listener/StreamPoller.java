package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.github.redisstreams.redis.EntryBatch;
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

	/** How often a poller without room looks whether it is to stop. */
	private static final Duration LONGEST_WAIT_FOR_ROOM = Duration.ofSeconds(1);

	private final String listenerId;

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final InFlightLimiter limiter;

	private final AckBatcher acks;

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

	/**
	 * Create a new poller.
	 * @param listenerId the id of the listener, for the log
	 * @param options how to read
	 * @param commands the port to Redis
	 * @param limiter says how much to read
	 * @param acks takes the ids of entries that are gone
	 * @param sink takes what was read, never more than the limiter has room for
	 */
	StreamPoller(String listenerId, ListenerOptions options, StreamCommands commands, InFlightLimiter limiter,
			AckBatcher acks, Consumer<List<Delivery>> sink) {
		this.listenerId = listenerId;
		this.options = options;
		this.commands = commands;
		this.limiter = limiter;
		this.acks = acks;
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
				replayOwnPending(reader);
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
		this.commands.serverInfo();
		ensureGroup();
		this.firstAttempt.complete(null);
		return this.commands.openReader(this.options.stream(), this.options.group(), this.options.consumer());
	}

	private void ensureGroup() {
		// Once the group has been there, whatever was added since it vanished is for it
		String start = this.groupSeen ? "0" : this.options.groupStart();
		try {
			boolean created = this.commands.createGroup(this.options.stream(), this.options.group(), start);
			if (created) {
				logger.info("Listener '" + this.listenerId + "' created group '" + this.options.group() + "' at "
						+ start + " on stream '" + this.options.stream() + "'");
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

	private void replayOwnPending(StreamReader reader) throws InterruptedException {
		EntryId cursor = EntryId.ZERO;
		do {
			awaitResume();
			int room = this.limiter.awaitRoom(LONGEST_WAIT_FOR_ROOM);
			if (room > 0) {
				this.limiter.beginScan();
				EntryBatch own = reader.readOwn(cursor, room);
				handOver(own);
				this.limiter.endScan();
				cursor = own.cursor();
				if (cursor.equals(EntryId.ZERO)) {
					return;
				}
			}
		}
		while (!this.stopped);
	}

	private void claimThenRead(StreamReader reader) throws InterruptedException {
		int room = this.limiter.awaitRoom(LONGEST_WAIT_FOR_ROOM);
		if (room == 0 || this.stopped || this.paused) {
			return;
		}
		if (this.nextClaim - System.nanoTime() <= 0) {
			room -= claim(reader, room);
		}
		if (room > 0) {
			// The first round does not wait, to know at once whether all is well
			handOver(reader.readNew(room, this.reading.isWell() ? untilNextClaim() : Duration.ZERO));
		}
		this.groupSeen = true;
		this.reading.succeeded();
	}

	private int claim(StreamReader reader, int room) {
		this.limiter.beginScan();
		EntryBatch claimed = reader.claim(this.claimCursor, this.options.minIdle(), room);
		this.claimCursor = claimed.cursor();
		if (this.claimCursor.equals(EntryId.ZERO)) {
			this.nextClaim = System.nanoTime() + withJitter(this.options.claimInterval()).toNanos();
		}
		int handedOver = handOver(claimed);
		this.limiter.endScan();
		return handedOver;
	}

	// So that the instances of an application do not all claim at the same moment
	private static Duration withJitter(Duration interval) {
		return Duration.ofNanos((long) (interval.toNanos() * (0.8 + 0.2 * ThreadLocalRandom.current().nextDouble())));
	}

	private Duration untilNextClaim() {
		Duration wait = Duration.ofNanos(Math.max(0, this.nextClaim - System.nanoTime()));
		return (wait.compareTo(this.options.pollTimeout()) < 0) ? wait : this.options.pollTimeout();
	}

	private int handOver(EntryBatch batch) {
		List<Delivery> deliveries = new ArrayList<>(batch.entries().size());
		for (StreamEntry entry : batch.entries()) {
			if (this.limiter.hold(entry.id())) {
				deliveries.add(new Delivery(this.options, entry, this.acks::add));
			}
		}
		if (!deliveries.isEmpty()) {
			this.sink.accept(deliveries);
		}
		if (!batch.deleted().isEmpty()) {
			clear(batch.deleted());
		}
		return deliveries.size();
	}

	// Whoever deletes an entry leaves its id in the pending lists
	private void clear(List<EntryId> deleted) {
		logger.warn("Listener '" + this.listenerId + "' cannot have entries handled that were trimmed or deleted from "
				+ "stream '" + this.options.stream() + "' while pending: " + deleted.size() + ", the first of them "
				+ deleted.get(0));
		deleted.forEach(this.acks::add);
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
