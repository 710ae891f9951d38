package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.PendingEntry;
import io.github.redisstreams.redis.Redelivery;
import io.github.redisstreams.redis.StreamCommands;

import org.springframework.dao.DataAccessException;

/**
 * What is pending under the own consumer name and not held here: left by a lost reply, or
 * by an earlier life of this consumer. Delivered once more, which counts in the latter
 * case only: a reply that was lost has started no handler.
 */
final class OwnPending {

	private static final int PAGE_SIZE = 100;

	/**
	 * How long an entry on its last delivery is left alone, should it kill the process.
	 */
	private static final Duration SOLITUDE = Duration.ofSeconds(2);

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final InFlightLimiter limiter;

	private final ContainerCounters counters;

	private final Intake intake;

	private EntryId after = EntryId.ZERO;

	private boolean more;

	private boolean seen;

	OwnPending(ListenerOptions options, StreamCommands commands, InFlightLimiter limiter, ContainerCounters counters,
			Intake intake) {
		this.options = options;
		this.commands = commands;
		this.limiter = limiter;
		this.counters = counters;
		this.intake = intake;
	}

	/**
	 * Begin with the oldest.
	 */
	void begin() {
		this.after = EntryId.ZERO;
		this.more = true;
	}

	/**
	 * Whether there may be more.
	 */
	boolean hasMore() {
		return this.more;
	}

	/**
	 * Deliver the next ones.
	 * @param room how many at most
	 */
	void redeliver(int room) throws InterruptedException {
		this.limiter.beginScan();
		List<PendingEntry> page = this.commands.pending(this.options.streamConsumer(), this.after, PAGE_SIZE);
		List<EntryId> unseen = new ArrayList<>(room);
		boolean alone = false;
		this.more = page.size() == PAGE_SIZE;
		for (PendingEntry pending : page) {
			boolean here = isHere(pending.id());
			boolean last = !here && isLastDelivery(pending);
			if (unseen.size() == room || alone || (last && !unseen.isEmpty())) {
				this.more = true;
				break;
			}
			this.after = pending.id();
			if (!here) {
				unseen.add(pending.id());
				alone = last;
			}
		}
		if (alone) {
			this.limiter.awaitIdle(SOLITUDE);
		}
		if (!unseen.isEmpty()) {
			redeliver(unseen);
		}
		this.limiter.endScan();
		if (alone) {
			this.limiter.awaitIdle(SOLITUDE);
		}
		this.seen |= !this.more;
	}

	private boolean isHere(EntryId id) {
		return this.limiter.leaseOf(id) != null || this.limiter.wasLeft(id);
	}

	// One of several that were being handled when the process died may have killed
	// it. The others must not use up their deliveries with it
	private boolean isLastDelivery(PendingEntry pending) {
		return !this.seen && this.options.deadLetter().enabled() && pending.deliveryCount() > 0
				&& pending.deliveryCount() == this.options.maxDeliveries() - 1;
	}

	private void redeliver(List<EntryId> ids) throws InterruptedException {
		Redelivery redelivery = await(
				this.commands.redeliver(this.options.streamConsumer(), ids, !this.seen).toCompletableFuture());
		this.counters.retried.add(this.intake.take(redelivery.entries()));
		this.intake.cleared(redelivery.deleted());
	}

	private static <T> T await(Future<T> reply) throws InterruptedException {
		try {
			return reply.get();
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof DataAccessException failure) ? failure : new IllegalStateException(ex);
		}
	}

}
