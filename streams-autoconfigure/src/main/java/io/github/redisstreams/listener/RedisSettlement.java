package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.redisstreams.listener.failure.Outcome;
import io.github.redisstreams.redis.TaskState;

/**
 * The one place where outcomes become effects.
 */
final class RedisSettlement implements Settlement {

	private final ListenerOptions options;

	private final InFlightLimiter limiter;

	private final AckBatcher acks;

	private final RetryQueue retries;

	private final DeadLetterWriter deadLetters;

	private final TaskNotes tasks;

	private final ScheduledExecutorService timer;

	RedisSettlement(ListenerOptions options, InFlightLimiter limiter, AckBatcher acks, RetryQueue retries,
			DeadLetterWriter deadLetters, TaskNotes tasks, ScheduledExecutorService timer) {
		this.options = options;
		this.limiter = limiter;
		this.acks = acks;
		this.retries = retries;
		this.deadLetters = deadLetters;
		this.tasks = tasks;
		this.timer = timer;
	}

	@Override
	public void settle(Delivery delivery, Outcome outcome) {
		Lease lease = delivery.lease();
		if (outcome instanceof Outcome.Ack) {
			lease.settling();
			this.acks.add(lease.id(),
					delivery.task((delivery.failure() == null) ? TaskState.COMPLETED : TaskState.FAILED));
		}
		else if (lease.isLost()) {
			delivery.becomes(new Outcome.Leave());
			this.limiter.release(List.of(lease.id()));
		}
		else if (outcome instanceof Outcome.Retry retry) {
			retry(delivery, retry.delay());
		}
		else if (outcome instanceof Outcome.DeadLetter deadLetter) {
			deadLetter(delivery, deadLetter.reason());
		}
		else {
			leave(delivery);
		}
	}

	private void retry(Delivery delivery, Duration delay) {
		if (delivery.lease().isBodyGone()) {
			deadLetter(delivery, "failed, and was trimmed or deleted meanwhile so that it cannot be delivered again");
		}
		else if (isLastDelivery(delivery)) {
			deadLetter(delivery, "to be delivered again after delivery " + delivery.entry().deliveryCount()
					+ ", but max-deliveries is " + this.options.maxDeliveries());
		}
		else {
			deliverAgain(delivery, delay, delivery.isCharged());
		}
	}

	private boolean isLastDelivery(Delivery delivery) {
		return this.options.deadLetter().enabled() && delivery.isCharged()
				&& delivery.entry().deliveryCount() >= this.options.maxDeliveries();
	}

	private void deadLetter(Delivery delivery, String reason) {
		if (this.options.deadLetter().enabled()) {
			delivery.becomes(new Outcome.DeadLetter(reason));
			this.deadLetters.write(delivery, new DeadLetterCase(reason, delivery.failure()));
		}
		else {
			deliverAgain(delivery, this.options.retry().maxInterval(), true);
		}
	}

	private void deliverAgain(Delivery delivery, Duration delay, boolean counted) {
		delivery.becomes(new Outcome.Retry(delay));
		this.tasks.queuedAgain(delivery);
		this.retries.add(delivery, delay, counted);
	}

	private void leave(Delivery delivery) {
		Lease lease = delivery.lease();
		long kept = lease.keptUntil() - System.nanoTime();
		if (kept > 0 && this.limiter.setAside(lease)) {
			this.timer.schedule(delivery::leaveUnlessDecided, kept, TimeUnit.NANOSECONDS);
		}
		else {
			// Without a failure its handler may still be at it somewhere
			if (delivery.failure() != null) {
				this.tasks.queuedAgain(delivery);
			}
			this.limiter.leave(lease.id());
		}
	}

}
