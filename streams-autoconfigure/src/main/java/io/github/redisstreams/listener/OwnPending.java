package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

	/** How many of them, so that new entries do not have to wait for long. */
	private static final int MOST_ALONE = 50;

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final InFlightLimiter limiter;

	private final ContainerCounters counters;

	private final Intake intake;

	private int handledAlone;

	private EntryId after = EntryId.ZERO;

	private boolean more;

	private boolean seen;

	/** How often each was then to count as delivered that Redis has been asked for. */
	private final Map<EntryId, Long> asked = new HashMap<>();

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
		Map<EntryId, Long> counts = new LinkedHashMap<>();
		boolean alone = false;
		this.more = page.size() == PAGE_SIZE;
		for (PendingEntry pending : page) {
			boolean here = isHere(pending.id());
			boolean last = !here && isToBeAlone(pending);
			if (counts.size() == room || alone || (last && !counts.isEmpty())) {
				this.more = true;
				break;
			}
			this.after = pending.id();
			if (!here) {
				counts.put(pending.id(), count(pending));
				alone = last;
			}
		}
		if (alone) {
			this.limiter.awaitIdle(SOLITUDE);
		}
		if (!counts.isEmpty()) {
			redeliver(counts);
		}
		this.limiter.endScan();
		if (alone) {
			this.handledAlone++;
			this.limiter.awaitIdle(SOLITUDE);
		}
		if (!this.more) {
			this.seen = true;
			this.asked.clear();
		}
	}

	private boolean isHere(EntryId id) {
		return this.limiter.leaseOf(id) != null || this.limiter.wasLeft(id);
	}

	// One of several that were being handled when the process died may have
	// killed it. The others must not use up their deliveries with it
	private boolean isToBeAlone(PendingEntry pending) {
		long count = count(pending);
		return count > 1 && count == this.options.maxDeliveries() && this.options.deadLetter().enabled()
				&& this.handledAlone < MOST_ALONE;
	}

	// Where the reply is lost and this is repeated, it still is one delivery
	private long count(PendingEntry pending) {
		return this.seen ? pending.deliveryCount()
				: this.asked.computeIfAbsent(pending.id(), (id) -> pending.deliveryCount() + 1);
	}

	private void redeliver(Map<EntryId, Long> counts) throws InterruptedException {
		Redelivery redelivery = await(
				this.commands.redeliver(this.options.streamConsumer(), counts).toCompletableFuture());
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
