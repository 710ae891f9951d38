package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.listener.failure.Outcome;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.redis.TaskAttempt;
import io.github.redisstreams.redis.TaskState;
import org.jspecify.annotations.Nullable;

/**
 * One entry on its way to a handler, with where it came from and the means to decide what
 * becomes of it.
 */
public final class Delivery implements Acknowledgment {

	private static final int LONGEST_ERROR = 1000;

	private final ListenerOptions listener;

	private final StreamEntry entry;

	private final Lease lease;

	private final Settlement settlement;

	private boolean done;

	private @Nullable Outcome decision;

	private volatile @Nullable Throwable failure;

	private volatile boolean charged = true;

	private volatile @Nullable Outcome effect;

	/**
	 * Create a new delivery.
	 * @param listener the options of the listener that it is for
	 * @param entry the entry
	 * @param settlement carries out what is decided
	 */
	public Delivery(ListenerOptions listener, StreamEntry entry, Settlement settlement) {
		this(listener, entry, new Lease(entry.id()), settlement);
	}

	Delivery(ListenerOptions listener, StreamEntry entry, Lease lease, Settlement settlement) {
		this.listener = listener;
		this.entry = entry;
		this.lease = lease;
		this.settlement = settlement;
	}

	/**
	 * The key of the stream that the entry was read from.
	 * @return the stream
	 */
	public String stream() {
		return this.listener.stream();
	}

	/**
	 * The group that it was read for.
	 * @return the group
	 */
	public String group() {
		return this.listener.group();
	}

	/**
	 * The consumer that holds it.
	 * @return the consumer's name
	 */
	public String consumer() {
		return this.listener.consumer();
	}

	/**
	 * The entry.
	 * @return the entry
	 */
	public StreamEntry entry() {
		return this.entry;
	}

	Lease lease() {
		return this.lease;
	}

	@Override
	public void acknowledge() {
		decide(new Outcome.Ack());
	}

	@Override
	public void retry(Duration delay) {
		decide(new Outcome.Retry(delay));
	}

	@Override
	public void reject(String reason) {
		decide(new Outcome.DeadLetter(reason));
	}

	// An acknowledgement says that the work is done; the rest has to wait for the
	// handler, or the entry would be handled twice at once
	private void decide(Outcome outcome) {
		synchronized (this) {
			if (this.decision != null) {
				return;
			}
			this.decision = outcome;
			if (!this.done && !(outcome instanceof Outcome.Ack)) {
				return;
			}
		}
		this.settlement.settle(this, outcome);
	}

	@Override
	public void extend(Duration duration) {
		this.lease.keepUntil(System.nanoTime() + TimeUnit.NANOSECONDS.convert(duration));
	}

	@Override
	public boolean isLeaseLost() {
		return this.lease.isLost();
	}

	synchronized boolean isAcknowledged() {
		return this.decision instanceof Outcome.Ack;
	}

	/**
	 * Whether the handler has decided itself.
	 */
	synchronized boolean isDecided() {
		return this.decision != null;
	}

	/**
	 * The handler is done with the entry: carry out its decision, or else the given one.
	 */
	void settle(Outcome otherwise) {
		Outcome outcome;
		synchronized (this) {
			this.done = true;
			if (this.decision instanceof Outcome.Ack) {
				return;
			}
			if (this.decision == null && otherwise instanceof Outcome.Leave) {
				leaveUnlessDecided();
				return;
			}
			outcome = (this.decision != null) ? this.decision : otherwise;
			this.decision = outcome;
		}
		this.settlement.settle(this, outcome);
	}

	/**
	 * Leave the entry, which can still be decided about later. Under the lock, so that no
	 * decision comes in between.
	 */
	synchronized void leaveUnlessDecided() {
		if (this.decision == null) {
			this.settlement.settle(this, new Outcome.Leave());
		}
	}

	/**
	 * What becomes of the entry, once its handler is done: what was decided, or what has
	 * to be done instead, such as to move it to the dead letters where it must not be
	 * delivered again. An entry that another consumer has taken over is left to it.
	 * @return the outcome, which is to leave it as long as nothing is decided
	 */
	public Outcome outcome() {
		Outcome effect = this.effect;
		if (effect != null) {
			return effect;
		}
		synchronized (this) {
			return (this.decision != null) ? this.decision : new Outcome.Leave();
		}
	}

	void becomes(Outcome effect) {
		this.effect = effect;
	}

	/**
	 * Why the handler failed on the entry.
	 * @return the failure, or {@code null} if it did not fail, or is not done
	 */
	public @Nullable Throwable failure() {
		return this.failure;
	}

	void failedWith(Throwable failure) {
		this.failure = failure;
	}

	/**
	 * Whether the next delivery counts. It does not where this one told nothing about the
	 * entry.
	 */
	boolean isCharged() {
		return this.charged;
	}

	void spare() {
		this.charged = false;
	}

	/**
	 * The task that the entry is, in a certain state.
	 * @return the task, or {@code null} if it is none
	 */
	@Nullable TaskAttempt task(TaskState state) {
		String id = this.entry.taskId();
		return (id != null)
				? new TaskAttempt(this.entry.id(), id, state, this.entry.deliveryCount(), describe(this.failure))
				: null;
	}

	// Some exceptions cannot even tell their message
	private static String describe(@Nullable Throwable failure) {
		if (failure == null) {
			return "";
		}
		try {
			String text = failure.toString();
			return (text.length() <= LONGEST_ERROR) ? text : text.substring(0, LONGEST_ERROR) + "...";
		}
		catch (RuntimeException | Error ex) {
			return failure.getClass().getName();
		}
	}

	@Override
	public String toString() {
		return "entry " + this.entry.id() + " of stream '" + stream() + "' (group '" + group() + "', attempt "
				+ this.entry.deliveryCount() + ")";
	}

}
