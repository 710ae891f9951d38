package io.github.redisstreams.autoconfigure;

import java.beans.PropertyDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsProperties.ListenerProperties;
import io.github.redisstreams.autoconfigure.RedisStreamsProperties.NamedListenerProperties;
import io.github.redisstreams.listener.CircuitOptions;
import io.github.redisstreams.listener.DeadLetterOptions;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.failure.RetryOptions;
import io.github.redisstreams.publish.PublisherOptions;
import io.github.redisstreams.publish.PublisherSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.BeanWrapperImpl;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What the metadata, the annotation and README.md say about options is what the code
 * does.
 */
class ConfigurationMetadataTests {

	private static final String METADATA = "META-INF/spring-configuration-metadata.json";

	private static final String LISTENER = "redis.streams.listener.";

	private static final String PUBLISHER = "redis.streams.publisher.";

	/** Follow from other settings, so there is no fixed default. */
	private static final Set<String> WITHOUT_DEFAULT = Set.of("redis.streams.consumer", "redis.streams.listeners",
			LISTENER + "group", LISTENER + "claim-interval", LISTENER + "failure-handler", LISTENER + "retry.includes",
			LISTENER + "retry.excludes", LISTENER + "dead-letter.stream", PUBLISHER + "promote", PUBLISHER + "streams",
			"redis.streams.health.max-lag", "redis.streams.health.max-oldest-pending");

	/** Too special for the annotation, unless they have an attribute of another name. */
	private static final String[] WITHOUT_ATTRIBUTE = { "stream", "consumerExpiry", "idleEventInterval", "retry",
			"deadLetter", "circuit" };

	private static final String[] ATTRIBUTES_OF_GROUPS = { "retryIncludes", "retryExcludes", "deadLetterStream" };

	private static final Map<String, JsonNode> properties = new TreeMap<>();

	@BeforeAll
	static void readMetadata() throws IOException {
		for (URL file : Collections.list(ConfigurationMetadataTests.class.getClassLoader().getResources(METADATA))) {
			try (InputStream content = file.openStream()) {
				for (JsonNode property : JsonMapper.shared().readTree(content).path("properties")) {
					if (property.path("name").stringValue("").startsWith("redis.streams")) {
						properties.put(property.path("name").stringValue(), property);
					}
				}
			}
		}
	}

	@Test
	void everyPropertyHasADescriptionAndAType() {
		assertThat(properties).hasSizeGreaterThan(10);
		properties.forEach((name, property) -> {
			assertThat(property.path("description").stringValue("")).as(name).isNotBlank();
			assertThat(property.path("type").stringValue("")).as(name).isNotBlank();
		});
	}

	@Test
	void everyPropertyWithAFixedDefaultNamesIt() {
		assertThat(defaults().keySet()).containsExactlyInAnyOrderElementsOf(
				properties.keySet().stream().filter((name) -> !WITHOUT_DEFAULT.contains(name)).toList());
	}

	@Test
	void defaultsOfListenersAreThoseOfTheirOptions() throws ReflectiveOperationException {
		ListenerOptions options = ListenerOptions.builder().stream("s").group("g").consumer("c").build("id", "test");
		BeanWrapperImpl bound = new BeanWrapperImpl(bindDefaults().getListener());
		List<String> compared = new ArrayList<>();
		compareDefaults("", options, bound, compared);
		assertThat(compared).containsExactlyInAnyOrderElementsOf(
				defaults().keySet().stream().filter((name) -> name.startsWith(LISTENER)).toList());
	}

	private static void compareDefaults(String group, Record options, BeanWrapperImpl bound, List<String> compared)
			throws ReflectiveOperationException {
		for (RecordComponent component : options.getClass().getRecordComponents()) {
			String name = group + component.getName();
			Object value = component.getAccessor().invoke(options);
			if (value instanceof Record nested) {
				compareDefaults(name + ".", nested, bound, compared);
			}
			else if (defaults().containsKey(LISTENER + kebab(name))) {
				assertThat(bound.getPropertyValue(name)).as(name).isEqualTo(value);
				compared.add(LISTENER + kebab(name));
			}
		}
	}

	@Test
	void defaultsOfThePublisherAreThoseOfItsOptions() {
		PublisherProperties bound = bindDefaults().getPublisher();
		PropertiesPublisherSettings settings = new PropertiesPublisherSettings(bound, UnaryOperator.identity(), null);
		assertThat(settings.options("events")).isEqualTo(PublisherOptions.DEFAULTS);
		assertThat(settings.afterCommit()).isEqualTo(PublisherSettings.DEFAULTS.afterCommit());
	}

	@Test
	void everyPublisherPropertyIsInTheMetadata() {
		Set<String> bound = without(beanProperties(PublisherProperties.class), "tracking", "durability");
		beanProperties(StreamPublisherProperties.Tracking.class).forEach((name) -> bound.add("tracking." + name));
		beanProperties(StreamPublisherProperties.Durability.class).forEach((name) -> bound.add("durability." + name));
		assertThat(bound.stream().map(ConfigurationMetadataTests::kebab))
			.containsExactlyInAnyOrderElementsOf(inMetadata(PUBLISHER));
	}

	@Test
	void defaultsElsewhereAreThoseOfTheProperties() {
		RedisStreamsProperties bound = bindDefaults();
		RedisStreamsProperties unset = new RedisStreamsProperties();
		assertThat(bound.isEnabled()).isEqualTo(unset.isEnabled());
		assertThat(bound.getMetrics().getInterval()).isEqualTo(unset.getMetrics().getInterval());
		assertThat(bound.getHealth()).usingRecursiveComparison().isEqualTo(unset.getHealth());
	}

	@Test
	void everyOptionIsAPropertyAndAnAttribute() {
		Set<String> options = Arrays.stream(ListenerOptions.class.getRecordComponents())
			.map(RecordComponent::getName)
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(beanProperties(NamedListenerProperties.class)).isEqualTo(options);
		assertThat(beanProperties(ListenerProperties.class)).isEqualTo(without(options, "stream", "consumer"));
		Set<String> attributes = Arrays.stream(StreamListener.class.getDeclaredMethods())
			.map(Method::getName)
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(without(attributes, "value", "id")).containsExactlyInAnyOrderElementsOf(
				Stream.concat(without(options, WITHOUT_ATTRIBUTE).stream(), Arrays.stream(ATTRIBUTES_OF_GROUPS))
					.toList());
	}

	@ParameterizedTest
	@MethodSource
	void everyOptionOfAGroupIsAProperty(Class<? extends Record> options, Class<?> properties) {
		assertThat(beanProperties(properties)).isEqualTo(Arrays.stream(options.getRecordComponents())
			.map(RecordComponent::getName)
			.collect(Collectors.toCollection(TreeSet::new)));
	}

	static Stream<Arguments> everyOptionOfAGroupIsAProperty() {
		return Stream.of(arguments(RetryOptions.class, ListenerProperties.Retry.class),
				arguments(DeadLetterOptions.class, ListenerProperties.DeadLetter.class),
				arguments(CircuitOptions.class, ListenerProperties.Circuit.class));
	}

	@Test
	void everyListenerPropertyIsInTheMetadata() {
		Set<String> bound = without(beanProperties(ListenerProperties.class), "retry", "deadLetter", "circuit");
		beanProperties(ListenerProperties.Retry.class).forEach((name) -> bound.add("retry." + name));
		beanProperties(ListenerProperties.DeadLetter.class).forEach((name) -> bound.add("deadLetter." + name));
		beanProperties(ListenerProperties.Circuit.class).forEach((name) -> bound.add("circuit." + name));
		assertThat(bound.stream().map(ConfigurationMetadataTests::kebab))
			.containsExactlyInAnyOrderElementsOf(inMetadata(LISTENER));
	}

	private static Set<String> inMetadata(String prefix) {
		return properties.keySet()
			.stream()
			.filter((name) -> name.startsWith(prefix))
			.map((name) -> name.substring(prefix.length()))
			.collect(Collectors.toSet());
	}

	@Test
	void tableInReadmeIsThatOfTheMetadata() throws IOException {
		Pattern row = Pattern
			.compile("(?m)^\\| `(redis\\.streams\\.[a-z.-]+)` \\| (\\w+) \\| (`([^`|]+)`|[^|]+) \\| [^|]+ \\|$");
		Map<String, Row> readme = new TreeMap<>();
		row.matcher(Files.readString(document("README.md")))
			.results()
			.forEach((match) -> readme.put(match.group(1), new Row(match.group(2), match.group(4))));
		Map<String, Row> metadata = new TreeMap<>();
		properties.forEach((name, property) -> {
			String type = property.path("type").stringValue("").replaceAll("<.*", "");
			metadata.put(name, new Row(ClassUtils.getShortName(type), defaults().get(name)));
		});
		assertThat(readme).isEqualTo(metadata);
	}

	@ParameterizedTest
	@MethodSource
	void yamlInDocumentsSetsPropertiesThatExist(String document) throws IOException {
		String text = Files.readString(document(document));
		for (MatchResult block : Pattern.compile("(?ms)^```yaml\n(.*?)^```").matcher(text).results().toList()) {
			StandardEnvironment environment = new StandardEnvironment();
			ByteArrayResource yaml = new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8));
			new YamlPropertySourceLoader().load(document, yaml).forEach(environment.getPropertySources()::addFirst);
			Binder.get(environment)
				.bindOrCreate("redis.streams", Bindable.of(RedisStreamsProperties.class),
						new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
		}
	}

	static Stream<String> yamlInDocumentsSetsPropertiesThatExist() throws IOException {
		try (Stream<Path> files = Files.walk(document("docs"))) {
			return Stream.concat(Stream.of("README.md"),
					files.filter((file) -> file.toString().endsWith(".md"))
						.map((file) -> document("").relativize(file).toString())
						.sorted()
						.toList()
						.stream());
		}
	}

	private static Path document(String name) {
		return Path.of(System.getProperty("basedir", "")).resolve("..").resolve(name);
	}

	private static RedisStreamsProperties bindDefaults() {
		return new Binder(new MapConfigurationPropertySource(defaults()))
			.bind("redis.streams", RedisStreamsProperties.class)
			.get();
	}

	private static Map<String, String> defaults() {
		Map<String, String> defaults = new TreeMap<>();
		properties.forEach((name, property) -> {
			if (property.has("defaultValue")) {
				defaults.put(name, property.get("defaultValue").asString());
			}
		});
		return defaults;
	}

	private static Set<String> beanProperties(Class<?> type) {
		return Arrays.stream(new BeanWrapperImpl(type).getPropertyDescriptors())
			.map(PropertyDescriptor::getName)
			.filter((name) -> !name.equals("class"))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static Set<String> without(Set<String> names, String... left) {
		Set<String> remaining = new TreeSet<>(names);
		remaining.removeAll(Set.of(left));
		return remaining;
	}

	private static String kebab(String name) {
		return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
	}

	/**
	 * One row of the property table.
	 */
	private record Row(String type, @Nullable String defaultValue) {

	}

}
