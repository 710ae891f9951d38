package io.github.redisstreams.sample.monitoring;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redisstreams.sample.SampleApplication;
import io.github.redisstreams.sample.monitoring.MonitoringFiles.Rule;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The dashboard and the alert rules in a real Prometheus, which scrapes the service while
 * that works and fails.
 */
@Tag("slow")
class MonitoringTests {

	// With characters that Grafana has to escape
	private static final String STREAM = "{app}:events";

	private static final Map<String, String> ALL = Map.of("job", ".*", "stream", ".*", "group", ".*");

	private static final Map<String, String> SELECTED = Map.of("job", PrometheusServer.JOB, "stream", STREAM, "group",
			"billing");

	private static final Pattern REGEX_CHARACTER = Pattern.compile("[$^*{}\\[\\]'+?.()|]");

	private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.+), (\\w+)\\)");

	private static final Pattern GROUPED_BY = Pattern.compile("\\bby \\(([^)]*)\\)");

	private static ConfigurableApplicationContext service;

	private static PrometheusServer prometheus;

	@BeforeAll
	static void start(@TempDir Path directory) throws IOException {
		if (PrometheusTools.problem("prometheus").isPresent()) {
			return;
		}
		// As the service is outside of the tests: without a tracer, and so without
		// exemplars
		service = new SpringApplicationBuilder(SampleApplication.class).run("--server.port=0",
				"--server.address=127.0.0.1", "--sample.generator.rate=20", "--sample.handling-time=5ms",
				"--sample.failure-rate=0.3", "--sample.reminder-delay=500ms",
				"--redis.streams.listeners.events.stream=" + STREAM, "--redis.streams.metrics.interval=500ms",
				"--management.tracing.exemplars.include=none");
		prometheus = PrometheusServer.start(PrometheusTools.require("prometheus"), directory, port());
	}

	// Not once for all, which would pass over the tests without a word
	@BeforeEach
	void skipWithoutPrometheus() {
		PrometheusTools.require("prometheus");
	}

	@AfterAll
	static void stop() throws IOException {
		try {
			if (prometheus != null) {
				prometheus.close();
			}
		}
		finally {
			if (service != null) {
				service.close();
			}
		}
	}

	private static int port() {
		return Integer.parseInt(requireNonNull(service.getEnvironment().getProperty("local.server.port")));
	}

	/**
	 * Order over HTTP, while waiting for something, what can be billed and what never
	 * can.
	 */
	private static void awaitWhileOrdering(ThrowingRunnable assertion) {
		await().atMost(Duration.ofSeconds(30))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(500))
			.untilAsserted(() -> {
				order(2);
				order(500);
				assertion.run();
			});
	}

	private static void order(int quantity) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + "/orders"))
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers
				.ofString("{\"customer\":\"ada\",\"product\":\"lamp\",\"quantity\":" + quantity + "}"))
			.build();
		HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
		assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
	}

	/**
	 * What Grafana makes of an expression. The value for all is taken as it is; what is
	 * selected is escaped.
	 */
	private static String interpolate(String expression, Map<String, String> variables) {
		String result = expression.replace("$__rate_interval", "10s").replace("$__range", "1m");
		for (Map.Entry<String, String> variable : variables.entrySet()) {
			String value = variable.getValue();
			if (!value.equals(".*")) {
				// Twice: for the regular expression, and for the string that it is in
				value = REGEX_CHARACTER.matcher(value).replaceAll("\\\\\\\\$0");
			}
			result = result.replace("$" + variable.getKey(), value);
		}
		return result;
	}

	private static Stream<DynamicTest> forEachQuery(QueryTest test) {
		return MonitoringFiles.panels()
			.stream()
			.flatMap((panel) -> MonitoringFiles.elements(panel.get("targets")).stream().map((target) -> {
				String name = panel.get("title").asString() + " " + target.get("refId").asString();
				return DynamicTest.dynamicTest(name, () -> test.run(target.get("expr").asString()));
			}));
	}

	private static boolean isNumber(JsonNode sample) {
		return !sample.get("value").get(1).asString().equals("NaN");
	}

	@TestFactory
	Stream<DynamicTest> everyQueryOfEveryPanelShowsSomething() {
		return forEachQuery((expression) -> {
			String query = interpolate(expression, ALL);
			awaitWhileOrdering(() -> assertThat(prometheus.query(query)).as(query).anyMatch(MonitoringTests::isNumber));
		});
	}

	@TestFactory
	Stream<DynamicTest> everyQueryOfEveryPanelKeepsToWhatIsSelected() {
		return forEachQuery((expression) -> {
			String query = interpolate(expression, SELECTED);
			awaitWhileOrdering(() -> assertThat(prometheus.query(query)).as(query).isNotEmpty().allSatisfy((sample) -> {
				JsonNode labels = sample.get("metric");
				for (String label : List.of("job", "stream", "group")) {
					assertThat(labels.path(label).asString(SELECTED.get(label))).isEqualTo(SELECTED.get(label));
				}
			}));
		});
	}

	@TestFactory
	Stream<DynamicTest> everyVariableHasValues() {
		Map<String, String[]> values = Map.of("job", new String[] { PrometheusServer.JOB }, "stream",
				new String[] { STREAM, "app:reminders" }, "group", new String[] { "billing", "sample-app" });
		return MonitoringFiles.elements(MonitoringFiles.dashboard().at("/templating/list"))
			.stream()
			.filter((variable) -> variable.get("type").asString().equals("query"))
			.map((variable) -> {
				String name = variable.get("name").asString();
				MatchResult query = LABEL_VALUES.matcher(variable.at("/query/query").asString())
					.results()
					.findFirst()
					.orElseThrow();
				return DynamicTest.dynamicTest(name, () -> awaitWhileOrdering(
						() -> assertThat(prometheus.labelValues(query.group(2), interpolate(query.group(1), ALL)))
							.containsExactlyInAnyOrder(values.get(name))));
			});
	}

	@Test
	void everyRuleIsEvaluatedWithoutError() {
		List<String> names = MonitoringFiles.rules().stream().map(Rule::alert).toList();
		awaitWhileOrdering(() -> assertThat(prometheus.rules()).allSatisfy((rule) -> {
			assertThat(rule.get("health").asString()).as(rule.toString()).isEqualTo("ok");
			assertThat(rule.path("lastError").asString("")).isEmpty();
		}).extracting((rule) -> rule.get("name").asString()).containsExactlyElementsOf(names));
	}

	/**
	 * An expression that asks for a meter or a tag that there is not is silent for ever.
	 */
	@TestFactory
	Stream<DynamicTest> everyRuleAsksForMetersAndTagsThatThereAre() {
		return MonitoringFiles.rules()
			.stream()
			.map((rule) -> DynamicTest.dynamicTest(rule.alert(), () -> awaitWhileOrdering(() -> {
				String tags = GROUPED_BY.matcher(rule.expression())
					.results()
					.flatMap((by) -> Arrays.stream(by.group(1).split(", ")))
					.distinct()
					.map((tag) -> tag + "!=\"\"")
					.collect(Collectors.joining(", ", "{", "}"));
				assertThat(MonitoringFiles.meters(rule.expression())).isNotEmpty().allSatisfy((meter) -> {
					String selector = meter.startsWith("process_") ? "{job!=\"\", instance!=\"\"}" : tags;
					assertThat(prometheus.query(meter + selector)).as(meter + selector).isNotEmpty();
				});
			})));
	}

	@Test
	void anOrderThatCannotBeBilledRaisesOneAlertAndNoOther() {
		awaitWhileOrdering(() -> assertThat(prometheus.query("ALERTS{alertstate=\"firing\"}")).singleElement()
			.satisfies((alert) -> assertThat(alert.get("metric").toString()).contains("RedisStreamsDeadLettersArriving",
					"ticket", PrometheusServer.JOB, STREAM, "billing")));
	}

	@FunctionalInterface
	private interface QueryTest {

		void run(String expression) throws Exception;

	}

}
