package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

import io.github.redisstreams.redis.EntryId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link WorkerPool}.
 */
class WorkerPoolTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final Set<EntryId> handled = ConcurrentHashMap.newKeySet();

	private @Nullable WorkerPool pool;

	private @Nullable SettlingFixture fixture;

	@AfterEach
	void close() throws InterruptedException {
		pool().close();
		pool().interrupt();
		assertThat(pool().awaitTermination(PATIENCE)).isTrue();
	}

	private WorkerPool pool() {
		return Objects.requireNonNull(this.pool);
	}

	private SettlingFixture fixture() {
		return Objects.requireNonNull(this.fixture);
	}

	private void open(int concurrency, EntryHandler handler) {
		open(SettlingFixture.options().concurrency(concurrency), false, Thread::new, handler);
	}

	private void open(ListenerOptions.Builder options, boolean batches, ThreadFactory threads, EntryHandler handler) {
		SettlingFixture fixture = new SettlingFixture(options);
		RecordProcessor processor = new RecordProcessor("id", fixture.options, (deliveries) -> {
			handler.handle(deliveries);
			deliveries.forEach((delivery) -> this.handled.add(delivery.entry().id()));
		}, (deliveries) -> HandlerObserver.Call.UNOBSERVED, fixture.limiter, fixture.circuit, fixture.notes);
		this.fixture = fixture;
		this.pool = new WorkerPool("id", fixture.options, batches, fixture.limiter, processor, fixture.acks, threads);
	}

	private void submit(long from, long to) {
		pool().submit(deliveries(from, to));
		pool().start();
	}

	private List<Delivery> deliveries(long from, long to) {
		SettlingFixture fixture = fixture();
		return LongStream.rangeClosed(from, to).mapToObj((n) -> {
			Lease lease = Objects.requireNonNull(fixture.limiter.hold(SettlingFixture.id(n)));
			return new Delivery(fixture.options, SettlingFixture.entry(n, 1), lease, fixture.settlement);
		}).toList();
	}

	@Test
	void noEntryWaitsBehindASlowOneWhileAWorkerIsIdle() {
		CountDownLatch slow = new CountDownLatch(1);
		open(2, (deliveries) -> {
			if (deliveries.get(0).entry().id().equals(SettlingFixture.id(1))) {
				slow.await();
			}
		});
		submit(1, 50);
		await().atMost(PATIENCE).until(() -> this.handled.size() == 49);
		slow.countDown();
		await().atMost(PATIENCE).until(() -> this.handled.size() == 50);
	}

	@Test
	void handlesAsManyAtOnceAsItMayAndNoMore() {
		AtomicInteger running = new AtomicInteger();
		CountDownLatch open = new CountDownLatch(1);
		open(4, (deliveries) -> {
			running.incrementAndGet();
			open.await();
			running.decrementAndGet();
		});
		submit(1, 2);
		submit(3, 10);
		await().during(Duration.ofMillis(100)).atMost(PATIENCE).until(() -> running.get() == 4);
		open.countDown();
		await().atMost(PATIENCE).until(() -> this.handled.size() == 10);
	}

	@Test
	void createsNoThreadUntilItIsToldTo() {
		AtomicInteger threads = new AtomicInteger();
		open(SettlingFixture.options().concurrency(2), false, (task) -> {
			threads.incrementAndGet();
			return new Thread(task);
		}, (deliveries) -> {
		});
		pool().submit(deliveries(1, 2));
		assertThat(threads).hasValue(0);
		pool().start();
		await().atMost(PATIENCE).until(() -> this.handled.size() == 2);
		pool().submit(deliveries(3, 4));
		await().atMost(PATIENCE).until(() -> this.handled.size() == 4);
		assertThat(threads).hasValue(2);
	}

	@Test
	void handlesWhatComesWhileItsWorkersRunDry() {
		open(1, (deliveries) -> {
		});
		for (int n = 1; n <= 20_000; n++) {
			submit(n, n);
		}
		await().atMost(PATIENCE).until(() -> this.handled.size() == 20_000);
	}

	@Test
	void givesABatchHandlerWhatCameTogetherUpToItsBatchSize() {
		List<Integer> sizes = new ArrayList<>();
		open(SettlingFixture.options().batchSize(4), true, Thread::new, (deliveries) -> sizes.add(deliveries.size()));
		submit(1, 10);
		submit(11, 12);
		await().atMost(PATIENCE).until(() -> this.handled.size() == 12);
		assertThat(sizes).containsExactly(4, 4, 2, 2);
	}

	@Test
	void acknowledgesAtOnceWhenItRunsDry() {
		open(1, (deliveries) -> {
		});
		submit(1, 3);
		// The test's timer never runs by itself
		await().atMost(PATIENCE).until(() -> !fixture().commands.acknowledged().isEmpty());
		assertThat(fixture().commands.acknowledged()).hasSize(3);
	}

	@Test
	void anInterruptOfOneHandlerIsNotTheNextOnes() {
		List<Boolean> interrupted = new ArrayList<>();
		open(1, (deliveries) -> {
			interrupted.add(Thread.currentThread().isInterrupted());
			Thread.currentThread().interrupt();
		});
		submit(1, 3);
		await().atMost(PATIENCE).until(() -> this.handled.size() == 3);
		assertThat(interrupted).containsExactly(false, false, false);
	}

	@Test
	void keepsNothingBehindABusyWorkerWhereThereAreNoMoreThreads() {
		AtomicInteger threads = new AtomicInteger();
		CountDownLatch open = new CountDownLatch(1);
		open(SettlingFixture.options().concurrency(4), false, (task) -> {
			if (threads.getAndIncrement() > 0) {
				throw new IllegalStateException("refused by the test");
			}
			return new Thread(task);
		}, (deliveries) -> open.await());
		submit(1, 1);
		submit(2, 3);
		assertThat(fixture().limiter.wasLeft(SettlingFixture.id(2))).isTrue();
		assertThat(fixture().limiter.wasLeft(SettlingFixture.id(3))).isTrue();
		open.countDown();
		await().atMost(PATIENCE).until(() -> this.handled.size() == 1);
	}

	@Test
	void leavesWhatNoThreadCanBeCreatedFor() {
		open(SettlingFixture.options(), false, (task) -> {
			throw new IllegalStateException("refused by the test");
		}, (deliveries) -> {
		});
		submit(1, 3);
		assertThat(fixture().limiter.inFlight()).isZero();
		assertThat(fixture().limiter.wasLeft(SettlingFixture.id(2))).isTrue();
		assertThat(this.handled).isEmpty();
	}

	@Test
	void tellsWhatItHasNotStartedWhenItIsClosed() throws InterruptedException {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch open = new CountDownLatch(1);
		open(1, (deliveries) -> {
			started.countDown();
			open.await();
		});
		submit(1, 3);
		started.await();
		pool().close();
		submit(4, 4);
		open.countDown();
		assertThat(pool().awaitTermination(PATIENCE)).isTrue();
		assertThat(this.handled).containsExactly(SettlingFixture.id(1));
		assertThat(pool().unstarted()).extracting((delivery) -> delivery.entry().id())
			.containsExactly(SettlingFixture.id(2), SettlingFixture.id(3), SettlingFixture.id(4));
	}

}
