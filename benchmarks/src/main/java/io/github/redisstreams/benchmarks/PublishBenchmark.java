package io.github.redisstreams.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.github.redisstreams.benchmarks.harness.Statistics;
import io.github.redisstreams.benchmarks.harness.Table;
import io.github.redisstreams.publish.DefaultStreamTemplate;
import io.github.redisstreams.publish.DelayedPromoter;
import io.github.redisstreams.publish.PublishEvents;
import io.github.redisstreams.publish.PublisherOptions;
import io.github.redisstreams.publish.PublisherSettings;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.TrimMode;
import io.github.redisstreams.redis.Trimming;
import io.github.redisstreams.support.EntryMessageConverter;
import io.lettuce.core.XGroupCreateArgs;
import io.lettuce.core.XReadArgs.StreamOffset;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * What publishing costs: the server's time for a send in each trim mode beside a plain
 * {@code XADD}, how long it is held up by very many entries that are due at once, and how
 * late entries are that are due at a steady rate.
 */
public final class PublishBenchmark {

	private static final int ENTRIES = Integer.getInteger("benchmark.entries", 100_000);

	private static final int ROUNDS = Integer.getInteger("benchmark.rounds", 5);

	private static final int DUE_AT_ONCE = Integer.getInteger("benchmark.due", 200_000);

	private static final int SECONDS = Integer.getInteger("benchmark.seconds", 20);

	private static final int PIPELINE = 1000;

	private static final int DUE_PER_SECOND = 1000;

	private static final String PAYLOAD = "{\"customer\":\"ada\",\"product\":\"tea\",\"quantity\":2,\"note\":\"by noon\"}";

	private PublishBenchmark() {
	}

	/**
	 * Run all and print the results.
	 * @param arguments none
	 */
	public static void main(String[] arguments) throws IOException, InterruptedException {
		System.out.println("\nSending " + ENTRIES + " entries with sendAll, medians of " + ROUNDS + " rounds\n");
		System.out.println(sending());
		System.out.println("\n" + DUE_AT_ONCE + " entries due in the same millisecond\n");
		System.out.println(dueAtOnce());
		System.out.println("\n" + DUE_PER_SECOND + " entries due a second, for " + SECONDS + " s\n");
		System.out.println(steady());
	}

	private static Table sending() throws IOException, InterruptedException {
		List<Contestant> contestants = List.of(new Contestant("plain XADD (trim: none)", Trimming.NONE),
				new Contestant("finished, under the limit",
						new Trimming(TrimMode.FINISHED, 1_000_000_000, Duration.ZERO)),
				new Contestant("finished, at the limit", new Trimming(TrimMode.FINISHED, 10_000, Duration.ZERO)),
				new Contestant("strict, at the limit", new Trimming(TrimMode.STRICT, 10_000, Duration.ZERO)));
		try (Setting setting = new Setting()) {
			// The first round warms up
			for (int round = -1; round < ROUNDS; round++) {
				for (Contestant contestant : contestants) {
					send(contestant, setting, round);
				}
			}
		}
		double plain = Statistics.median(contestants.get(0).server());
		Table table = new Table("", "entries/s", "Redis CPU us/entry", "to plain XADD");
		contestants.forEach((contestant) -> {
			double server = Statistics.median(contestant.server());
			table.row(contestant.name(), Statistics.format("%,.0f", Statistics.median(contestant.rate())),
					Statistics.format("%.2f", server), Statistics.format("%.2f", server / plain));
		});
		return table;
	}

	private static void send(Contestant contestant, Setting setting, int round) {
		setting.redis.commands().flushall();
		setting.redis.commands().xgroupCreate(StreamOffset.from("s", "$"), "g", XGroupCreateArgs.Builder.mkstream());
		StreamTemplate template = setting.template(contestant.trimming());
		double cpu = setting.redis.cpuSeconds();
		long start = System.nanoTime();
		for (int sent = 0; sent < ENTRIES; sent += PIPELINE) {
			template.sendAll("s", Collections.nCopies(PIPELINE, PAYLOAD));
			// As if the group had finished all
			setting.redis.commands().xgroupSetid(StreamOffset.from("s", "$"), "g");
		}
		if (round >= 0) {
			contestant.rate()[round] = ENTRIES * 1e9 / (System.nanoTime() - start);
			contestant.server()[round] = (setting.redis.cpuSeconds() - cpu) * 1e6 / ENTRIES;
		}
	}

	private static Table dueAtOnce() throws IOException, InterruptedException {
		try (Setting setting = new Setting()) {
			StreamTemplate template = setting.template(PublisherOptions.DEFAULTS.trimming());
			// Late enough for all to be scheduled by then
			Instant due = Instant.now().plusMillis(DUE_AT_ONCE / 10);
			// Many at once, since each waits for its reply
			IntStream.range(0, DUE_AT_ONCE).parallel().forEach((i) -> template.sendAt("s", PAYLOAD, due));
			// Low enough for the scripts, and too high for the commands in them
			setting.redis.commands().configSet("slowlog-log-slower-than", "150");
			setting.redis.commands().configSet("slowlog-max-len", "100000");
			setting.redis.commands().slowlogReset();
			while (Instant.now().isBefore(due)) {
				Thread.sleep(100);
			}
			setting.redis.commands().slowlogReset();
			long start = System.nanoTime();
			Lateness lateness = new Lateness();
			DelayedPromoter promoter = setting.promoter(lateness);
			while (lateness.count() < DUE_AT_ONCE) {
				Thread.sleep(10);
			}
			double seconds = (System.nanoTime() - start) / 1e9;
			promoter.stop();
			double[] scripts = setting.redis.commands()
				.slowlogGet(100_000)
				.stream()
				.map((entry) -> (List<?>) entry)
				.filter((entry) -> String.valueOf(((List<?>) entry.get(3)).get(0)).startsWith("EVAL"))
				.mapToDouble((entry) -> (Long) entry.get(2) / 1000.0)
				.toArray();
			return new Table("", "").row("moved", Statistics.format("%,d", lateness.count()))
				.row("took, s", Statistics.format("%.1f", seconds))
				.row("scripts", String.valueOf(scripts.length))
				.row("median script, ms", Statistics.format("%.2f", Statistics.median(scripts)))
				.row("longest script, ms", Statistics.format("%.2f", Arrays.stream(scripts).max().orElse(Double.NaN)));
		}
	}

	private static Table steady() throws IOException, InterruptedException {
		try (Setting setting = new Setting()) {
			StreamTemplate template = setting.template(PublisherOptions.DEFAULTS.trimming());
			int count = DUE_PER_SECOND * SECONDS;
			Instant first = Instant.now().plusSeconds(15);
			IntStream.range(0, count)
				.parallel()
				.forEach((i) -> template.sendAt("s", PAYLOAD, first.plusMillis(1000L * i / DUE_PER_SECOND)));
			Lateness lateness = new Lateness();
			double cpu = setting.redis.cpuSeconds();
			DelayedPromoter promoter = setting.promoter(lateness);
			while (lateness.count() < count) {
				Thread.sleep(100);
			}
			promoter.stop();
			double[] late = lateness.millis();
			return new Table("", "").row("moved", Statistics.format("%,d", lateness.count()))
				.row("lateness p50, ms", Statistics.format("%.0f", Statistics.quantile(late, 0.5)))
				.row("lateness p99, ms", Statistics.format("%.0f", Statistics.quantile(late, 0.99)))
				.row("lateness max, ms", Statistics.format("%.0f", Statistics.quantile(late, 1)))
				.row("Redis CPU us/entry", Statistics.format("%.1f", (setting.redis.cpuSeconds() - cpu) * 1e6 / count));
		}
	}

	/**
	 * A way to send.
	 *
	 * @param name what to call it
	 * @param trimming how to trim
	 * @param rate entries per second, by round
	 * @param server microseconds of the server's processor time for an entry, by round
	 */
	private record Contestant(String name, Trimming trimming, double[] rate, double[] server) {

		Contestant(String name, Trimming trimming) {
			this(name, trimming, new double[ROUNDS], new double[ROUNDS]);
		}

	}

	/**
	 * A server, and what it takes to write to it.
	 */
	private static final class Setting implements AutoCloseable {

		private final RedisProcess redis = RedisProcess.start();

		private final LettuceConnectionFactory factory = new LettuceConnectionFactory("127.0.0.1", this.redis.port());

		private final LettuceStreamCommands commands;

		Setting() throws IOException, InterruptedException {
			this.factory.afterPropertiesSet();
			this.factory.start();
			this.commands = new LettuceStreamCommands(this.factory);
		}

		StreamTemplate template(Trimming trimming) {
			PublisherOptions defaults = PublisherOptions.DEFAULTS;
			PublisherOptions options = new PublisherOptions(trimming, defaults.tracking(), defaults.taskRetention(),
					defaults.durability());
			return new DefaultStreamTemplate(this.commands, new EntryMessageConverter(JsonMapper.shared()),
					new PublisherSettings() {

						@Override
						public PublisherOptions options(String stream) {
							return options;
						}

					}, new PublishEvents() {
					});
		}

		DelayedPromoter promoter(PublishEvents events) {
			DelayedPromoter promoter = new DelayedPromoter(this.commands, PublisherSettings.DEFAULTS, () -> Set.of("s"),
					events, 0);
			promoter.start();
			return promoter;
		}

		@Override
		public void close() throws IOException {
			this.commands.close();
			this.factory.destroy();
			this.redis.close();
		}

	}

	/**
	 * How late entries were.
	 */
	private static final class Lateness implements PublishEvents {

		private final List<Duration> all = new ArrayList<>();

		@Override
		public synchronized void promoted(String stream, Collection<Duration> lateness) {
			this.all.addAll(lateness);
		}

		synchronized int count() {
			return this.all.size();
		}

		synchronized double[] millis() {
			return this.all.stream().mapToDouble(Duration::toMillis).toArray();
		}

	}

}
