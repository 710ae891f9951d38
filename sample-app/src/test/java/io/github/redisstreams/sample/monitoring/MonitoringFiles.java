package io.github.redisstreams.sample.monitoring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The files in docs/monitoring.
 */
final class MonitoringFiles {

	static final Path DOCS = Path.of(System.getProperty("basedir", "")).resolve("../docs").toAbsolutePath().normalize();

	static final Path FOLDER = DOCS.resolve("monitoring");

	static final Path ALERTS = FOLDER.resolve("alerts.yml");

	static final Path ALERTS_TESTS = FOLDER.resolve("alerts-tests.yml");

	static final Path DASHBOARD = FOLDER.resolve("dashboard.json");

	private static final Pattern METER = Pattern.compile("\\b(?:redis_streams|process)_\\w+");

	private MonitoringFiles() {
	}

	static List<Rule> rules() {
		List<Map<String, Object>> groups = list(yaml(ALERTS), "groups");
		return groups.stream().flatMap((group) -> list(group, "rules").stream()).map(Rule::of).toList();
	}

	/**
	 * The tests of the rules, one after the other.
	 */
	static List<Map<String, Object>> ruleTests() {
		return list(yaml(ALERTS_TESTS), "tests").stream()
			.flatMap((test) -> list(test, "alert_rule_test").stream())
			.toList();
	}

	static JsonNode dashboard() {
		return new JsonMapper().readTree(read(DASHBOARD));
	}

	/**
	 * The panels of the dashboard that show something, so without rows.
	 */
	static List<JsonNode> panels() {
		return elements(dashboard().get("panels")).stream()
			.filter((panel) -> !panel.get("type").asString().equals("row"))
			.toList();
	}

	static List<JsonNode> elements(JsonNode array) {
		return StreamSupport.stream(array.spliterator(), false).toList();
	}

	/**
	 * The names of the meters in an expression.
	 */
	static Set<String> meters(String expression) {
		return METER.matcher(expression)
			.results()
			.map(MatchResult::group)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Map<String, Object> yaml(Path file) {
		return new Yaml(new SafeConstructor(new LoaderOptions())).load(read(file));
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> list(Map<String, Object> parent, String name) {
		return (List<Map<String, Object>>) parent.get(name);
	}

	/**
	 * An alert rule.
	 */
	record Rule(String alert, String expression, String severity, Map<String, String> annotations) {

		@SuppressWarnings("unchecked")
		private static Rule of(Map<String, Object> rule) {
			return new Rule((String) rule.get("alert"), (String) rule.get("expr"),
					((Map<String, String>) rule.get("labels")).get("severity"),
					(Map<String, String>) rule.get("annotations"));
		}

	}

}
