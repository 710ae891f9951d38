package io.github.redisstreams.listener;

import java.util.ArrayList;
import java.util.List;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;

/**
 * Takes in what Redis has delivered to this container, each entry once.
 */
final class Intake {

	private final ListenerOptions options;

	private final InFlightLimiter limiter;

	private final ContainerCounters counters;

	private final Settlement settlement;

	private final WorkerPool workers;

	/**
	 * Create a new intake.
	 * @param settlement carries out what is decided about entries
	 * @param workers has entries handled
	 */
	Intake(ListenerOptions options, InFlightLimiter limiter, ContainerCounters counters, Settlement settlement,
			WorkerPool workers) {
		this.options = options;
		this.limiter = limiter;
		this.counters = counters;
		this.settlement = settlement;
		this.workers = workers;
	}

	/**
	 * Have entries handled, but for those that are here already.
	 * @return how many are to be handled
	 */
	int take(List<StreamEntry> entries) {
		int taken = takeEarly(entries);
		startWorkers();
		return taken;
	}

	/**
	 * The same on a thread that others wait for. Only workers that are there already
	 * begin at once; {@link #startWorkers()} is to be called on another thread.
	 */
	int takeEarly(List<StreamEntry> entries) {
		List<Delivery> deliveries = new ArrayList<>(entries.size());
		try {
			for (StreamEntry entry : entries) {
				Lease lease = this.limiter.hold(entry.id());
				if (lease != null) {
					deliveries.add(new Delivery(this.options, entry, lease, this.settlement));
				}
			}
		}
		// Nobody would handle them, and nobody else could claim them
		catch (RuntimeException | Error ex) {
			this.limiter.unstarted(deliveries.size());
			this.limiter.release(deliveries.stream().map((delivery) -> delivery.entry().id()).toList());
			throw ex;
		}
		if (!deliveries.isEmpty()) {
			this.workers.submit(deliveries);
		}
		return deliveries.size();
	}

	/**
	 * Start as many workers as what was taken in is worth.
	 */
	void startWorkers() {
		this.workers.start();
	}

	/**
	 * Note that entries were trimmed or deleted while pending, and are so no longer.
	 */
	void cleared(List<EntryId> deleted) {
		TrimmedEntries.cleared(this.options, this.counters, deleted);
		for (EntryId id : deleted) {
			Lease lease = this.limiter.leaseOf(id);
			if (lease != null) {
				lease.bodyIsGone();
			}
		}
	}

}
