package io.github.redisstreams.sample.monitoring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.networknt.schema.Error;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.github.redisstreams.sample.monitoring.MonitoringFiles.Rule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That Grafana can load the dashboard, and that it is put together well.
 */
class DashboardTests {

	private static final Pattern VARIABLE = Pattern.compile("\\$(?:\\{(\\w+)}|(\\w+))");

	private final ObjectNode dashboard = (ObjectNode) MonitoringFiles.dashboard();

	private static List<Error> validate(JsonNode dashboard) {
		return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
			.getSchema(Objects.requireNonNull(DashboardTests.class.getResourceAsStream("dashboard-schema.json")))
			.validate(dashboard);
	}

	private List<JsonNode> variables() {
		return MonitoringFiles.elements(this.dashboard.get("templating").get("list"));
	}

	private List<JsonNode> targets() {
		return MonitoringFiles.panels()
			.stream()
			.flatMap((panel) -> MonitoringFiles.elements(panel.get("targets")).stream())
			.toList();
	}

	@Test
	void keepsToTheSchema() {
		assertThat(validate(this.dashboard)).isEmpty();
	}

	@Test
	void theSchemaIsStrict() {
		ObjectNode misspelt = this.dashboard.deepCopy();
		((ObjectNode) misspelt.at("/panels/1")).put("titel", "Lag");
		((ObjectNode) misspelt.at("/panels/1/fieldConfig/defaults")).put("unit", "seconds");
		((ObjectNode) misspelt.at("/panels/1/targets/0")).remove("expr");
		((ObjectNode) misspelt.at("/panels/2")).put("type", "graph");
		misspelt.put("schemaVersion", 16);
		assertThat(validate(misspelt)).extracting((error) -> error.getInstanceLocation().toString())
			.containsOnly("/panels/1", "/panels/1/fieldConfig/defaults/unit", "/panels/1/targets/0", "/panels/2/type",
					"/schemaVersion");
	}

	@Test
	void asksForNoDataSourceAtTheImport() {
		assertThat(this.dashboard.propertyNames()).doesNotContain("__inputs", "__requires");
		assertThat(variables()).first()
			.extracting((variable) -> variable.get("name").asString())
			.isEqualTo("datasource");
	}

	@Test
	void panelsHaveNumbersOfTheirOwnAndDoNotOverlap() {
		Set<Integer> ids = new HashSet<>();
		Set<String> taken = new HashSet<>();
		for (JsonNode panel : this.dashboard.get("panels")) {
			assertThat(ids.add(panel.get("id").asInt())).as("id of %s", panel.get("title")).isTrue();
			JsonNode position = panel.get("gridPos");
			int left = position.get("x").asInt();
			int top = position.get("y").asInt();
			assertThat(left + position.get("w").asInt()).as("right edge of %s", panel.get("title"))
				.isLessThanOrEqualTo(24);
			for (int x = left; x < left + position.get("w").asInt(); x++) {
				for (int y = top; y < top + position.get("h").asInt(); y++) {
					assertThat(taken.add(x + "," + y)).as("%s has %s,%s for itself", panel.get("title"), x, y).isTrue();
				}
			}
		}
	}

	@Test
	void queriesOfAPanelHaveNamesOfTheirOwn() {
		assertThat(MonitoringFiles.panels()).isNotEmpty()
			.allSatisfy((panel) -> assertThat(MonitoringFiles.elements(panel.get("targets")))
				.extracting((target) -> target.get("refId").asString())
				.doesNotHaveDuplicates());
	}

	@Test
	void usesEachVariableThatItDefinesAndNoOther() {
		Set<String> used = new TreeSet<>();
		List<String> texts = new ArrayList<>(targets().stream().map(JsonNode::toString).toList());
		variables().forEach((variable) -> texts.add(variable.toString()));
		for (String text : texts) {
			for (MatchResult variable : VARIABLE.matcher(text).results().toList()) {
				used.add(Objects.requireNonNullElse(variable.group(1), variable.group(2)));
			}
		}
		used.removeAll(Set.of("__all", "__range", "__rate_interval"));
		assertThat(variables()).extracting((variable) -> variable.get("name").asString())
			.doesNotHaveDuplicates()
			.containsExactlyInAnyOrderElementsOf(used);
	}

	@Test
	void everyQueryKeepsToWhatIsSelected() {
		Pattern selector = Pattern.compile("redis_streams_\\w+(\\{[^}]*})?");
		assertThat(targets()).allSatisfy((target) -> {
			String expression = target.get("expr").asString();
			assertThat(selector.matcher(expression).results().map(MatchResult::group)).as(expression)
				.allSatisfy((use) -> assertThat(use).contains("{job=~\"$job\", stream=~\"$stream\""));
		});
	}

	/**
	 * What a person is called for is red where they look.
	 */
	@ParameterizedTest
	@CsvSource({ "RedisStreamsPollerStalled, Longest since a poll", "RedisStreamsOldestUndelivered, Oldest undelivered",
			"RedisStreamsOldestPending, Oldest pending", "RedisStreamsPollerStalled, Time since the last poll",
			"RedisStreamsOldestPending, Age of the oldest entries" })
	void panelsAreRedFromWhereTheAlertsAre(String alert, String title) {
		Rule rule = MonitoringFiles.rules()
			.stream()
			.filter((each) -> each.alert().equals(alert))
			.findFirst()
			.orElseThrow();
		JsonNode panel = MonitoringFiles.panels()
			.stream()
			.filter((each) -> each.get("title").asString().equals(title))
			.findFirst()
			.orElseThrow();
		Set<String> red = MonitoringFiles.elements(panel.at("/fieldConfig/defaults/thresholds/steps"))
			.stream()
			.filter((step) -> step.get("color").asString().equals("red"))
			.map((step) -> step.get("value").asString())
			.collect(Collectors.toSet());
		assertThat(red).singleElement()
			.satisfies((bound) -> assertThat(rule.expression()).containsPattern("> " + bound + "\\b"));
		assertThat(MonitoringFiles.elements(panel.get("targets"))).anySatisfy((target) -> assertThat(rule.expression())
			.contains(MonitoringFiles.meters(target.get("expr").asString())));
	}

}
