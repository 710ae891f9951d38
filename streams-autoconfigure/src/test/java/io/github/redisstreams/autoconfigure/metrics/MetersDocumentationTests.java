package io.github.redisstreams.autoconfigure.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.autoconfigure.observation.RedisStreamsObservationAutoConfiguration;
import io.github.redisstreams.metrics.StreamMetrics;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * That docs/meters.md lists what an application registers, and nothing else.
 */
@RealRedis
class MetersDocumentationTests {

	private static final Path ROOT = Path.of(System.getProperty("basedir", "")).resolve("..");

	private static final Path PAGE = ROOT.resolve("docs/meters.md");

	private static final List<String> COLUMNS = List.of("meter", "in Prometheus", "type", "unit", "tags", "meaning",
			"alert when");

	private final SimpleMeterRegistry simple = new SimpleMeterRegistry();

	private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

	private void runApplication(RedisServer redis) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
					RedisStreamsAutoConfiguration.class, RedisStreamsMetricsAutoConfiguration.class,
					MetricsAutoConfiguration.class, ObservationAutoConfiguration.class,
					RedisStreamsObservationAutoConfiguration.class))
			.withBean(MeterRegistry.class,
					() -> new CompositeMeterRegistry(Clock.SYSTEM, List.of(this.simple, this.prometheus)))
			.withPropertyValues("spring.application.name=billing", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + redis.port(), "redis.streams.publisher.promote=reminders",
					"redis.streams.publisher.trim=strict", "redis.streams.publisher.max-length=10")
			.withUserConfiguration(Listeners.class)
			.run((context) -> {
				StreamTemplate template = context.getBean(StreamTemplate.class);
				template.send("events", "now");
				template.send("unheard", "now");
				template.sendAfter("events", "soon", Duration.ofMillis(20));
				await().until(() -> context.getBean(Listeners.class).handled.containsAll(List.of("now", "soon")));
				await().until(() -> this.simple.get(StreamMetrics.LAG).tag("stream", "events").gauge().value() == 0);
			});
	}

	private static List<Row> page() throws IOException {
		List<Row> rows = new ArrayList<>();
		for (String line : Files.readAllLines(PAGE)) {
			if (line.startsWith("| `redis.streams.")) {
				rows.add(Row.parse(line));
			}
		}
		return rows;
	}

	private static String plain(String cell) {
		return cell.replace("`", "");
	}

	@Test
	void listsEveryMeterWithItsTypeUnitAndTags(RedisServer redis) throws IOException {
		runApplication(redis);
		TreeMap<String, Set<String>> registered = new TreeMap<>();
		for (Meter meter : this.simple.getMeters()) {
			if (meter.getId().getName().startsWith("redis.streams.")) {
				registered.computeIfAbsent(meter.getId().getName(), (name) -> new TreeSet<>()).add(describe(meter));
			}
		}
		TreeMap<String, Set<String>> listed = new TreeMap<>();
		for (Row row : page()) {
			assertThat(listed.put(row.meter, Set.of(row.describe()))).as("%s twice", row.meter).isNull();
		}
		assertThat(listed).isEqualTo(registered);
	}

	private static String describe(Meter meter) {
		String tags = meter.getId().getTags().stream().map(Tag::getKey).sorted().collect(Collectors.joining(", "));
		String type = meter.getId().getType().name().toLowerCase(Locale.ROOT).replace('_', ' ');
		String unit = type.endsWith("timer") ? "seconds" : Objects.requireNonNullElse(meter.getId().getBaseUnit(), "");
		return type + " in " + unit + " of " + tags;
	}

	@Test
	void namesEachAsPrometheusDoes(RedisServer redis) throws IOException {
		runApplication(redis);
		Pattern type = Pattern.compile("(?m)^# TYPE (redis_streams_\\w+) (\\w+)$");
		Set<String> scraped = type.matcher(this.prometheus.scrape())
			.results()
			.filter((match) -> !match.group(1).endsWith("_seconds_max"))
			.map((match) -> match.group(1) + " " + match.group(2).replace("summary", "timer"))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(page().stream().map((row) -> row.prometheus + " " + row.type.replace("long task timer", "timer")))
			.containsExactlyInAnyOrderElementsOf(scraped);
	}

	@Test
	void tellsOfEachWhatItMeansAndWhenToAlert() throws IOException {
		assertThat(Files.readAllLines(PAGE)).filteredOn((line) -> line.startsWith("| meter |"))
			.isNotEmpty()
			.containsOnly("| " + String.join(" | ", COLUMNS) + " |");
		assertThat(page()).hasSizeGreaterThan(20)
			.allSatisfy((row) -> assertThat(List.of(row.unit, row.meaning, row.alert)).as(row.meter)
				.allSatisfy((cell) -> assertThat(cell).isNotBlank()));
	}

	@Test
	void everyExpressionInTheDocumentsNamesMetersThatThereAre() throws IOException {
		Set<String> names = new TreeSet<>();
		for (Row row : page()) {
			names.add(row.prometheus);
			if (row.type.endsWith("timer")) {
				Stream.of("_count", "_sum", "_max").forEach((suffix) -> names.add(row.prometheus + suffix));
			}
		}
		Pattern name = Pattern.compile("redis_streams_\\w+");
		try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
			for (Path file : Stream.concat(Stream.of(ROOT.resolve("README.md")), files.filter(Files::isRegularFile))
				.toList()) {
				assertThat(name.matcher(Files.readString(file)).results().map(MatchResult::group))
					.as(file.getFileName().toString())
					.isSubsetOf(names);
			}
		}
	}

	static class Listeners {

		private final Set<String> handled = ConcurrentHashMap.newKeySet();

		@StreamListener("events")
		void handle(String payload) {
			this.handled.add(payload);
		}

		@StreamListener(value = "events", id = "audit", group = "audit")
		void audit(String payload) {
		}

	}

	/**
	 * One row of the page.
	 */
	private record Row(String meter, String prometheus, String type, String unit, String tags, String meaning,
			String alert) {

		static Row parse(String line) {
			String[] cells = line.substring(2, line.length() - 2).split(" \\| ");
			assertThat(cells).as(line).hasSize(COLUMNS.size());
			return new Row(plain(cells[0]), plain(cells[1]), cells[2], cells[3], cells[4], cells[5], cells[6]);
		}

		String describe() {
			String tags = Arrays.stream(this.tags.split(", ")).sorted().collect(Collectors.joining(", "));
			// What is counted is no unit for Micrometer
			return this.type + " in " + (this.unit.equals("seconds") ? "seconds" : "") + " of " + tags;
		}

	}

}
