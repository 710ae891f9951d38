package io.github.redisstreams.autoconfigure.actuate;

import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That docs/actuator.md shows what the endpoint has.
 */
class ActuatorDocumentationTests {

	private static final Path PAGE = Path.of(System.getProperty("basedir", ""), "..", "docs", "actuator.md");

	/** A name in a map, which is not for the endpoint to choose. */
	private static final String ANY = "/*";

	private static String page() throws IOException {
		return Files.readString(PAGE);
	}

	private static List<JsonNode> blocks() throws IOException {
		return Pattern.compile("(?ms)^```json\n(\\{.*?)^```")
			.matcher(page())
			.results()
			.map((block) -> JsonMapper.shared().readTree(block.group(1)))
			.toList();
	}

	private static void collectPaths(String path, JsonNode node, Set<String> paths) {
		if (node.isArray()) {
			node.forEach((element) -> collectPaths(path, element, paths));
		}
		else if (node.isObject()) {
			boolean map = Pattern.compile("/(listeners|fields|errors|result)$").matcher(path).find();
			node.propertyStream().forEach((property) -> {
				String child = path + (map ? ANY : "/" + property.getKey());
				paths.add(child);
				collectPaths(child, property.getValue(), paths);
			});
		}
	}

	private static void collectPaths(String path, Type type, Set<String> paths) {
		if (type instanceof ParameterizedType generic) {
			Type[] arguments = generic.getActualTypeArguments();
			boolean map = arguments.length == 2;
			if (map) {
				paths.add(path + ANY);
			}
			collectPaths(map ? path + ANY : path, arguments[arguments.length - 1], paths);
		}
		else if (type instanceof Class<?> record && record.isRecord()) {
			for (RecordComponent component : record.getRecordComponents()) {
				paths.add(path + "/" + component.getName());
				collectPaths(path + "/" + component.getName(), component.getGenericType(), paths);
			}
		}
	}

	@Test
	void showsEveryFieldOfEveryResponseAndNoOther() throws IOException {
		Set<String> shown = new TreeSet<>();
		for (JsonNode block : blocks()) {
			if (!block.has("events")) {
				collectPaths("", block, shown);
			}
		}
		// Within the entries of a redrive
		shown.removeIf((path) -> path.startsWith("/result/*/"));
		Set<String> there = new TreeSet<>();
		Stream
			.of(ListenersDescriptor.class, ListenerDetailsDescriptor.class, ActionDescriptor.class,
					ErrorDescriptor.class)
			.forEach((type) -> collectPaths("", type, there));
		// Of a healthy listener the list shows no error
		there.remove("/listeners/*/lastError");
		assertThat(shown).isEqualTo(there);
	}

	@Test
	void listsEveryPropertyWithItsDefault() throws IOException {
		Map<String, String> properties = new TreeMap<>();
		String metadata = "META-INF/spring-configuration-metadata.json";
		for (URL file : Collections.list(ActuatorDocumentationTests.class.getClassLoader().getResources(metadata))) {
			for (JsonNode property : JsonMapper.shared().readTree(file.openStream()).path("properties")) {
				String name = property.path("name").stringValue("");
				if (name.startsWith("management.endpoint.redisstreams.")) {
					properties.put(name, property.path("defaultValue").asString("none"));
				}
			}
		}
		Map<String, String> listed = Pattern
			.compile("(?m)^\\| `(management\\.endpoint\\.redisstreams\\.[a-z.-]+)` \\| `?([^`|]+?)`? \\|")
			.matcher(page())
			.results()
			.collect(Collectors.toMap((row) -> row.group(1), (row) -> row.group(2).strip(), (one, other) -> one,
					TreeMap::new));
		assertThat(listed).isEqualTo(properties).hasSize(5);
	}

	@Test
	void namesEveryActionAndEveryParameter() throws IOException {
		String page = page();
		for (ListenerAction action : ListenerAction.values()) {
			assertThat(page).containsPattern("[`\"]" + action + "[`\"]")
				.satisfies((text) -> action.parameters()
					.forEach((parameter) -> assertThat(text).contains("`" + parameter + "`")));
		}
	}

	@Test
	void statesTheBoundsThatAreKept() throws IOException {
		assertThat(page()).contains("| `groups` | ")
			.containsPattern("XINFO GROUPS`, and scripts \\| " + ListenerReader.MOST_GROUPS + " ")
			.containsPattern("XINFO CONSUMERS` \\| " + ListenerReader.MOST_CONSUMERS + " ")
			.containsPattern("250 at a time \\| " + ListenerReader.MOST_DELIVERED + ", of 1,000 ")
			.containsPattern("XREVRANGE` \\| " + ListenerReader.MOST_LETTERS + " ");
		assertThat(ListenerReader.MOST_SEARCHED).isEqualTo(1000);
	}

}
