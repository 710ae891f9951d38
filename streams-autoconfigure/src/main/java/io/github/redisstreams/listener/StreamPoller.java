package io.github.redisstreams.listener;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.github.redisstreams.redis.EntryBatch;
import io.github.redisstreams.redis.ServerInfo.Capability;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.redis.StreamReader;
import io.github.redisstreams.support.RedisWork;
import io.github.redisstreams.support.RedisWork.Problem;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The loop of one container: makes sure that the group exists, takes up what is pending
 * under its own name, then claims and reads. One thread, one connection, whose own thread
 * takes in what was read, so that handlers need not wait for this one. No failure ends
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

	private final LeaseKeeper leases;

	private final FailureCircuit circuit;

	private final ContainerCounters counters;

	private final ConsumerGroup group;

	private final OwnPending ownPending;

	private final Intake intake;

	private final IdleWatch idle;

	private final ContainerReporter reporter;

	private final CompletableFuture<Void> firstAttempt = new CompletableFuture<>();

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition stateChanged = this.lock.newCondition();

	private volatile boolean stopped;

	private volatile boolean paused;

	private volatile @Nullable StreamReader reader;

	private final RedisWork reading;

	private EntryId claimCursor = EntryId.ZERO;

	/**
	 * The last entry of the first read since a sweep began. What comes after it was
	 * delivered even later, and where others read as fast as this one goes on, a sweep
	 * over that would never end.
	 */
	private @Nullable EntryId sweepEnd;

	private long nextClaim = System.nanoTime();

	private boolean claimsAsItReads;

	private volatile boolean connected;

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
	 * @param intake takes what was read, never more than the limiter has room for
	 * @param idle notices when nothing is read
	 * @param reporter is told when the state may have changed
	 */
	StreamPoller(String listenerId, ListenerOptions options, StreamCommands commands, InFlightLimiter limiter,
			LeaseKeeper leases, FailureCircuit circuit, ContainerCounters counters, Intake intake, IdleWatch idle,
			ContainerReporter reporter) {
		this.listenerId = listenerId;
		this.options = options;
		this.commands = commands;
		this.limiter = limiter;
		this.leases = leases;
		this.circuit = circuit;
		this.counters = counters;
		this.intake = intake;
		this.idle = idle;
		this.reporter = reporter;
		this.ownPending = new OwnPending(options, commands, limiter, counters, intake);
		this.group = new ConsumerGroup(listenerId, options, commands, counters);
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
				this.connected = true;
				this.nextClaim = System.nanoTime();
				this.idle.begin();
				replayOwnPending();
				while (!this.stopped) {
					awaitResume();
					claimThenRead(reader);
					roundIsDone();
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
				this.connected = false;
				this.leases.claiming(false);
			}
		}
		this.firstAttempt.complete(null);
	}

	private StreamReader open() {
		this.claimsAsItReads = this.commands.serverInfo().has(Capability.READ_AND_CLAIM);
		this.group.ensure();
		this.firstAttempt.complete(null);
		return this.commands.openReader(this.options.streamConsumer());
	}

	private void replayOwnPending() throws InterruptedException {
		this.ownPending.begin();
		while (this.ownPending.hasMore() && !this.stopped) {
			awaitResume();
			int room = this.limiter.awaitRoom(LONGEST_WAIT_FOR_ROOM);
			this.lastPoll = Instant.now();
			if (room > 0) {
				this.ownPending.redeliver(room);
			}
		}
	}

	// Not before it has read: a connection alone does not say that it may
	private void roundIsDone() {
		this.reporter.lookAtState();
		if (this.circuit.isClosed()) {
			this.idle.look();
		}
		else {
			this.idle.begin();
		}
	}

	private void claimThenRead(StreamReader reader) throws InterruptedException {
		int room = awaitRoom();
		if (room > 0 && !this.stopped && !this.paused) {
			if (this.nextClaim - System.nanoTime() <= 0) {
				room -= this.leases.areCurrent() ? claim(reader, room) : postponeClaim();
			}
			if (room > 0) {
				// The first round does not wait, to know at once whether all is well
				read(reader, room, this.reading.isWell() ? untilNextClaim() : Duration.ZERO);
			}
			this.group.seen();
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

	private int postponeClaim() {
		this.nextClaim = System.nanoTime() + claimInterval().toNanos();
		return 0;
	}

	private int claim(StreamReader reader, int room) throws InterruptedException {
		this.limiter.beginScan();
		this.leases.claiming(true);
		EntryBatch claimed = reader.claim(this.claimCursor, this.options.minIdle(), room);
		boolean swept = this.sweepEnd != null && claimed.cursor().compareTo(this.sweepEnd) > 0;
		this.claimCursor = swept ? EntryId.ZERO : claimed.cursor();
		if (this.claimCursor.equals(EntryId.ZERO)) {
			this.sweepEnd = null;
			this.nextClaim = System.nanoTime() + claimInterval().toNanos();
		}
		int handedOver = this.intake.take(claimed.entries());
		this.intake.cleared(claimed.deleted());
		this.leases.claiming(false);
		this.limiter.endScan();
		this.counters.claimed.add(handedOver);
		if (claimed.unnamedDeleted() > 0) {
			// They are ours now, and found among what is pending under our name
			replayOwnPending();
			return room;
		}
		return handedOver;
	}

	// A server whose reads claim needs the sweep only for entries that are gone.
	// Jitter, so that the instances of an application do not all sweep at the same
	// moment
	private Duration claimInterval() {
		Duration interval = this.options.claimInterval().multipliedBy(this.claimsAsItReads ? 10 : 1);
		return Duration.ofNanos((long) (interval.toNanos() * (0.8 + 0.2 * ThreadLocalRandom.current().nextDouble())));
	}

	private Duration untilNextClaim() {
		Duration wait = Duration.ofNanos(Math.max(0, this.nextClaim - System.nanoTime()));
		return (wait.compareTo(this.options.pollTimeout()) < 0) ? wait : this.options.pollTimeout();
	}

	private void read(StreamReader reader, int room, Duration block) {
		try {
			if (this.claimsAsItReads && this.leases.areCurrent()) {
				this.limiter.beginScan();
				limitSweep(reader.claimAndReadNew(room, block, this.options.minIdle(), this::takeClaimedAndNew));
				this.limiter.endScan();
			}
			else {
				limitSweep(reader.readNew(room, block, (batch) -> this.intake.takeEarly(batch.entries())));
			}
		}
		finally {
			this.intake.startWorkers();
		}
	}

	private void limitSweep(EntryBatch read) {
		if (this.sweepEnd == null && !this.claimCursor.equals(EntryId.ZERO) && !read.entries().isEmpty()) {
			StreamEntry last = read.entries().get(read.entries().size() - 1);
			this.sweepEnd = (last.deliveryCount() == 1) ? last.id() : null;
		}
	}

	private void takeClaimedAndNew(EntryBatch batch) {
		int taken = this.intake.takeEarly(batch.entries());
		long fresh = batch.entries().stream().filter((entry) -> entry.deliveryCount() == 1).count();
		this.counters.claimed.add(Math.max(0, taken - fresh));
	}

	private void backOff(Throwable symptom) {
		this.connected = false;
		this.firstAttempt.complete(null);
		if (!this.stopped) {
			Duration delay = this.reading.failed(this.group.explain(symptom));
			this.reporter.lookAtState();
			awaitStopped(delay);
		}
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
				this.lastPoll = Instant.now();
				this.idle.begin();
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
	 * Whether there is a connection to read with.
	 */
	boolean isConnected() {
		return this.connected;
	}

	/**
	 * What keeps the poller from reading, if anything does. Nothing does once it has
	 * connected, though it may have to wait for room before it reads.
	 */
	@Nullable RedisFault fault() {
		return this.connected ? null : this.reading.fault();
	}

	/**
	 * The same in words.
	 */
	@Nullable Problem problem() {
		return this.connected ? null : this.reading.problem();
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
