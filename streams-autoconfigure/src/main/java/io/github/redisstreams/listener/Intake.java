package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.HandBack;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamEntry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Takes in what Redis has delivered to this container, each entry once.
 * <p>
 * An entry on its last delivery is handled alone. One of several that are being handled
 * when a process dies may have killed it, and the others must not end among the dead
 * letters with it.
 */
final class Intake {

	private static final Log logger = LogFactory.getLog(Intake.class);

	/** How long an entry on its last delivery has to kill the process. */
	private static final Duration SOLITUDE = Duration.ofSeconds(2);

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final InFlightLimiter limiter;

	private final ContainerCounters counters;

	private final Settlement settlement;

	private final Consumer<List<Delivery>> sink;

	/**
	 * Create a new intake.
	 * @param settlement carries out what is decided about entries
	 * @param sink has entries handled
	 */
	Intake(ListenerOptions options, StreamCommands commands, InFlightLimiter limiter, ContainerCounters counters,
			Settlement settlement, Consumer<List<Delivery>> sink) {
		this.options = options;
		this.commands = commands;
		this.limiter = limiter;
		this.counters = counters;
		this.settlement = settlement;
		this.sink = sink;
	}

	/**
	 * Have entries handled, but for those that are here already.
	 * @return how many are to be handled
	 */
	int take(List<StreamEntry> entries) throws InterruptedException {
		StreamEntry last = lastDelivery(entries);
		if (last == null) {
			return hold(entries);
		}
		handBack(entries.stream().filter((entry) -> entry != last).toList());
		awaitSolitude();
		int taken = hold(List.of(last));
		awaitSolitude();
		return taken;
	}

	private @Nullable StreamEntry lastDelivery(List<StreamEntry> entries) {
		for (StreamEntry entry : entries) {
			if (isLast(entry.deliveryCount())) {
				return entry;
			}
		}
		return null;
	}

	/**
	 * Whether an entry with a delivery count will not be delivered again.
	 */
	boolean isLast(long deliveryCount) {
		return deliveryCount > 1 && deliveryCount == this.options.maxDeliveries()
				&& this.options.deadLetter().enabled();
	}

	/**
	 * Wait until no handler runs, but not for ever.
	 */
	void awaitSolitude() throws InterruptedException {
		this.limiter.awaitIdle(SOLITUDE);
	}

	private int hold(List<StreamEntry> entries) {
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

	private void handBack(List<StreamEntry> entries) {
		List<HandBack> unseen = entries.stream()
			.filter((entry) -> this.limiter.leaseOf(entry.id()) == null)
			.map((entry) -> new HandBack(entry.id(), this.options.minIdle(), entry.deliveryCount() - 1))
			.toList();
		if (!unseen.isEmpty()) {
			this.commands.handBack(this.options.streamConsumer(), unseen).whenComplete((count, failure) -> {
				if (failure != null) {
					logger.debug(unseen.size() + " entries could not be handed back and wait for min-idle: "
							+ RedisFault.explain(failure));
				}
			});
		}
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
