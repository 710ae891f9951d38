package io.github.redisstreams.event;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redisstreams.listener.ContainerEvents;
import io.github.redisstreams.listener.ContainerState;
import io.github.redisstreams.listener.DeadLetteredEntry;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StopReason;
import io.github.redisstreams.listener.StreamListenerContainer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Publishes a {@link StreamListenerEvent} for whatever happens to listeners. On one
 * thread of its own, which exists only while there is something to publish: those that
 * read and handle never wait for who listens to the events.
 * <p>
 * {@value #CAPACITY} events may wait. What comes while that many do is dropped, counted
 * and logged. A stop waits a moment for those that wait.
 */
public class ListenerEventPublisher implements ContainerEvents, SmartLifecycle, DisposableBean {

	private static final Log logger = LogFactory.getLog(ListenerEventPublisher.class);

	static final int CAPACITY = 1000;

	private static final Duration LONGEST_STOP = Duration.ofSeconds(2);

	private final ApplicationEventPublisher publisher;

	private final int phase;

	private final ThreadPoolExecutor executor;

	private final AtomicLong dropped = new AtomicLong();

	private volatile @Nullable Thread publishing;

	private volatile boolean running;

	/**
	 * Create a new publisher.
	 * @param publisher publishes the events
	 * @param phase when to stop: after the listeners, and before those who want to know
	 * that they have stopped
	 */
	public ListenerEventPublisher(ApplicationEventPublisher publisher, int phase) {
		this.publisher = publisher;
		this.phase = phase;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("streams-events-");
		threads.setDaemon(true);
		this.executor = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new ArrayBlockingQueue<>(CAPACITY), threads);
		this.executor.allowCoreThreadTimeOut(true);
	}

	@Override
	public void started(StreamListenerContainer container) {
		ListenerOptions options = container.getOptions();
		publish(new ListenerStartedEvent(container.getId(), options.stream(), options.group(), Instant.now()));
	}

	@Override
	public void stopped(StreamListenerContainer container, StopReason reason) {
		ListenerOptions options = container.getOptions();
		publish(new ListenerStoppedEvent(container.getId(), options.stream(), options.group(), Instant.now(), reason));
	}

	@Override
	public void stateChanged(StreamListenerContainer container, ContainerState from, ContainerState to) {
		ListenerOptions options = container.getOptions();
		publish(new ListenerStateChangedEvent(container.getId(), options.stream(), options.group(), Instant.now(), from,
				to));
	}

	@Override
	public void deadLettered(StreamListenerContainer container, DeadLetteredEntry entry) {
		ListenerOptions options = container.getOptions();
		publish(new EntryDeadLetteredEvent(container.getId(), options.stream(), options.group(), Instant.now(),
				entry.id().toRecordId(), entry.deliveryCount(), entry.deadLetterStream(),
				entry.deadLetterId().toRecordId(), entry.reason(), entry.exception()));
	}

	@Override
	public void idle(StreamListenerContainer container, Duration idleFor) {
		ListenerOptions options = container.getOptions();
		publish(new ListenerIdleEvent(container.getId(), options.stream(), options.group(), Instant.now(), idleFor));
	}

	private void publish(StreamListenerEvent event) {
		try {
			this.executor.execute(() -> publishNow(event));
		}
		catch (RejectedExecutionException ex) {
			if (this.dropped.getAndIncrement() == 0 && !this.executor.isShutdown()) {
				logger.warn("Events of listeners are dropped, since " + CAPACITY
						+ " wait for those who listen to them, the first of these being " + event);
			}
		}
	}

	private void publishNow(StreamListenerEvent event) {
		if (this.dropped.get() > 0 && this.executor.getQueue().size() < CAPACITY / 2) {
			logger.warn(this.dropped.getAndSet(0) + " events of listeners were dropped, and now none are any more");
		}
		this.publishing = Thread.currentThread();
		try {
			this.publisher.publishEvent(event);
		}
		// Errors too: the others want to be published all the same
		catch (Throwable ex) {
			logger.error("An event listener failed on " + event, ex);
		}
		finally {
			this.publishing = null;
		}
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		if (Thread.currentThread() == this.publishing) {
			// Whoever listens has stopped the application, and it cannot wait for itself
			return;
		}
		try {
			// In order, so when this is its turn there is nothing left that came before
			this.executor.submit(() -> {
			}).get(LONGEST_STOP.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (TimeoutException | RejectedExecutionException | ExecutionException ex) {
			logger.warn("Events of listeners are not published before the stop, since who listens to them takes long");
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

	@Override
	public void destroy() {
		this.executor.shutdownNow();
	}

}
