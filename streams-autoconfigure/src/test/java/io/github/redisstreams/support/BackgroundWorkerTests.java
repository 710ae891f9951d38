package io.github.redisstreams.support;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class BackgroundWorkerTests {

	private final List<Thread> runs = new CopyOnWriteArrayList<>();

	private final CountDownLatch interrupted = new CountDownLatch(1);

	private BackgroundWorker worker = worker((executor) -> {
	});

	@AfterEach
	void stop() {
		this.worker.stop();
	}

	private static BackgroundWorker worker(Consumer<ScheduledExecutorService> schedule) {
		return new BackgroundWorker("worker-under-test-", 7) {

			@Override
			protected void schedule(ScheduledExecutorService executor) {
				schedule.accept(executor);
			}

		};
	}

	private void note() {
		this.runs.add(Thread.currentThread());
	}

	private void noteAndGoOn(ScheduledExecutorService executor) {
		note();
		executor.schedule(() -> noteAndGoOn(executor), this.runs.size(), TimeUnit.MILLISECONDS);
	}

	private void blockUntilInterrupted() {
		note();
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			this.interrupted.countDown();
		}
	}

	@Test
	void runsTasksThatScheduleThemselvesUntilItIsStopped() throws Exception {
		this.worker = worker((executor) -> executor.execute(() -> noteAndGoOn(executor)));
		this.worker.start();
		await().until(() -> this.runs.size() > 5);
		this.worker.stop();
		Thread thread = this.runs.get(0);
		thread.join(10_000);
		assertThat(thread.isAlive()).isFalse();
		assertThat(thread.isDaemon()).isTrue();
		assertThat(this.runs).containsOnly(thread);
		assertThat(thread.getName()).startsWith("worker-under-test-");
	}

	@Test
	void schedulesAnewWithEveryStartAfterAStop() {
		this.worker = worker((executor) -> executor.execute(this::note));
		this.worker.start();
		this.worker.start();
		await().until(() -> this.runs.size() == 1);
		this.worker.stop();
		this.worker.start();
		await().until(() -> this.runs.size() == 2);
		assertThat(this.runs.get(1)).isNotSameAs(this.runs.get(0));
	}

	@Test
	void interruptsWhatRunsAtAStop() throws Exception {
		this.worker = worker((executor) -> executor.execute(this::blockUntilInterrupted));
		this.worker.start();
		await().until(() -> this.runs.size() == 1);
		this.worker.stop();
		assertThat(this.interrupted.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.worker.isRunning()).isFalse();
	}

	@Test
	void isRunningWhenItsThreadHasEnded() throws Exception {
		this.worker = worker((executor) -> executor.scheduleWithFixedDelay(() -> {
			note();
			executor.shutdown();
		}, 0, 1, TimeUnit.MILLISECONDS));
		this.worker.start();
		await().until(() -> !this.runs.isEmpty());
		this.runs.get(0).join(10_000);
		assertThat(this.runs).singleElement().satisfies((thread) -> assertThat(thread.isAlive()).isFalse());
		assertThat(this.worker.isRunning()).isTrue();
		this.worker.stop();
		assertThat(this.worker.isRunning()).isFalse();
	}

	@Test
	void isOfThePhaseThatItWasGiven() {
		assertThat(this.worker.getPhase()).isEqualTo(7);
	}

}
