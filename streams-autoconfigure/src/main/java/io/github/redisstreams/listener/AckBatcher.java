package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.TaskAttempt;
import io.github.redisstreams.support.RedisWork;
import io.github.redisstreams.support.RedisWork.Problem;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Acknowledges entries many at a time: when there are enough, when a few milliseconds
 * have passed, and when the workers run dry. What Redis refuses is sent again until it
 * gets through; until then the entries count as held here, so that nobody handles them
 * again and the reading slows down by itself.
 */
final class AckBatcher {

	private static final Log logger = LogFactory.getLog(AckBatcher.class);

	private static final int MOST_AT_ONCE = 100;

	private static final Duration LONGEST_WAIT = Duration.ofMillis(5);

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

	private final StreamCommands commands;

	private final ListenerOptions options;

	private final InFlightLimiter limiter;

	private final ContainerCounters counters;

	private final ScheduledExecutorService timer;

	/** More than the limiter lets wait would never come together. */
	private final int enough;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition allSent = this.lock.newCondition();

	private List<EntryId> waiting = new ArrayList<>();

	/** What those that are tasks are to be noted as. */
	private final Map<EntryId, TaskAttempt> tasks = new ConcurrentHashMap<>();

	private int beingSent;

	private volatile long lastSent = System.nanoTime() - SHORTEST_PAUSE.toNanos();

	private boolean flushRequested;

	private boolean timerSet;

	private boolean retrySet;

	private boolean closed;

	/** While this fails, nothing is sent but the retries. */
	private final RedisWork sending;

	AckBatcher(StreamCommands commands, ListenerOptions options, InFlightLimiter limiter, ContainerCounters counters,
			ScheduledExecutorService timer) {
		this.commands = commands;
		this.options = options;
		this.limiter = limiter;
		this.counters = counters;
		this.timer = timer;
		this.enough = Math.min(MOST_AT_ONCE, options.batchSize());
		String subject = "Acknowledgements on stream '" + options.stream() + "' (group '" + options.group() + "')";
		this.sending = RedisWork.goingWell(subject + " get through", subject + " do not get through");
	}

	/**
	 * Acknowledge an entry soon. Does not block, so handlers may call it from any thread.
	 * @param task the task that it is, {@code null} if it is none
	 */
	void add(EntryId id, @Nullable TaskAttempt task) {
		boolean late;
		this.lock.lock();
		try {
			if (task != null) {
				this.tasks.put(id, task);
			}
			this.waiting.add(id);
			late = this.closed;
			if (!late) {
				requestFlush();
			}
		}
		finally {
			this.lock.unlock();
		}
		if (late) {
			flush();
		}
	}

	private void requestFlush() {
		if (!this.sending.isWell()) {
			return;
		}
		if (this.waiting.size() >= this.enough) {
			if (!this.flushRequested) {
				this.flushRequested = true;
				this.timer.execute(this::flush);
			}
		}
		else if (!this.timerSet) {
			this.timerSet = true;
			this.timer.schedule(this::timeIsUp, LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private void timeIsUp() {
		this.lock.lock();
		try {
			this.timerSet = false;
		}
		finally {
			this.lock.unlock();
		}
		flush();
	}

	/**
	 * The workers have run dry: send what waits, unless something was sent just now. Then
	 * they may run dry after every few entries, and it is sent when its time is up.
	 */
	void ranDry() {
		if (System.nanoTime() - this.lastSent > SHORTEST_PAUSE.toNanos()) {
			flush();
		}
	}

	/**
	 * Send what waits, without waiting for the reply. Does nothing while Redis refuses:
	 * there is a time for the next attempt then.
	 */
	void flush() {
		flush(false);
	}

	private void flush(boolean evenIfRefused) {
		List<EntryId> ids;
		this.lock.lock();
		try {
			this.flushRequested = false;
			if (this.waiting.isEmpty() || (!this.sending.isWell() && !evenIfRefused && !this.closed)) {
				return;
			}
			ids = this.waiting;
			this.waiting = new ArrayList<>();
			this.beingSent += ids.size();
			this.lastSent = System.nanoTime();
		}
		finally {
			this.lock.unlock();
		}
		acknowledge(ids).whenComplete((count, failure) -> {
			if (failure != null) {
				refused(ids, failure);
			}
			else {
				sent(ids);
			}
		});
	}

	private CompletionStage<Long> acknowledge(List<EntryId> ids) {
		try {
			List<TaskAttempt> tasks = this.tasks.isEmpty() ? List.of()
					: ids.stream().map(this.tasks::get).filter(Objects::nonNull).toList();
			if (tasks.isEmpty()) {
				return acknowledgePlain(ids);
			}
			CompletionStage<Long> finished = this.commands.tasks()
				.finish(this.options.streamConsumer(), tasks, this.options.onSuccess() == OnSuccess.DELETE);
			if (tasks.size() == ids.size()) {
				return finished;
			}
			List<EntryId> plain = ids.stream().filter((id) -> !this.tasks.containsKey(id)).toList();
			return acknowledgePlain(plain).thenCombine(finished, Long::sum);
		}
		// Whatever it is, the ids must not get lost
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletionStage<Long> acknowledgePlain(List<EntryId> ids) {
		String stream = this.options.stream();
		String group = this.options.group();
		return (this.options.onSuccess() == OnSuccess.DELETE) ? this.commands.acknowledgeAndDelete(stream, group, ids)
				: this.commands.acknowledge(stream, group, ids);
	}

	private void sent(List<EntryId> ids) {
		if (!this.tasks.isEmpty()) {
			ids.forEach(this.tasks::remove);
		}
		this.counters.acknowledged.add(ids.size());
		this.limiter.release(ids);
		this.lock.lock();
		try {
			this.beingSent -= ids.size();
			if (!this.sending.isWell()) {
				this.sending.succeeded();
				if (!this.closed) {
					// Not here, on a thread of the connection that it may have to
					// establish
					this.timer.execute(this::flush);
				}
			}
			this.allSent.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void refused(List<EntryId> ids, Throwable failure) {
		this.lock.lock();
		try {
			this.beingSent -= ids.size();
			if (!this.closed) {
				this.waiting.addAll(0, ids);
				setRetry(this.sending.failed(failure));
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void setRetry(Duration delay) {
		if (!this.retrySet) {
			this.retrySet = true;
			this.timer.schedule(this::retry, delay.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private void retry() {
		this.lock.lock();
		try {
			this.retrySet = false;
		}
		finally {
			this.lock.unlock();
		}
		flush(true);
	}

	/**
	 * Send everything, wait until Redis has confirmed it, and from then on send what
	 * still comes at once and only once.
	 * @param patience how long to wait
	 */
	void drain(Duration patience) throws InterruptedException {
		flush(true);
		long nanos = patience.toNanos();
		this.lock.lockInterruptibly();
		try {
			while (unconfirmed() > 0 && nanos > 0) {
				nanos = this.allSent.awaitNanos(nanos);
			}
			if (unconfirmed() > 0) {
				logger.warn(unconfirmed() + " acknowledgements on stream '" + this.options.stream() + "' (group '"
						+ this.options.group() + "') could not be sent before the stop; "
						+ "these entries will be delivered again");
			}
		}
		finally {
			this.closed = true;
			this.lock.unlock();
		}
	}

	/**
	 * What stands in the way, if anything does.
	 */
	@Nullable Problem problem() {
		return this.sending.problem();
	}

	private int unconfirmed() {
		return this.waiting.size() + this.beingSent;
	}

}
