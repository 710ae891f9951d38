package io.github.redisstreams.maintenance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.github.redisstreams.config.ListenerSettings;
import io.github.redisstreams.config.StreamListenerContainerFactory;
import io.github.redisstreams.config.StreamListenerEndpoint;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RawRedis;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Which consumers are removed, and that nothing is lost by it.
 */
@Tag("core")
@RealRedis
@ExtendWith(OutputCaptureExtension.class)
class ConsumerReaperTests {

	private static final Duration INTERVAL = Duration.ofMillis(50);

	private final LettuceFactories factories = new LettuceFactories();

	private final StreamListenerRegistry registry = new StreamListenerRegistry();

	private LettuceStreamCommands commands;

	private StreamListenerContainerFactory containerFactory;

	private ConsumerReaper reaper;

	@BeforeEach
	void setUp(RedisServer redis) {
		this.commands = new LettuceStreamCommands(this.factories.to(redis.port()));
		this.containerFactory = new StreamListenerContainerFactory(this.commands, ListenerSettings.NONE, List.of(),
				false);
		this.reaper = new ConsumerReaper(this.commands, this.registry, INTERVAL);
	}

	@AfterEach
	void tearDown() {
		this.reaper.stop();
		this.containerFactory.close();
		this.commands.close();
		this.factories.close();
	}

	private void listen(String stream, Duration expiry) {
		this.registry.register(new StreamListenerEndpoint(stream, stream, "this test", (deliveries) -> {
		}, (options) -> options.group("billing").consumer("one").autoStartup(false).consumerExpiry(expiry)),
				this.containerFactory);
	}

	private static Set<String> consumers(RedisServer redis, String stream) {
		return redis.list("XINFO", "CONSUMERS", stream, "billing")
			.stream()
			.map((row) -> (List<?>) row)
			.map((row) -> (String) row.get(row.indexOf("name") + 1))
			.collect(Collectors.toSet());
	}

	private static void leave(RedisServer redis, String stream) {
		redis.command("XGROUP", "CREATE", stream, "billing", "0", "MKSTREAM");
		redis.addPipelined(stream, 2);
		redis.deliver(stream, "billing", "unfinished", 1);
		List<String> finished = redis.deliver(stream, "billing", "finished", 1);
		redis.command("XACK", stream, "billing", finished.get(0));
	}

	@Test
	void removesThoseThatHaveNothingPendingAndAreInactive(RedisServer redis, CapturedOutput output) {
		leave(redis, "events");
		leave(redis, "forever");
		leave(redis, "tomorrow");
		listen("missing", Duration.ofMillis(10));
		listen("events", Duration.ofMillis(10));
		listen("forever", Duration.ZERO);
		listen("tomorrow", Duration.ofDays(1));
		this.reaper.start();
		await().untilAsserted(() -> assertThat(consumers(redis, "events")).containsExactly("unfinished"));
		assertThat(redis.pending("events", "billing")).isEqualTo(1);
		assertThat(consumers(redis, "forever")).containsExactlyInAnyOrder("finished", "unfinished");
		assertThat(consumers(redis, "tomorrow")).containsExactlyInAnyOrder("finished", "unfinished");
		await().untilAsserted(() -> assertThat(output).containsOnlyOnce("have nothing pending: [finished]"));
		// Again, in spite of the stream that is missing
		redis.command("XGROUP", "CREATECONSUMER", "events", "billing", "another");
		await().untilAsserted(() -> assertThat(consumers(redis, "events")).containsExactly("unfinished"));
	}

	@Test
	void beginsAgainAfterAStop(RedisServer redis) {
		leave(redis, "events");
		listen("events", Duration.ofMillis(10));
		this.reaper.start();
		assertThat(this.reaper.isRunning()).isTrue();
		this.reaper.stop();
		assertThat(this.reaper.isRunning()).isFalse();
		this.reaper.start();
		await().untilAsserted(() -> assertThat(consumers(redis, "events")).containsExactly("unfinished"));
	}

	@Test
	@DisplayName("C34 1,000 rounds of clean-up against concurrent readers lose no entry")
	void losesNothingWhileOthersRead(RedisServer redis) throws Exception {
		int rounds = 1000;
		redis.command("XGROUP", "CREATE", "events", "billing", "0", "MKSTREAM");
		Map<String, AtomicInteger> delivered = new ConcurrentHashMap<>();
		Set<String> added = ConcurrentHashMap.newKeySet();
		AtomicBoolean done = new AtomicBoolean();
		AtomicInteger removed = new AtomicInteger();
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			List<Future<?>> readers = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				String consumer = "reader-" + i;
				readers.add(threads.submit(() -> readAndAcknowledge(redis, consumer, delivered, done)));
			}
			Future<?> writer = threads.submit(() -> {
				while (!done.get()) {
					added.addAll(redis.addPipelined("events", 5));
				}
			});
			for (int round = 0; round < rounds; round++) {
				removed.addAndGet(this.commands.removeInactiveConsumers("events", "billing", Duration.ZERO)
					.toCompletableFuture()
					.get()
					.size());
			}
			done.set(true);
			writer.get();
			for (Future<?> reader : readers) {
				reader.get();
			}
		}
		finally {
			done.set(true);
			threads.shutdownNow();
		}
		assertThat(removed.get()).isPositive();
		assertThat(delivered.keySet()).isEqualTo(added).isNotEmpty();
		assertThat(delivered.values()).allMatch((count) -> count.get() == 1);
		assertThat(redis.pending("events", "billing")).isZero();
	}

	// What drops out of the pending list before that cannot be acknowledged
	private static void readAndAcknowledge(RedisServer redis, String consumer, Map<String, AtomicInteger> delivered,
			AtomicBoolean done) {
		try (RawRedis connection = redis.connect()) {
			boolean drained = false;
			while (!drained) {
				boolean last = done.get();
				List<?> reply = (List<?>) connection.command("XREADGROUP", "GROUP", "billing", consumer, "COUNT", "3",
						"BLOCK", "1", "STREAMS", "events", ">");
				List<?> entries = (reply != null) ? (List<?>) ((List<?>) reply.get(0)).get(1) : List.of();
				for (Object entry : entries) {
					String id = (String) ((List<?>) entry).get(0);
					delivered.computeIfAbsent(id, (absent) -> new AtomicInteger()).incrementAndGet();
					assertThat(connection.command("XACK", "events", "billing", id)).as(id).isEqualTo(1L);
				}
				drained = last && entries.isEmpty();
			}
		}
	}

}
