package io.github.redisstreams.metrics;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What it costs to sample 200 groups: processor time of the server as it accounts for
 * itself, whatever else the machine does.
 */
@Tag("core")
@RealRedis(own = true)
class SamplingCostTests {

	private static final int GROUPS = 200;

	private static final int ROUNDS = 20;

	/** That of the documentation, in which 1 % of a core are 50 ms. */
	private static final Duration INTERVAL = Duration.ofSeconds(5);

	private final LettuceFactories factories = new LettuceFactories();

	private final StreamListenerRegistry registry = new StreamListenerRegistry();

	private LettuceStreamCommands commands;

	private StreamListenerContainerFactory containerFactory;

	@BeforeEach
	void setUp(RedisServer redis) {
		this.commands = new LettuceStreamCommands(this.factories.to(redis.port()));
		this.containerFactory = new StreamListenerContainerFactory(this.commands, ListenerSettings.NONE, List.of(),
				false);
	}

	@AfterEach
	void tearDown() {
		this.containerFactory.close();
		this.commands.close();
		this.factories.close();
	}

	private void listen(String stream, String group) {
		this.registry.register(new StreamListenerEndpoint(stream + "-" + group, stream, "this test", (deliveries) -> {
		}, (options) -> options.group(group).autoStartup(false)), this.containerFactory);
	}

	private void listenToManyStreams(RedisServer redis, int entries, int delivered) {
		try (RawRedis connection = redis.connect()) {
			for (int i = 0; i < GROUPS; i++) {
				String stream = "stream-" + i;
				redis.addPipelined(stream, entries);
				connection.command("XGROUP", "CREATE", stream, "billing", "0");
				redis.deliver(stream, "billing", "someone", delivered);
				listen(stream, "billing");
			}
		}
	}

	/**
	 * The server's processor time in each interval, in milliseconds.
	 */
	private double costOfOneInterval(RedisServer redis) {
		StreamSampler sampler = new StreamSampler(this.commands, this.registry, Set.of(), INTERVAL);
		sampler.sample();
		double before = processorSeconds(redis);
		for (int i = 0; i < ROUNDS; i++) {
			sampler.sample();
		}
		double millis = (processorSeconds(redis) - before) * 1000 / ROUNDS;
		System.out.printf("Sampling %d groups takes Redis %.1f ms, %.2f %% of a core every 5 s%n", GROUPS, millis,
				millis * 100 / INTERVAL.toMillis());
		assertThat(sampler.getStreams()).allSatisfy((stream) -> assertThat(sampler.stream(stream)).isNotNull());
		return millis;
	}

	private static double processorSeconds(RedisServer redis) {
		return Double.parseDouble(redis.info("used_cpu_user").orElseThrow())
				+ Double.parseDouble(redis.info("used_cpu_sys").orElseThrow());
	}

	@Test
	void twoHundredStreamsCostRedisLessThanOnePercentOfACore(RedisServer redis) {
		listenToManyStreams(redis, 20, 5);
		assertThat(costOfOneInterval(redis)).isLessThan(35);
	}

	@Test
	void twoHundredGroupsOfOneStreamCostRedisLessThanOnePercentOfACore(RedisServer redis) {
		redis.addPipelined("events", 1000);
		for (int i = 0; i < GROUPS; i++) {
			redis.command("XGROUP", "CREATE", "events", "group-" + i, "0");
			redis.deliver("events", "group-" + i, "someone", 5);
			listen("events", "group-" + i);
		}
		assertThat(costOfOneInterval(redis)).isLessThan(35);
	}

	@Test
	void twoHundredBacklogsThatHaveToBeCountedCostRedisLessThanOnePercentOfACore(RedisServer redis) {
		listenToManyStreams(redis, 1000, 500);
		for (int i = 0; i < GROUPS; i++) {
			String stream = "stream-" + i;
			List<?> last = (List<?>) redis.list("XREVRANGE", stream, "+", "-", "COUNT", "2").get(1);
			redis.command("XDEL", stream, (String) last.get(0));
		}
		StreamSampler sampler = new StreamSampler(this.commands, this.registry, Set.of(), INTERVAL);
		sampler.sample();
		assertThat(sampler.group("stream-7", "billing")).satisfies((group) -> {
			assertThat(group.lagBounded()).isTrue();
			assertThat(group.lag()).isPositive();
		});
		assertThat(costOfOneInterval(redis)).isLessThan(50);
	}

	@Test
	void aFewBacklogsThatHaveToBeCountedCostNoMore(RedisServer redis) {
		for (int i = 0; i < 3; i++) {
			String stream = "stream-" + i;
			List<String> ids = redis.addPipelined(stream, 12_000);
			redis.command("XGROUP", "CREATE", stream, "billing", ids.get(6000));
			redis.command("XDEL", stream, ids.get(10_000));
			listen(stream, "billing");
		}
		assertThat(costOfOneInterval(redis)).isLessThan(35);
	}

	@Test
	void samplingTakesOneThread(RedisServer redis) {
		listenToManyStreams(redis, 2, 1);
		// Those of the client that the application has anyhow
		this.commands.groups("stream-0");
		Set<String> before = threads();
		StreamSampler sampler = new StreamSampler(this.commands, this.registry, Set.of(), Duration.ofMillis(10));
		redis.command("CONFIG", "RESETSTAT");
		sampler.start();
		try {
			await().until(() -> Integer.parseInt(
					redis.commandStat("evalsha").orElse("calls=0,").replaceAll("^calls=(\\d+),.*", "$1")) > 5 * GROUPS);
			Set<String> after = threads();
			after.removeAll(before);
			assertThat(after).containsExactly("streams-sampler-1");
		}
		finally {
			sampler.stop();
		}
	}

	private static Set<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> !name.startsWith("awaitility"))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
