package io.github.redisstreams.listener;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redisstreams.listener.CaseWorker.Failed;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a container remembers.
 */
@Tag("slow")
@RealRedis
class FieldCaseMemoryTests {

	private static final Duration PATIENCE = Duration.ofSeconds(120);

	private static final int ENTRIES = 200_000;

	private static final int FAILING = ENTRIES / 50;

	private static final long MEGABYTE = 1 << 20;

	@Test
	@DisplayName("C39 what a container remembers does not grow with what it has handled")
	void whatAContainerRemembersDoesNotGrow(RedisServer server) {
		try (Containers containers = new Containers(server)) {
			server.addPipelined("s", ENTRIES,
					(n) -> new String[] { (n % 50 == 0) ? "fail" : "n", Integer.toString(n) });
			long before = usedHeap();
			AtomicInteger handled = new AtomicInteger();
			AtomicLong mostInFlight = new AtomicLong();
			AtomicInteger calls = new AtomicInteger();
			// More wait for their retry at once than the queue takes
			StreamListenerContainer container = containers.create("me",
					(options) -> options.maxDeliveries(2)
						.minIdle(Duration.ofSeconds(2))
						.claimInterval(Duration.ofMillis(100))
						.retry((retry) -> retry.initialInterval(Duration.ofSeconds(5)))
						.deadLetter((deadLetter) -> deadLetter.stackTrace(false)),
					(deliveries) -> {
						calls.incrementAndGet();
						if (deliveries.get(0).entry().value("fail") != null) {
							throw new Failed();
						}
						handled.incrementAndGet();
					});
			container.start().join();
			await().atMost(PATIENCE).until(() -> {
				mostInFlight.accumulateAndGet(container.getInFlight(), Math::max);
				return handled.get() == ENTRIES - FAILING && server.length("{s}:dlq") == FAILING
						&& server.pending("s", "g") == 0;
			});
			await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
			int most = RetryQueue.CAPACITY + 5 * container.getOptions().batchSize();
			assertThat(mostInFlight.get()).isBetween((long) RetryQueue.CAPACITY, (long) most);
			assertThat(calls).hasValue(ENTRIES + FAILING);
			// Half of the ids alone would be more
			assertThat(usedHeap() - before).isLessThan(8 * MEGABYTE);
		}
	}

	private static long usedHeap() {
		long least = Long.MAX_VALUE;
		for (int i = 0; i < 5; i++) {
			System.gc();
			least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
		}
		return least;
	}

	@Test
	@DisplayName("C39 of what it has left to be claimed it remembers the latest ten thousand only")
	void ofWhatItHasLeftItRemembersTheLatestOnly() {
		InFlightLimiter limiter = new InFlightLimiter(
				ListenerOptions.builder().stream("s").group("g").consumer("c").build("id", "test"), false);
		for (int i = 0; i < 25_000; i++) {
			limiter.hold(new EntryId(1, i));
			limiter.handled(1, 1000);
			limiter.leave(new EntryId(1, i));
		}
		assertThat(limiter.inFlight()).isZero();
		assertThat(limiter.leases()).isEmpty();
		assertThat(limiter.wasLeft(new EntryId(1, 14_999))).isFalse();
		assertThat(limiter.wasLeft(new EntryId(1, 15_000))).isTrue();
		assertThat(limiter.wasLeft(new EntryId(1, 24_999))).isTrue();
	}

}
