package io.github.redisstreams.metrics;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.config.ListenerSettings;
import io.github.redisstreams.config.StreamListenerContainerFactory;
import io.github.redisstreams.config.StreamListenerEndpoint;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.redis.CountedLag;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.SampleCommands;
import io.github.redisstreams.redis.SampledStream;
import io.github.redisstreams.redis.StreamSample;
import io.github.redisstreams.redis.StreamSample.Group;
import io.github.redisstreams.test.StubCommands;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.data.redis.RedisConnectionFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What a sampler makes of the answers of a server that the test plays.
 */
@ExtendWith(OutputCaptureExtension.class)
class StreamSamplerTests {

	private final Server server = new Server();

	private final StreamListenerRegistry registry = new StreamListenerRegistry();

	private final StreamListenerContainerFactory factory = new StreamListenerContainerFactory(this.server,
			ListenerSettings.NONE, List.of(), false);

	private final StreamSampler sampler = new StreamSampler(this.server, this.registry, Set.of(), Duration.ofHours(1));

	@AfterEach
	void close() {
		this.sampler.stop();
		this.factory.close();
	}

	private void listen(String... streams) {
		for (String stream : streams) {
			this.registry.register(new StreamListenerEndpoint(stream, stream, "this test", (deliveries) -> {
			}, (options) -> options.group("billing").autoStartup(false)), this.factory);
		}
	}

	private static StreamSample sample(@Nullable Long lag) {
		Group group = new Group(1, 2, EntryId.parse("5-0"), lag, false, Duration.ofSeconds(3), Duration.ofSeconds(4));
		return new StreamSample(7L, 8L, 9L, Map.of("billing", group), List.of());
	}

	@Test
	void knowsWhatItWasToldLast() {
		listen("events");
		this.server.samples.put("events", sample(6L));
		assertThat(this.sampler.stream("events")).isNull();
		assertThat(this.sampler.group("events", "billing")).isNull();
		this.sampler.sample();
		assertThat(this.sampler.stream("events")).isEqualTo(new StreamReading(7L, 8L, 9L));
		assertThat(this.sampler.group("events", "billing")).isEqualTo(
				new GroupReading(6L, false, 2, 1, Duration.ofSeconds(3), Duration.ofSeconds(4), EntryId.parse("5-0")));
		assertThat(this.sampler.group("events", "other")).isNull();
		assertThat(this.server.asked)
			.containsExactly(new SampledStream("events", Set.of("billing"), Set.of("{events}:dlq")));
	}

	@Test
	void aStreamThatCannotBeAskedAboutIsUnknownAndTheOthersAreNot(CapturedOutput output) {
		listen("broken", "events");
		this.server.samples.put("broken", sample(1L));
		this.server.samples.put("events", sample(6L));
		this.sampler.sample();
		this.server.failures.put("broken", new InvalidDataAccessResourceUsageException("not a stream"));
		this.sampler.sample();
		this.sampler.sample();
		assertThat(this.sampler.stream("broken")).isNull();
		assertThat(this.sampler.group("broken", "billing")).isNull();
		assertThat(this.sampler.group("events", "billing")).isNotNull();
		this.server.failures.clear();
		this.sampler.sample();
		assertThat(this.sampler.group("broken", "billing")).isNotNull();
		assertThat(output).containsOnlyOnce("Figures of stream 'broken' are unknown for now")
			.containsOnlyOnce("Figures of stream 'broken' are known again")
			.doesNotContain("'events'");
	}

	@Test
	void aServerThatIsAwayIsOneLineForAllStreams(CapturedOutput output) {
		listen("a", "b", "c", "d", "e");
		List.of("a", "b", "c", "d", "e")
			.forEach((stream) -> this.server.failures.put(stream,
					new RedisConnectionFailureException("gone (" + stream + ")")));
		this.sampler.sample();
		this.sampler.sample();
		this.server.failures.clear();
		List.of("a", "b", "c", "d", "e").forEach((stream) -> this.server.samples.put(stream, sample(1L)));
		this.sampler.sample();
		assertThat(output.getAll().lines().filter((line) -> line.contains("unknown for now"))).singleElement()
			.asString()
			.contains("Figures of 5 streams ('a', 'b', 'c', ...)")
			.contains("No connection to Redis")
			.contains("gone (a)");
		assertThat(output.getAll().lines().filter((line) -> line.contains("known again"))).hasSize(1);
	}

	@Test
	void whatTheServerSaysIsMissingIsLoggedAndTheRestIsKnown(CapturedOutput output) {
		listen("events");
		this.server.samples.put("events", new StreamSample(7L, null, 9L, Map.of(), List.of("NOPERM for zcard")));
		this.sampler.sample();
		assertThat(this.sampler.stream("events")).isEqualTo(new StreamReading(7L, null, 9L));
		assertThat(output).contains("Figures of stream 'events' are unknown for now: NOPERM for zcard");
	}

	@Test
	void countsALagThatTheServerDoesNotTell() {
		listen("events");
		this.server.samples.put("events", sample(null));
		this.server.counted = CompletableFuture.completedFuture(new CountedLag(5000, true));
		this.sampler.sample();
		assertThat(this.sampler.group("events", "billing")).satisfies((group) -> {
			assertThat(group.lag()).isEqualTo(5000);
			assertThat(group.lagBounded()).isTrue();
		});
		assertThat(this.server.bound).isEqualTo(10_000);
		this.server.counted = CompletableFuture.failedFuture(new RedisConnectionFailureException("gone"));
		this.sampler.sample();
		assertThat(this.sampler.group("events", "billing")).satisfies((group) -> {
			assertThat(group.lag()).isNull();
			assertThat(group.lagBounded()).isFalse();
			assertThat(group.pending()).isEqualTo(2);
		});
	}

	@Test
	void countsALagThatIsDoubtfulAndKeepsItWhereTooMuchIsToBeCounted() {
		listen("events");
		Group group = new Group(1, 2, EntryId.parse("5-0"), 9000L, true, Duration.ZERO, Duration.ofSeconds(4));
		this.server.samples.put("events", new StreamSample(7L, 8L, 9L, Map.of("billing", group), List.of()));
		this.server.counted = CompletableFuture.completedFuture(new CountedLag(6, false));
		this.sampler.sample();
		assertThat(this.sampler.group("events", "billing")).extracting(GroupReading::lag).isEqualTo(6L);
		this.server.counted = CompletableFuture.completedFuture(new CountedLag(5000, true));
		this.sampler.sample();
		assertThat(this.sampler.group("events", "billing")).satisfies((reading) -> {
			assertThat(reading.lag()).isEqualTo(9000);
			assertThat(reading.lagBounded()).isTrue();
		});
	}

	@Test
	void countsNoLagWhereNotEvenTheFirstEntryCouldBeTold() {
		listen("events");
		Group group = new Group(1, 2, EntryId.parse("5-0"), null, false, null, null);
		this.server.samples.put("events", new StreamSample(7L, 8L, 9L, Map.of("billing", group), List.of()));
		this.sampler.sample();
		assertThat(this.server.bound).isZero();
		assertThat(this.sampler.group("events", "billing")).extracting(GroupReading::lag).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "5s, 1, 10000", "5s, 4, 2500", "5s, 200, 50", "5s, 1000, 50", "1s, 1, 2000", "1h, 1, 10000",
			"50ms, 1, 100", "1ms, 1, 50" })
	void theBoundOfALagIsASharedPartOfTheInterval(String interval, int groups, int bound) {
		Duration duration = DurationStyle.detectAndParse(interval);
		assertThat(LagBudget.of(duration).share(groups)).isEqualTo(bound);
	}

	@Test
	void asksAboutAStreamOnceForAllItsGroups() {
		listen("events");
		this.registry.register(new StreamListenerEndpoint("audit", "events", "this test", (deliveries) -> {
		}, (options) -> options.group("audit").autoStartup(false).deadLetter((dlq) -> dlq.stream("{events}:audit"))),
				this.factory);
		this.server.samples.put("events", sample(6L));
		this.sampler.sample();
		assertThat(this.server.asked).containsExactly(
				new SampledStream("events", Set.of("billing", "audit"), Set.of("{events}:dlq", "{events}:audit")));
	}

	@Test
	void asksAboutFurtherStreamsWithoutGroups() {
		listen("events");
		StreamSampler more = new StreamSampler(this.server, this.registry, List.of("events", "reminders"),
				Duration.ofHours(1));
		this.server.samples.put("events", sample(6L));
		this.server.samples.put("reminders", new StreamSample(1L, 2L, 0L, Map.of(), List.of()));
		more.sample();
		assertThat(more.getStreams()).containsExactlyInAnyOrder("events", "reminders");
		assertThat(more.stream("reminders")).isEqualTo(new StreamReading(1L, 2L, 0L));
		assertThat(this.server.asked).containsExactly(
				new SampledStream("events", Set.of("billing"), Set.of("{events}:dlq")),
				new SampledStream("reminders", Set.of(), Set.of()));
	}

	@Test
	void whatIsTooOldIsUnknown() {
		listen("events");
		this.server.samples.put("events", sample(6L));
		StreamSampler quick = new StreamSampler(this.server, this.registry, Set.of(), Duration.ofMillis(200));
		quick.sample();
		assertThat(quick.stream("events")).isNotNull();
		await().until(() -> quick.stream("events") == null && quick.group("events", "billing") == null);
	}

	@Test
	void aStopDoesNotWaitForTheServer() {
		listen("events");
		this.server.hang = true;
		this.sampler.start();
		await().until(() -> !this.server.asked.isEmpty());
		Thread thread = Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((candidate) -> candidate.getName().equals("streams-sampler-1"))
			.findFirst()
			.orElseThrow();
		this.sampler.stop();
		await().until(() -> !thread.isAlive());
	}

	@Test
	void aListenerThatFailsDoesNotKeepItFromSampling(CapturedOutput output) {
		listen("events");
		this.server.samples.put("events", sample(6L));
		AtomicInteger calls = new AtomicInteger();
		this.sampler.addListener(() -> {
			throw new IllegalStateException("as asked");
		});
		this.sampler.addListener(calls::incrementAndGet);
		this.sampler.sample();
		this.sampler.sample();
		assertThat(calls).hasValue(2);
		assertThat(this.sampler.stream("events")).isNotNull();
		assertThat(output).containsOnlyOnce("Meters and health may lack figures of Redis Streams for now");
	}

	@Test
	void anIntervalThatIsTooShortIsRefused() {
		assertThatExceptionOfType(StreamsConfigurationException.class)
			.isThrownBy(() -> new StreamSampler(this.server, this.registry, Set.of(), Duration.ofNanos(1)))
			.withMessageContaining("0ms");
	}

	/**
	 * Answers what it is told to.
	 */
	private static final class Server extends StubCommands implements SampleCommands {

		private final Map<String, StreamSample> samples = new ConcurrentHashMap<>();

		private final Map<String, RuntimeException> failures = new ConcurrentHashMap<>();

		private final List<SampledStream> asked = new CopyOnWriteArrayList<>();

		private CompletableFuture<CountedLag> counted = new CompletableFuture<>();

		private int bound;

		private volatile boolean hang;

		@Override
		public SampleCommands sampling() {
			return this;
		}

		@Override
		public CompletionStage<StreamSample> sample(SampledStream stream) {
			this.asked.add(stream);
			if (this.hang) {
				return new CompletableFuture<>();
			}
			RuntimeException failure = this.failures.get(stream.key());
			return (failure != null) ? CompletableFuture.failedFuture(failure)
					: CompletableFuture.completedFuture(this.samples.get(stream.key()));
		}

		@Override
		public CompletionStage<CountedLag> countLag(String stream, EntryId after, int bound) {
			this.bound = bound;
			return this.counted;
		}

	}

}
