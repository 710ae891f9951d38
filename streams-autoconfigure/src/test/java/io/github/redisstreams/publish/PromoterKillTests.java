package io.github.redisstreams.publish;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.github.redisstreams.redis.Added;
import io.github.redisstreams.redis.DueTime;
import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.NewEntry;
import io.github.redisstreams.redis.NewTask;
import io.github.redisstreams.redis.Trimming;
import io.github.redisstreams.test.LettuceFactories;
import io.github.redisstreams.test.RawRedis;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.github.redisstreams.test.WorkerProcess;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * That no scheduled entry is lost or doubled when the process that moves them is killed.
 * In how many rounds can be set, see CONTRIBUTING.md.
 */
@Tag("slow")
@RealRedis
class PromoterKillTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int ENTRIES = 200;

	private static final int LONGEST_DELAY = 300;

	@Test
	@DisplayName("C43 SIGKILL in the process that moves scheduled entries loses and doubles none")
	void losesAndDoublesNoneWhereverItIsKilled(RedisServer redis) {
		int rounds = Integer.getInteger("promoter.rounds", 10);
		long start = System.nanoTime();
		try (LettuceFactories factories = new LettuceFactories();
				LettuceStreamCommands commands = new LettuceStreamCommands(factories.to(redis.port()));
				Lane first = new Lane(redis, commands, "first");
				Lane second = new Lane(redis, commands, "second")) {
			CompletableFuture<Void> other = CompletableFuture.runAsync(() -> second.run(rounds / 2),
					(task) -> new Thread(task, "second-lane").start());
			try {
				first.run(rounds - rounds / 2);
			}
			finally {
				other.join();
			}
			System.out.printf(Locale.ROOT,
					"%d kills of a promoter, %d of them with entries left to move; %d entries scheduled, all moved, each "
							+ "once; %.0f s%n",
					rounds, first.unfinished + second.unfinished, first.scheduled + second.scheduled,
					(System.nanoTime() - start) / 1e9);
			assertThat(first.unfinished + second.unfinished).as("kills with entries left to move").isPositive();
		}
	}

	/**
	 * One stream, and one process at a time that moves entries into it.
	 */
	private static final class Lane implements AutoCloseable {

		/** What there is at one moment. What is in the stream is taken out of it. */
		private static final String SNAPSHOT = """
				local entries = redis.call('XRANGE', KEYS[1], '-', '+')
				redis.call('XTRIM', KEYS[1], 'MAXLEN', 0)
				return {redis.call('ZRANGE', KEYS[2], 0, -1), redis.call('KEYS', ARGV[1] .. '*'), entries}""";

		private final Random random = new Random();

		private final int port;

		private final RawRedis redis;

		private final LettuceStreamCommands commands;

		private final String stream;

		/** Those of the scheduled entries that have not been seen in the stream yet. */
		private final Set<String> waiting = new HashSet<>();

		private int scheduled;

		private int unfinished;

		Lane(RedisServer server, LettuceStreamCommands commands, String stream) {
			this.port = server.port();
			this.redis = server.connect();
			this.commands = commands;
			this.stream = stream;
		}

		@SuppressWarnings("try")
		void run(int rounds) {
			for (int round = 0; round < rounds; round++) {
				killOne();
			}
			try (WorkerProcess last = PromoterProcess.start(this.port, this.stream)) {
				await().atMost(PATIENCE).until(() -> count("ZCARD", delayed()) == 0);
			}
			look();
			assertThat(this.waiting).as("lost").isEmpty();
		}

		private void killOne() {
			schedule(List.of(1));
			try (WorkerProcess promoter = PromoterProcess.start(this.port, this.stream)) {
				promoter.awaitLine("moved", PATIENCE);
				int together = this.random.nextInt(LONGEST_DELAY);
				schedule(IntStream.range(0, ENTRIES)
					.mapToObj((n) -> (n % 2 == 0) ? together : 1 + this.random.nextInt(LONGEST_DELAY))
					.toList());
				long moved = this.random.nextInt(ENTRIES);
				await().pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(1))
					.atMost(PATIENCE)
					.until(() -> count("XLEN", this.stream) >= moved);
				LockSupport.parkNanos(this.random.nextLong(TimeUnit.MILLISECONDS.toNanos(15)));
				promoter.kill();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			look();
			if (!this.waiting.isEmpty()) {
				this.unfinished++;
			}
		}

		private void schedule(List<Integer> delays) {
			List<CompletionStage<Added>> replies = new ArrayList<>();
			for (int delay : delays) {
				String id = this.stream + "-" + this.scheduled++;
				this.waiting.add(id);
				NewEntry entry = new NewEntry(this.stream, List.of(bytes("n"), bytes(id)), Trimming.NONE,
						isTask(id) ? new NewTask(id, Duration.ofHours(1)) : null, null);
				replies.add(this.commands.publishing()
					.schedule(entry, id, DueTime.after(Duration.ofMillis(delay)), Durability.NONE));
			}
			replies.forEach((reply) -> reply.toCompletableFuture().join());
		}

		private static boolean isTask(String id) {
			return id.endsWith("7");
		}

		private static byte[] bytes(String text) {
			return text.getBytes(StandardCharsets.UTF_8);
		}

		private void look() {
			String parked = "{" + this.stream + "}:parked:";
			List<?> found = (List<?>) this.redis.command("EVAL", SNAPSHOT, "2", this.stream, delayed(), parked);
			for (Object entry : (List<?>) found.get(2)) {
				List<?> idAndFields = (List<?>) entry;
				String id = (String) ((List<?>) idAndFields.get(1)).get(1);
				assertThat(this.waiting.remove(id)).as("there for the first time: " + id).isTrue();
				if (isTask(id)) {
					assertThat(this.redis.command("HMGET", task(id), "state", "entry"))
						.isEqualTo(List.of("queued", idAndFields.get(0)));
					this.redis.command("DEL", task(id));
				}
			}
			assertThat(texts(found.get(0))).as("ids in the sorted set").isEqualTo(this.waiting);
			assertThat(texts(found.get(1))).as("hashes").isEqualTo(texts(found.get(0), parked));
		}

		private String delayed() {
			return "{" + this.stream + "}:delayed";
		}

		private String task(String id) {
			return "{" + this.stream + "}:runs:" + id;
		}

		private static Set<String> texts(Object list) {
			return texts(list, "");
		}

		private static Set<String> texts(Object list, String prefix) {
			Set<String> texts = new HashSet<>();
			((List<?>) list).forEach((text) -> texts.add(prefix + text));
			return texts;
		}

		private long count(String... command) {
			return (Long) this.redis.command(command);
		}

		@Override
		public void close() {
			this.redis.close();
		}

	}

}
