package io.github.redisstreams.listener;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.LeaseRenewal;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.RedisWork;
import io.github.redisstreams.support.RedisWork.Problem;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Keeps entries from being claimed by others while they are held here: three times per
 * {@code min-idle} it has whatever has been here for a while count as just delivered, but
 * only where this consumer still holds it.
 */
final class LeaseKeeper {

	private static final Log logger = LogFactory.getLog(LeaseKeeper.class);

	private static final int MOST_AT_ONCE = 100;

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final InFlightLimiter limiter;

	private final RetryQueue retries;

	private final ContainerCounters counters;

	private final ScheduledExecutorService timer;

	private final long minIdleNanos;

	private final long intervalNanos;

	private final RedisWork renewing;

	private @Nullable ScheduledFuture<?> ticks;

	private volatile long renewedAt = System.nanoTime();

	private boolean running;

	private boolean underWay;

	private volatile boolean claiming;

	LeaseKeeper(ListenerOptions options, StreamCommands commands, InFlightLimiter limiter, RetryQueue retries,
			ContainerCounters counters, ScheduledExecutorService timer) {
		this.options = options;
		this.commands = commands;
		this.limiter = limiter;
		this.retries = retries;
		this.counters = counters;
		this.timer = timer;
		this.minIdleNanos = options.minIdle().toNanos();
		this.intervalNanos = Math.max(TimeUnit.MILLISECONDS.toNanos(1), this.minIdleNanos / 3);
		String subject = "Leases on stream '" + options.stream() + "' (group '" + options.group() + "')";
		this.renewing = RedisWork.goingWell(subject + " are renewed", subject + " cannot be renewed");
	}

	synchronized void start() {
		this.running = true;
		this.ticks = this.timer.scheduleWithFixedDelay(this::renew, this.intervalNanos, this.intervalNanos,
				TimeUnit.NANOSECONDS);
	}

	synchronized void stop() {
		this.running = false;
		if (this.ticks != null) {
			this.ticks.cancel(false);
		}
	}

	/**
	 * Whether nothing that is held here can look abandoned. If not, as after the whole
	 * process stood still, a claim would take from this consumer itself.
	 */
	boolean areCurrent() {
		return System.nanoTime() - this.renewedAt < this.minIdleNanos / 3 * 2;
	}

	/**
	 * To be called around a claim, which takes entries that are gone off the pending
	 * list: until its reply is taken in, that an entry is not there means nothing.
	 */
	void claiming(boolean claiming) {
		this.claiming = claiming;
	}

	private void renew() {
		// The timer would drop a task that throws
		try {
			synchronized (this) {
				if (this.underWay || !this.running) {
					return;
				}
				this.underWay = true;
			}
			long start = System.nanoTime();
			List<Lease> due = this.limiter.leases()
				.stream()
				.filter((lease) -> !lease.isLost() && !lease.isBodyGone()
						&& start - lease.renewedAt() > this.intervalNanos / 2)
				.toList();
			CompletableFuture<?>[] renewals = IntStream
				.iterate(0, (from) -> from < due.size(), (from) -> from + MOST_AT_ONCE)
				.mapToObj((from) -> send(due.subList(from, Math.min(from + MOST_AT_ONCE, due.size())), start))
				.toArray(CompletableFuture[]::new);
			CompletableFuture.allOf(renewals).whenComplete((none, failure) -> done(start, failure));
		}
		catch (RuntimeException | Error ex) {
			done(System.nanoTime(), ex);
		}
	}

	private synchronized void done(long start, @Nullable Throwable failure) {
		this.underWay = false;
		if (failure == null) {
			this.renewing.succeeded();
			this.renewedAt = start;
		}
		else {
			long delay = this.renewing.failed(failure).toNanos();
			if (delay < this.intervalNanos) {
				this.timer.schedule(this::renew, delay, TimeUnit.NANOSECONDS);
			}
		}
	}

	private CompletableFuture<Void> send(List<Lease> leases, long start) {
		List<EntryId> ids = leases.stream().map(Lease::id).toList();
		return this.commands.renewLeases(this.options.streamConsumer(), ids)
			.thenAccept((renewal) -> leases.forEach((lease) -> renewed(lease, renewal, start)))
			.toCompletableFuture();
	}

	private void renewed(Lease lease, LeaseRenewal renewal, long start) {
		EntryId id = lease.id();
		// The own claim may have just cleared it, and its reply not been taken in. If it
		// has not, the next renewal tells
		if ((renewal.lost().contains(id) || renewal.vanished().contains(id)) && (this.claiming || lease.isBodyGone())) {
			return;
		}
		// Where others delete what they have settled, that is what has happened to it
		boolean settledElsewhere = this.options.onSuccess() == OnSuccess.DELETE && renewal.vanished().contains(id);
		if (renewal.lost().contains(id) || settledElsewhere) {
			lost(lease);
		}
		else if (renewal.deleted().contains(id) || renewal.vanished().contains(id)) {
			bodyIsGone(lease);
		}
		else {
			lease.renewed(start);
		}
	}

	private void bodyIsGone(Lease lease) {
		lease.bodyIsGone();
		if (!isSettled(lease)) {
			TrimmedEntries.cleared(this.options, this.counters, List.of(lease.id()));
		}
	}

	private boolean isSettled(Lease lease) {
		return lease.isSettling() || this.limiter.leaseOf(lease.id()) != lease;
	}

	private void lost(Lease lease) {
		if (isSettled(lease)) {
			return;
		}
		lease.lose();
		this.counters.leasesLost.increment();
		logger.warn("Entry " + lease.id() + " of stream '" + this.options.stream() + "' (group '" + this.options.group()
				+ "') is no longer held by consumer '" + this.options.consumer()
				+ "': it was acknowledged or claimed elsewhere. It is not retried here");
		if (this.retries.forget(lease.id())) {
			this.limiter.release(List.of(lease.id()));
		}
	}

	/**
	 * What stands in the way, if anything does.
	 */
	@Nullable Problem problem() {
		return (this.limiter.inFlight() > 0) ? this.renewing.problem() : null;
	}

}
