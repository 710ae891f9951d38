package io.github.redisstreams.config;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.listener.AckMode;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.OnSuccess;
import io.github.redisstreams.listener.failure.FailureHandler;
import io.github.redisstreams.listener.failure.RetryOptions;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.ConsumerNames;
import io.github.redisstreams.test.StubCommands;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Which of the places where an option can be set wins.
 */
class ListenerPrecedenceTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RedisStreamsAutoConfiguration.class))
		.withBean(StreamCommands.class, StubCommands::new)
		.withBean(NoStart.class);

	private static ListenerOptions options(ApplicationContext context, String id) {
		StreamListenerRegistry registry = context.getBean(StreamListenerRegistry.class);
		return Objects.requireNonNull(registry.getContainer(id), "container of " + id).getOptions();
	}

	/**
	 * One option: its property, how to read it, the built-in default, and the values of
	 * five levels from the lowest to the highest.
	 */
	record Option(String property, Function<ListenerOptions, Object> value, Object builtIn, List<String> texts,
			List<?> values) {

		@Override
		public String toString() {
			return this.property;
		}

	}

	static Stream<Option> options() {
		return Stream.of(
				new Option("group", ListenerOptions::group, "the-application",
						List.of("default", "annotation", "name", "id"), List.of("default", "annotation", "name", "id")),
				new Option("start-from", ListenerOptions::startFrom, "earliest", List.of("latest", "1-1", "1-2", "1-3"),
						List.of("latest", "1-1", "1-2", "1-3")),
				new Option("concurrency", ListenerOptions::concurrency, 1, List.of("2", "3", "4", "5"),
						List.of(2, 3, 4, 5)),
				new Option("batch-size", ListenerOptions::batchSize, 100, List.of("20", "30", "40", "50"),
						List.of(20, 30, 40, 50)),
				new Option("poll-timeout", ListenerOptions::pollTimeout, Duration.ofSeconds(2),
						List.of("1100ms", "1200ms", "1300ms", "PT1.4S"), millis(1100, 1200, 1300, 1400)),
				new Option("min-idle", ListenerOptions::minIdle, Duration.ofSeconds(60),
						List.of("20s", "30s", "40s", "50s"), millis(20_000, 30_000, 40_000, 50_000)),
				new Option("claim-interval", ListenerOptions::claimInterval, Duration.ofSeconds(5),
						List.of("1s", "2s", "3s", "4s"), millis(1000, 2000, 3000, 4000)),
				new Option("ack-mode", ListenerOptions::ackMode, AckMode.ON_SUCCESS,
						List.of("always", "manual", "always", "manual"),
						List.of(AckMode.ALWAYS, AckMode.MANUAL, AckMode.ALWAYS, AckMode.MANUAL)),
				new Option("shutdown-timeout", ListenerOptions::shutdownTimeout, Duration.ofSeconds(20),
						List.of("1s", "2s", "3s", "4s"), millis(1000, 2000, 3000, 4000)),
				new Option("max-deliveries", ListenerOptions::maxDeliveries, 5, List.of("2", "3", "4", "6"),
						List.of(2, 3, 4, 6)),
				new Option("on-success", ListenerOptions::onSuccess, OnSuccess.KEEP,
						List.of("delete", "keep", "delete", "keep"),
						List.of(OnSuccess.DELETE, OnSuccess.KEEP, OnSuccess.DELETE, OnSuccess.KEEP)),
				new Option("dead-letter.stream", ListenerOptions::deadLetterStream, "{events}:dlq",
						List.of("default", "annotation", "name", "id"), List.of("default", "annotation", "name", "id")),
				new Option("retry.includes", (options) -> options.retry().includes(), List.of(),
						List.of("java.lang.Error", "java.io.IOException", "java.lang.Exception",
								"java.lang.Error,java.io.IOException"),
						List.of(List.of(Error.class), List.of(IOException.class), List.of(Exception.class),
								List.of(Error.class, IOException.class))),
				new Option("retry.excludes", (options) -> options.retry().excludes(), List.of(),
						List.of("java.lang.Error", "java.io.IOException", "java.lang.Exception", ""),
						List.of(List.of(Error.class), List.of(IOException.class), List.of(Exception.class),
								List.of())));
	}

	/**
	 * Options that the annotation has no attribute for: the values of three levels.
	 */
	static Stream<Option> optionsWithoutAttribute() {
		return Stream.of(
				new Option("consumer-expiry", ListenerOptions::consumerExpiry, Duration.ofDays(1),
						List.of("1h", "0", "2s"), millis(3_600_000, 0, 2000)),
				new Option("idle-event-interval", ListenerOptions::idleEventInterval, Duration.ZERO,
						List.of("1h", "0", "2s"), millis(3_600_000, 0, 2000)),
				new Option("retry.initial-interval", (options) -> options.retry().initialInterval(),
						Duration.ofSeconds(1), List.of("2s", "3s", "4s"), millis(2000, 3000, 4000)),
				new Option("retry.multiplier", (options) -> options.retry().multiplier(), 2.0, List.of("1.5", "3", "4"),
						List.of(1.5, 3.0, 4.0)),
				new Option("retry.max-interval", (options) -> options.retry().maxInterval(), Duration.ofMinutes(1),
						List.of("2m", "3m", "4m"), millis(120_000, 180_000, 240_000)),
				new Option("retry.jitter", (options) -> options.retry().jitter(), 0.2, List.of("0", "0.5", "1"),
						List.of(0.0, 0.5, 1.0)),
				new Option("dead-letter.enabled", (options) -> options.deadLetter().enabled(), true,
						List.of("false", "true", "false"), List.of(false, true, false)),
				new Option("dead-letter.max-length", (options) -> options.deadLetter().maxLength(), 100_000L,
						List.of("1", "2", "3000000000"), List.of(1L, 2L, 3_000_000_000L)),
				new Option("dead-letter.stack-trace", (options) -> options.deadLetter().stackTrace(), true,
						List.of("false", "true", "false"), List.of(false, true, false)),
				new Option("circuit.enabled", (options) -> options.circuit().enabled(), true,
						List.of("false", "true", "false"), List.of(false, true, false)),
				new Option("circuit.window", (options) -> options.circuit().window(), Duration.ofSeconds(10),
						List.of("2s", "3s", "4s"), millis(2000, 3000, 4000)),
				new Option("circuit.minimum-failures", (options) -> options.circuit().minimumFailures(), 20,
						List.of("2", "3", "4"), List.of(2, 3, 4)),
				new Option("circuit.failure-rate", (options) -> options.circuit().failureRate(), 0.9,
						List.of("0.1", "0.5", "1"), List.of(0.1, 0.5, 1.0)),
				new Option("circuit.initial-pause", (options) -> options.circuit().initialPause(),
						Duration.ofSeconds(1), List.of("2s", "3s", "4s"), millis(2000, 3000, 4000)),
				new Option("circuit.max-pause", (options) -> options.circuit().maxPause(), Duration.ofMinutes(1),
						List.of("2m", "3m", "4m"), millis(120_000, 180_000, 240_000)));
	}

	@ParameterizedTest
	@MethodSource("optionsWithoutAttribute")
	void idWinsOverNameOverDefaultsOverWhatIsBuiltIn(Option option) {
		List<String> properties = new ArrayList<>(List.of("spring.application.name=the-application"));
		assertThat(valueOf(option, Plain.class, properties)).isEqualTo(option.builtIn());
		List<String> levels = List.of("listener", "listeners.events", "listeners.my-id");
		for (int i = 0; i < levels.size(); i++) {
			properties.add("redis.streams." + levels.get(i) + "." + option.property() + "=" + option.texts().get(i));
			assertThat(valueOf(option, Plain.class, properties)).isEqualTo(option.values().get(i));
		}
	}

	private static List<Duration> millis(long... millis) {
		return Arrays.stream(millis).mapToObj(Duration::ofMillis).toList();
	}

	@ParameterizedTest
	@MethodSource("options")
	void idWinsOverNameOverAnnotationOverDefaultsOverWhatIsBuiltIn(Option option) {
		List<String> properties = new ArrayList<>(List.of("spring.application.name=the-application"));
		assertThat(valueOf(option, Plain.class, properties)).isEqualTo(option.builtIn());
		properties.add("redis.streams.listener." + option.property() + "=" + option.texts().get(0));
		assertThat(valueOf(option, Plain.class, properties)).isEqualTo(option.values().get(0));
		properties.add("app.value=" + option.texts().get(1));
		assertThat(valueOf(option, annotated(option), properties)).isEqualTo(option.values().get(1));
		properties.add("redis.streams.listeners.events." + option.property() + "=" + option.texts().get(2));
		assertThat(valueOf(option, annotated(option), properties)).isEqualTo(option.values().get(2));
		properties.add("redis.streams.listeners.my-id." + option.property() + "=" + option.texts().get(3));
		assertThat(valueOf(option, annotated(option), properties)).isEqualTo(option.values().get(3));
	}

	private Object valueOf(Option option, Class<?> listener, List<String> properties) {
		List<Object> value = new ArrayList<>();
		this.runner.withUserConfiguration(listener)
			.withPropertyValues(properties.toArray(String[]::new))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				value.add(option.value().apply(options(context, "my-id")));
			});
		return value.get(0);
	}

	private static Class<?> annotated(Option option) {
		return switch (option.property()) {
			case "group" -> Group.class;
			case "start-from" -> StartFrom.class;
			case "concurrency" -> Concurrency.class;
			case "batch-size" -> BatchSize.class;
			case "poll-timeout" -> PollTimeout.class;
			case "min-idle" -> MinIdle.class;
			case "claim-interval" -> ClaimInterval.class;
			case "ack-mode" -> Acknowledging.class;
			case "shutdown-timeout" -> ShutdownTimeout.class;
			case "max-deliveries" -> MaxDeliveries.class;
			case "on-success" -> Succeeding.class;
			case "dead-letter.stream" -> DeadLetterStream.class;
			case "retry.includes", "retry.excludes" -> RetriedExceptions.class;
			default -> throw new IllegalArgumentException(option.property());
		};
	}

	@Test
	void autoStartupFollowsTheSamePrecedence() {
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(RedisStreamsAutoConfiguration.class))
			.withBean(StreamCommands.class, () -> mock(StreamCommands.class))
			.withUserConfiguration(AutoStartup.class)
			.withPropertyValues("redis.streams.listener.group=g", "redis.streams.listener.auto-startup=true");
		runner.withPropertyValues("app.value=false")
			.run((context) -> assertThat(options(context, "my-id").autoStartup()).isFalse());
		runner = runner.withPropertyValues("app.value=true", "redis.streams.listeners.events.auto-startup=false");
		runner.run((context) -> assertThat(options(context, "my-id").autoStartup()).isFalse());
		runner
			.withPropertyValues("app.value=true", "redis.streams.listeners.events.auto-startup=true",
					"redis.streams.listeners.my-id.auto-startup=false")
			.run((context) -> assertThat(options(context, "my-id").autoStartup()).isFalse());
	}

	@Test
	void theConsumerFollowsTheSamePrecedenceAndDefaultsToTheHost() {
		this.runner.withUserConfiguration(Plain.class)
			.withPropertyValues("redis.streams.listener.group=g")
			.run((context) -> assertThat(options(context, "my-id").consumer()).isEqualTo(ConsumerNames.ofHost()));
		ApplicationContextRunner annotated = this.runner.withUserConfiguration(Consumer.class)
			.withPropertyValues("redis.streams.listener.group=g", "redis.streams.consumer=default",
					"app.value=annotation");
		this.runner.withUserConfiguration(Plain.class)
			.withPropertyValues("redis.streams.listener.group=g", "redis.streams.consumer=default")
			.run((context) -> assertThat(options(context, "my-id").consumer()).isEqualTo("default"));
		annotated.run((context) -> assertThat(options(context, "my-id").consumer()).isEqualTo("annotation"));
		annotated = annotated.withPropertyValues("redis.streams.listeners.events.consumer=name");
		annotated.run((context) -> assertThat(options(context, "my-id").consumer()).isEqualTo("name"));
		annotated.withPropertyValues("redis.streams.listeners.my-id.consumer=id")
			.run((context) -> assertThat(options(context, "my-id").consumer()).isEqualTo("id"));
	}

	@Test
	void theFailureHandlerFollowsTheSamePrecedenceAndDefaultsToThePrimaryBean() {
		ApplicationContextRunner runner = this.runner.withUserConfiguration(FailureHandlers.class, Handling.class)
			.withPropertyValues("redis.streams.listener.group=g", "app.value=");
		runner.run((context) -> assertThat(handlerOf(context)).isEqualTo("main"));
		runner = runner.withPropertyValues("redis.streams.listener.failure-handler=first");
		runner.run((context) -> assertThat(handlerOf(context)).isEqualTo("first"));
		runner = runner.withPropertyValues("app.value=second");
		runner.run((context) -> assertThat(handlerOf(context)).isEqualTo("second"));
		runner = runner.withPropertyValues("redis.streams.listeners.events.failure-handler=third");
		runner.run((context) -> assertThat(handlerOf(context)).isEqualTo("third"));
		runner = runner.withPropertyValues("redis.streams.listeners.my-id.failure-handler=first");
		runner.run((context) -> assertThat(handlerOf(context)).isEqualTo("first"));
		runner = runner.withPropertyValues("redis.streams.listeners.my-id.failure-handler=");
		runner.run((context) -> assertThat(handlerOf(context)).isEqualTo("third"));
	}

	private static @Nullable String handlerOf(ApplicationContext context) {
		FailureHandler handler = options(context, "my-id").failureHandler();
		return context.getBeansOfType(FailureHandler.class)
			.entrySet()
			.stream()
			.filter((bean) -> bean.getValue() == handler)
			.map(Map.Entry::getKey)
			.findFirst()
			.orElse(null);
	}

	@Test
	void aGroupIsNotReplacedButChangedByEachLevel() {
		this.runner.withUserConfiguration(Plain.class)
			.withPropertyValues("redis.streams.listener.group=g", "redis.streams.listener.retry.multiplier=3",
					"redis.streams.listeners.events.retry.jitter=0.5",
					"redis.streams.listeners.my-id.retry.max-interval=5m")
			.run((context) -> assertThat(options(context, "my-id").retry()).isEqualTo(RetryOptions.DEFAULTS.mutate()
				.multiplier(3)
				.jitter(0.5)
				.maxInterval(Duration.ofMinutes(5))
				.build()));
	}

	@Test
	void anEmptyDeadLetterStreamMeansTheDefault() {
		this.runner.withUserConfiguration(Plain.class)
			.withPropertyValues("redis.streams.listener.group=g", "redis.streams.listener.dead-letter.stream=all:dead",
					"redis.streams.listeners.my-id.dead-letter.stream=")
			.run((context) -> assertThat(options(context, "my-id").deadLetterStream()).isEqualTo("{events}:dlq"));
	}

	@Test
	void theStreamIsSetUnderNameOrIdAndDefaultsToTheName() {
		ApplicationContextRunner runner = this.runner.withUserConfiguration(Plain.class)
			.withPropertyValues("redis.streams.listener.group=g");
		runner.run((context) -> assertThat(options(context, "my-id").stream()).isEqualTo("events"));
		runner = runner.withPropertyValues("redis.streams.listeners.events.stream=app:events");
		runner.run((context) -> assertThat(options(context, "my-id").stream()).isEqualTo("app:events"));
		runner.withPropertyValues("redis.streams.listeners.my-id.stream=other:events")
			.run((context) -> assertThat(options(context, "my-id").stream()).isEqualTo("other:events"));
	}

	@Test
	void theClaimIntervalFollowsTheMinIdleThatWon() {
		this.runner.withUserConfiguration(Plain.class)
			.withPropertyValues("redis.streams.listener.group=g", "redis.streams.listener.min-idle=30s",
					"redis.streams.listeners.my-id.min-idle=20s")
			.run((context) -> assertThat(options(context, "my-id").claimInterval()).isEqualTo(Duration.ofSeconds(2)));
	}

	@Test
	void aCustomizerWinsOverEverything() {
		this.runner.withUserConfiguration(Group.class)
			.withPropertyValues("app.value=annotation", "redis.streams.listeners.my-id.group=id")
			.withBean("customizer", StreamContainerCustomizer.class,
					() -> (endpoint, options) -> options.group(endpoint.name() + "-" + endpoint.id()))
			.run((context) -> assertThat(options(context, "my-id").group()).isEqualTo("events-my-id"));
	}

	@Test
	void theLaterOfTwoCustomizersWins() {
		this.runner.withUserConfiguration(OrderedCustomizers.class, Plain.class)
			.run((context) -> assertThat(options(context, "my-id").group()).isEqualTo("second"));
	}

	@Test
	void settingsOfAKeyWithOtherCharactersAreFoundUnderBrackets() {
		this.runner.withUserConfiguration(KeyWithColon.class)
			.withInitializer((context) -> TestPropertyValues
				.of(Map.of("redis.streams.listener.group", "g", "redis.streams.listeners.[app:events].concurrency",
						"3"))
				.applyTo(context))
			.run((context) -> assertThat(options(context, "app:events").concurrency()).isEqualTo(3));
	}

	@Test
	void anUnresolvablePlaceholderIsAnErrorWithBootToo() {
		this.runner.withUserConfiguration(Group.class)
			.withConfiguration(AutoConfigurations.of(PropertyPlaceholderAutoConfiguration.class))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(StreamsConfigurationException.class)
				.hasMessageContaining("Group.handle(String)")
				.hasMessageContaining("group = \"${app.value}\""));
	}

	/**
	 * Keeps listeners from starting, after all options are put together.
	 */
	static class NoStart implements StreamContainerCustomizer {

		@Override
		public void customize(StreamListenerEndpoint endpoint, ListenerOptions.Builder options) {
			options.autoStartup(false);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OrderedCustomizers {

		@Bean
		@Order(2)
		StreamContainerCustomizer second() {
			return (endpoint, options) -> options.group("second");
		}

		@Bean
		@Order(1)
		StreamContainerCustomizer first() {
			return (endpoint, options) -> options.group("first");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FailureHandlers {

		@Bean
		@Primary
		FailureHandler main() {
			return handler();
		}

		@Bean
		FailureHandler first() {
			return handler();
		}

		@Bean
		FailureHandler second() {
			return handler();
		}

		@Bean
		FailureHandler third() {
			return handler();
		}

		private static FailureHandler handler() {
			return mock(FailureHandler.class);
		}

	}

	static class Handling {

		@StreamListener(value = "events", id = "my-id", failureHandler = "${app.value}")
		void handle(String payload) {
		}

	}

	static class Plain {

		@StreamListener(value = "events", id = "my-id")
		void handle(String payload) {
		}

	}

	static class KeyWithColon {

		@StreamListener("app:events")
		void handle(String payload) {
		}

	}

	static class Group {

		@StreamListener(value = "events", id = "my-id", group = "${app.value}")
		void handle(String payload) {
		}

	}

	static class Consumer {

		@StreamListener(value = "events", id = "my-id", consumer = "${app.value}")
		void handle(String payload) {
		}

	}

	static class StartFrom {

		@StreamListener(value = "events", id = "my-id", startFrom = "${app.value}")
		void handle(String payload) {
		}

	}

	static class AutoStartup {

		@StreamListener(value = "events", id = "my-id", autoStartup = "${app.value}")
		void handle(String payload) {
		}

	}

	static class Concurrency {

		@StreamListener(value = "events", id = "my-id", concurrency = "${app.value}")
		void handle(String payload) {
		}

	}

	static class BatchSize {

		@StreamListener(value = "events", id = "my-id", batchSize = "${app.value}")
		void handle(String payload) {
		}

	}

	static class PollTimeout {

		@StreamListener(value = "events", id = "my-id", pollTimeout = "${app.value}")
		void handle(String payload) {
		}

	}

	static class MinIdle {

		@StreamListener(value = "events", id = "my-id", minIdle = "${app.value}")
		void handle(String payload) {
		}

	}

	static class ClaimInterval {

		@StreamListener(value = "events", id = "my-id", claimInterval = "${app.value}")
		void handle(String payload) {
		}

	}

	static class Acknowledging {

		@StreamListener(value = "events", id = "my-id", ackMode = "${app.value}")
		void handle(String payload) {
		}

	}

	static class MaxDeliveries {

		@StreamListener(value = "events", id = "my-id", maxDeliveries = "${app.value}")
		void handle(String payload) {
		}

	}

	static class Succeeding {

		@StreamListener(value = "events", id = "my-id", onSuccess = "${app.value}")
		void handle(String payload) {
		}

	}

	static class DeadLetterStream {

		@StreamListener(value = "events", id = "my-id", deadLetterStream = "${app.value}")
		void handle(String payload) {
		}

	}

	static class RetriedExceptions {

		@StreamListener(value = "events", id = "my-id", retryIncludes = IOException.class,
				retryExcludes = IOException.class)
		void handle(String payload) {
		}

	}

	static class ShutdownTimeout {

		@StreamListener(value = "events", id = "my-id", shutdownTimeout = "${app.value}")
		void handle(String payload) {
		}

	}

}
