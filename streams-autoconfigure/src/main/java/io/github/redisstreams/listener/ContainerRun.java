package io.github.redisstreams.listener;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redisstreams.listener.RetryQueue.Redelivered;
import io.github.redisstreams.redis.HandBack;
import io.github.redisstreams.redis.RedisFault;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.RedisWork.Problem;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What a container consists of from one start to the next stop: puts the parts together
 * and takes them apart in the order that loses nothing.
 */
final class ContainerRun {

	private static final Log logger = LogFactory.getLog(ContainerRun.class);

	private static final Duration UNBLOCK_INTERVAL = Duration.ofMillis(20);

	private static final Duration SHORTEST_POLLER_PATIENCE = Duration.ofSeconds(1);

	private static final Duration INTERRUPTED_HANDLERS_PATIENCE = Duration.ofMillis(500);

	private static final Duration LAST_COMMANDS_TIMEOUT = Duration.ofSeconds(2);

	private final String id;

	private final ListenerOptions options;

	private final StreamCommands commands;

	private final ScheduledExecutorService timer;

	private final InFlightLimiter limiter;

	private final AckBatcher acks;

	private final FailureCircuit circuit;

	private final RetryQueue retries;

	private final DeadLetterWriter deadLetters;

	private final RedisSettlement settlement;

	private final RecordProcessor processor;

	private final WorkerPool workers;

	private final LeaseKeeper leases;

	private final ConsumerPresence presence;

	private final StreamPoller poller;

	private final Thread pollerThread;

	private volatile boolean paused;

	ContainerRun(String id, ListenerOptions options, EntryHandler handler, HandlerObserver.Calls observer,
			StreamCommands commands, ScheduledExecutorService timer, ThreadFactory workerThreads,
			ContainerCounters counters, ContainerReporter reporter) {
		this.id = id;
		this.options = options;
		this.commands = commands;
		this.timer = timer;
		this.limiter = new InFlightLimiter(this.options, handler.isBatch());
		this.acks = new AckBatcher(this.commands, this.options, this.limiter, counters, timer);
		this.circuit = new FailureCircuit(id, this.options.circuit(), counters, reporter::lookAtState);
		this.retries = new RetryQueue(this.options, this.commands, this.limiter, this.circuit, counters, timer,
				this::redelivered);
		this.deadLetters = new DeadLetterWriter(id, this.options, this.commands, this.limiter, counters, timer,
				reporter::deadLettered);
		TaskNotes tasks = new TaskNotes(this.options, this.commands, timer);
		this.settlement = new RedisSettlement(this.options, this.limiter, this.acks, this.retries, this.deadLetters,
				tasks, timer);
		this.processor = new RecordProcessor(id, this.options, handler, observer, this.limiter, this.circuit, tasks);
		this.workers = new WorkerPool(id, this.options, handler.isBatch(), this.limiter, this.processor, this.acks,
				workerThreads);
		this.leases = new LeaseKeeper(this.options, this.commands, this.limiter, this.retries, counters, timer);
		this.presence = new ConsumerPresence(id, this.options, this.commands, timer);
		this.poller = new StreamPoller(id, this.options, this.commands, this.limiter, this.leases, this.circuit,
				counters, new Intake(this.options, this.limiter, counters, this.settlement, this.workers),
				new IdleWatch(this.options.idleEventInterval(), this.limiter, reporter::idle), reporter);
		// Not a daemon: an application that does nothing but listen stays alive
		this.pollerThread = new Thread(this.poller, "streams-poller-" + id);
	}

	/**
	 * Read no more, or go on reading.
	 */
	void pause(boolean pause) {
		this.paused = pause;
		this.poller.pause(pause);
	}

	/**
	 * Completed when the group was created for the first time, or that has failed.
	 */
	CompletableFuture<Void> firstAttempt() {
		return this.poller.firstAttempt();
	}

	/**
	 * How many entries are held.
	 */
	int inFlight() {
		return this.limiter.inFlight();
	}

	void start() {
		this.leases.start();
		this.presence.start();
		this.pollerThread.start();
	}

	private void redelivered(List<Redelivered> entries) {
		List<Delivery> deliveries = new ArrayList<>(entries.size());
		for (Redelivered redelivered : entries) {
			Delivery delivery = new Delivery(this.options, redelivered.entry(), redelivered.lease(), this.settlement);
			this.limiter.resume(redelivered.lease());
			deliveries.add(delivery);
		}
		this.workers.submit(deliveries);
		this.workers.start();
	}

	ContainerStatus status() {
		List<Problem> problems = Stream
			.of(this.poller.problem(), this.acks.problem(), this.deadLetters.problem(), this.retries.problem(),
					this.leases.problem())
			.filter(Objects::nonNull)
			.toList();
		String lastError = problems.isEmpty() ? null : problems.get(0).text();
		Instant failingSince = problems.stream().map(Problem::since).min(Comparator.naturalOrder()).orElse(null);
		return new ContainerStatus(state(), this.poller.lastPoll(), lastError, this.presence.isShared(), failingSince);
	}

	ContainerState state() {
		if (this.paused) {
			return ContainerState.PAUSED;
		}
		RedisFault fault = this.poller.fault();
		if (fault != null) {
			return switch (fault) {
				case GROUP_MISSING -> ContainerState.RECREATING;
				case WRONG_TYPE -> ContainerState.FAILED;
				default -> ContainerState.BACKING_OFF;
			};
		}
		if (!this.circuit.isClosed()) {
			return ContainerState.SUSPENDED;
		}
		return (this.poller.lastPoll() != null) ? ContainerState.POLLING : ContainerState.STARTING;
	}

	void stop() {
		long deadline = System.nanoTime() + this.options.shutdownTimeout().toNanos();
		try {
			stopPoller(deadline);
			this.retries.stop();
			this.workers.close();
			if (!this.workers.awaitTermination(Duration.ofNanos(deadline - System.nanoTime()))) {
				logger.warn("Handlers of listener '" + id + "' still run after shutdown-timeout; they are interrupted");
				this.processor.abandon();
				this.workers.interrupt();
				this.workers.awaitTermination(INTERRUPTED_HANDLERS_PATIENCE);
			}
			settleAll(System.nanoTime() + LAST_COMMANDS_TIMEOUT.toNanos());
		}
		catch (InterruptedException ex) {
			this.processor.abandon();
			this.workers.interrupt();
			Thread.currentThread().interrupt();
		}
		finally {
			this.leases.stop();
			this.presence.stop();
		}
		logger.info("Listener '" + id + "' has stopped");
	}

	private void stopPoller(long deadline) throws InterruptedException {
		long shortest = System.nanoTime() + SHORTEST_POLLER_PATIENCE.toNanos();
		long patience = Math.max(deadline, shortest);
		this.poller.stop();
		this.pollerThread.join(UNBLOCK_INTERVAL.toMillis());
		while (this.pollerThread.isAlive()) {
			this.poller.endBlockingRead();
			// Where it tries to connect there is no read to wait for
			if (System.nanoTime() - (this.poller.isConnected() ? patience : shortest) > 0) {
				this.pollerThread.interrupt();
			}
			this.pollerThread.join(UNBLOCK_INTERVAL.toMillis());
		}
	}

	private void settleAll(long deadline) throws InterruptedException {
		this.acks.drain(until(deadline));
		this.deadLetters.drain(until(deadline));
		this.retries.awaitAnswer(until(deadline));
		List<HandBack> handBacks = new ArrayList<>(this.retries.close());
		handBacks.addAll(this.deadLetters.close());
		// Whoever claims an entry raises its count, so that of one never started is
		// lowered
		this.workers.unstarted()
			.stream()
			.map(Delivery::entry)
			.map((entry) -> new HandBack(entry.id(), this.options.minIdle(), entry.deliveryCount() - 1))
			.forEach(handBacks::add);
		if (!handBacks.isEmpty()) {
			attempt("hand back " + handBacks.size() + " entries",
					() -> this.commands.handBack(this.options.streamConsumer(), handBacks), deadline);
			this.limiter.release(handBacks.stream().map(HandBack::id).toList());
		}
		else if (this.limiter.inFlight() == 0) {
			attempt("leave the group", () -> this.commands.removeConsumer(this.options.streamConsumer()), deadline);
		}
	}

	// Without these, others wait for min-idle, and the consumer's name stays. On another
	// thread, since they may have to connect
	private <T> void attempt(String what, Supplier<CompletionStage<T>> command, long deadline)
			throws InterruptedException {
		try {
			CompletableFuture.supplyAsync(command, this.timer)
				.thenCompose(Function.identity())
				.get(until(deadline).toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.info("Listener '" + this.id + "' could not " + what + ": " + RedisFault.explain(ex));
		}
	}

	private static Duration until(long deadline) {
		return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
	}

}
