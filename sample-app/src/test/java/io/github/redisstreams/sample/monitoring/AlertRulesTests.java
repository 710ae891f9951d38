package io.github.redisstreams.sample.monitoring;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.redisstreams.sample.monitoring.MonitoringFiles.Rule;
import io.github.redisstreams.sample.monitoring.PrometheusTools.Output;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The alert rules, their tests, and what the documents say of them.
 */
class AlertRulesTests {

	private static final Pattern ROW = Pattern.compile("(?m)^\\| `(RedisStreams\\w+)` \\| (\\w+) \\|");

	private static final Pattern NAME = Pattern.compile("`(RedisStreams[A-Z]\\w+)`");

	private static Set<String> names() {
		return MonitoringFiles.rules().stream().map(Rule::alert).collect(Collectors.toCollection(TreeSet::new));
	}

	@Test
	void areWellFormed() {
		Output output = PrometheusTools.promtool("check", "rules", MonitoringFiles.ALERTS.toString());
		assertThat(output.status()).as(output.text()).isZero();
		assertThat(output.text()).contains("SUCCESS: " + names().size() + " rules found");
	}

	@Test
	void fireWhenTheyShouldAndOnlyThen() {
		Output output = PrometheusTools.promtool("test", "rules", MonitoringFiles.ALERTS_TESTS.toString());
		assertThat(output.status()).as(output.text()).isZero();
		assertThat(output.text()).contains("SUCCESS");
	}

	@Test
	void eachIsTestedToFireAndToBeSilent() {
		Map<Boolean, Set<Object>> tested = MonitoringFiles.ruleTests()
			.stream()
			.collect(Collectors.partitioningBy((test) -> ((List<?>) test.get("exp_alerts")).isEmpty(),
					Collectors.mapping((test) -> test.get("alertname"), Collectors.toSet())));
		assertThat(tested.get(false)).as("fires").containsExactlyInAnyOrderElementsOf(names());
		assertThat(tested.get(true)).as("is silent").containsExactlyInAnyOrderElementsOf(names());
	}

	@Test
	void eachSaysWhatIsWrongAndWhereToLook() {
		assertThat(MonitoringFiles.rules()).isNotEmpty().allSatisfy((rule) -> {
			assertThat(rule.severity()).as(rule.alert()).isIn("page", "ticket");
			assertThat(rule.annotations()).as(rule.alert()).containsOnlyKeys("summary", "description");
			assertThat(rule.annotations().get("summary")).as(rule.alert())
				.containsAnyOf("$labels.stream", "$labels.job");
			assertThat(rule.annotations().get("description")).as(rule.alert())
				.contains("$labels.job")
				.containsAnyOf("/actuator/", "docs/", "Find out");
		});
	}

	@Test
	void theirPageListsEachWithItsSeverity() {
		Map<String, String> listed = new TreeMap<>();
		for (MatchResult row : ROW.matcher(MonitoringFiles.read(MonitoringFiles.FOLDER.resolve("README.md")))
			.results()
			.toList()) {
			assertThat(listed.put(row.group(1), row.group(2))).as("%s twice", row.group(1)).isNull();
		}
		assertThat(listed)
			.isEqualTo(MonitoringFiles.rules().stream().collect(Collectors.toMap(Rule::alert, Rule::severity)));
	}

	@Test
	void thePageOfMetersNamesEachAtAMeterThatItAsksFor() {
		Map<String, Rule> rules = MonitoringFiles.rules()
			.stream()
			.collect(Collectors.toMap(Rule::alert, (rule) -> rule));
		Set<String> named = new TreeSet<>();
		for (String line : MonitoringFiles.read(MonitoringFiles.DOCS.resolve("meters.md")).lines().toList()) {
			for (MatchResult name : NAME.matcher(line).results().toList()) {
				assertThat(rules).containsKey(name.group(1));
				if (line.startsWith("| `redis.streams.")) {
					assertThat(MonitoringFiles.meters(rules.get(name.group(1)).expression())).as(line)
						.contains(line.split("`")[3]);
				}
				named.add(name.group(1));
			}
		}
		assertThat(named).isEqualTo(names());
	}

}
