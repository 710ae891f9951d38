package io.github.redisstreams.listener;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

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

	private final Consumer<List<Delivery>> sink;

	/**
	 * Create a new intake.
	 * @param settlement carries out what is decided about entries
	 * @param sink has entries handled
	 */
	Intake(ListenerOptions options, InFlightLimiter limiter, ContainerCounters counters, Settlement settlement,
			Consumer<List<Delivery>> sink) {
		this.options = options;
		this.limiter = limiter;
		this.counters = counters;
		this.settlement = settlement;
		this.sink = sink;
	}

	/**
	 * Have entries handled, but for those that are here already.
	 * @return how many are to be handled
	 */
	int take(List<StreamEntry> entries) {
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
