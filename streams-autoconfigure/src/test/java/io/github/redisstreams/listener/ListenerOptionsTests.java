package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.listener.ListenerOptions.Builder;
import io.github.redisstreams.listener.failure.RetryOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class ListenerOptionsTests {

	private static Builder complete() {
		return ListenerOptions.builder().stream("app:events").group("billing").consumer("host-1");
	}

	private static ListenerOptions build(Builder builder) {
		return builder.build("events", "Billing.onEvent");
	}

	@Test
	void hasTheDocumentedDefaults() {
		assertThat(build(complete())).isEqualTo(new ListenerOptions("app:events", "billing", "host-1", "earliest", true,
				1, 100, Duration.ofSeconds(2), Duration.ofSeconds(60), Duration.ofSeconds(5), 5, AckMode.ON_SUCCESS,
				OnSuccess.KEEP, Duration.ofSeconds(20), Duration.ofDays(1), Duration.ZERO, RetryOptions.DEFAULTS,
				DeadLetterOptions.DEFAULTS, CircuitOptions.DEFAULTS, null));
	}

	@Test
	void keepsWhatIsSet() {
		assertThat(build(complete().startFrom("5-1")
			.autoStartup(false)
			.concurrency(3)
			.batchSize(7)
			.pollTimeout(Duration.ofSeconds(1))
			.minIdle(Duration.ofSeconds(30))
			.claimInterval(Duration.ofSeconds(9))
			.ackMode(AckMode.MANUAL)
			.shutdownTimeout(Duration.ZERO)))
			.isEqualTo(new ListenerOptions("app:events", "billing", "host-1", "5-1", false, 3, 7, Duration.ofSeconds(1),
					Duration.ofSeconds(30), Duration.ofSeconds(9), 5, AckMode.MANUAL, OnSuccess.KEEP, Duration.ZERO,
					Duration.ofDays(1), Duration.ZERO, RetryOptions.DEFAULTS, DeadLetterOptions.DEFAULTS,
					CircuitOptions.DEFAULTS, null));
	}

	@ParameterizedTest
	@CsvSource({ "500, 100", "1000, 100", "20000, 2000", "60000, 5000", "600000, 5000" })
	void claimsAtATenthOfMinIdleWithinBounds(long minIdleMillis, long claimIntervalMillis) {
		ListenerOptions options = build(
				complete().pollTimeout(Duration.ofMillis(500)).minIdle(Duration.ofMillis(minIdleMillis)));
		assertThat(options.claimInterval()).isEqualTo(Duration.ofMillis(claimIntervalMillis));
	}

	@ParameterizedTest
	@CsvSource({ "earliest, 0", "latest, $", "0, 0", "1700000000000, 1700000000000",
			"1700000000000-5, 1700000000000-5" })
	void startsTheGroupWhereTold(String startFrom, String start) {
		assertThat(build(complete().startFrom(startFrom)).groupStart()).isEqualTo(start);
	}

	static Stream<Arguments> mistakes() {
		return Stream.of(mistake("start-from", (builder) -> builder.startFrom("yesterday")),
				mistake("start-from", (builder) -> builder.startFrom("$")),
				mistake("start-from", (builder) -> builder.startFrom("")),
				mistake("concurrency", (builder) -> builder.concurrency(0)),
				mistake("batch-size", (builder) -> builder.batchSize(0)),
				mistake("poll-timeout", (builder) -> builder.pollTimeout(Duration.ZERO)),
				mistake("poll-timeout", (builder) -> builder.pollTimeout(Duration.ofNanos(999_999))),
				mistake("poll-timeout",
						(builder) -> builder.pollTimeout(Duration.ofMillis(60_001)).minIdle(Duration.ofHours(1))),
				mistake("min-idle", (builder) -> builder.minIdle(Duration.ofMillis(1999))),
				mistake("claim-interval", (builder) -> builder.claimInterval(Duration.ZERO)),
				mistake("claim-interval", (builder) -> builder.claimInterval(Duration.ofSeconds(-1))),
				mistake("shutdown-timeout", (builder) -> builder.shutdownTimeout(Duration.ofMillis(-1))),
				mistake("max-deliveries", (builder) -> builder.maxDeliveries(0)),
				mistake("consumer-expiry", (builder) -> builder.consumerExpiry(Duration.ofMillis(-1))),
				mistake("idle-event-interval", (builder) -> builder.idleEventInterval(Duration.ofMillis(-1))),
				retryMistake("initial-interval", (retry) -> retry.initialInterval(Duration.ofMillis(-1))),
				retryMistake("multiplier", (retry) -> retry.multiplier(0.9)),
				retryMistake("multiplier", (retry) -> retry.multiplier(Double.NaN)),
				retryMistake("max-interval", (retry) -> retry.maxInterval(Duration.ofMillis(999))),
				retryMistake("jitter", (retry) -> retry.jitter(-0.1)),
				retryMistake("jitter", (retry) -> retry.jitter(1.1)),
				mistake("dead-letter.max-length", (builder) -> builder.deadLetter((letters) -> letters.maxLength(0))),
				mistake("dead-letter.stream",
						(builder) -> builder.deadLetter((letters) -> letters.stream("app:events"))),
				circuitMistake("window", (circuit) -> circuit.window(Duration.ZERO)),
				circuitMistake("minimum-failures", (circuit) -> circuit.minimumFailures(0)),
				circuitMistake("failure-rate", (circuit) -> circuit.failureRate(0)),
				circuitMistake("failure-rate", (circuit) -> circuit.failureRate(1.1)),
				circuitMistake("initial-pause", (circuit) -> circuit.initialPause(Duration.ZERO)),
				circuitMistake("max-pause", (circuit) -> circuit.maxPause(Duration.ofMillis(999))));
	}

	private static Arguments retryMistake(String property, Consumer<RetryOptions.Builder> mistake) {
		return mistake("retry." + property, (builder) -> builder.retry(mistake));
	}

	private static Arguments circuitMistake(String property, Consumer<CircuitOptions.Builder> mistake) {
		return mistake("circuit." + property, (builder) -> builder.circuit(mistake));
	}

	private static Arguments mistake(String property, UnaryOperator<Builder> mistake) {
		return arguments(property, mistake);
	}

	@ParameterizedTest(name = "[{index}] {0}")
	@MethodSource("mistakes")
	void namesTheListenerThePropertyAndTheMend(String property, UnaryOperator<Builder> mistake) {
		assertThatExceptionOfType(StreamsConfigurationException.class)
			.isThrownBy(() -> build(mistake.apply(complete())))
			.withMessageContaining("'events'")
			.withMessageContaining("Billing.onEvent")
			.withMessageContaining(property)
			.satisfies((ex) -> assertThat(ex.getAction()).contains("redis.streams.listeners.events." + property,
					"redis.streams.listener." + property));
	}

	static Stream<Arguments> limits() {
		return Stream.of(
				arguments("max-interval", complete().retry((retry) -> retry.maxInterval(Duration.ofMillis(999))),
						"at least as long as retry.initial-interval, which is 1000ms."),
				arguments("max-pause", complete().circuit((circuit) -> circuit.maxPause(Duration.ofMillis(999))),
						"at least as long as circuit.initial-pause, which is 1000ms."),
				arguments("jitter", complete().retry((retry) -> retry.jitter(2)), "a number from 0 to 1."),
				arguments("failure-rate", complete().circuit((circuit) -> circuit.failureRate(0)),
						"a number above 0, at most 1."),
				arguments("consumer-expiry", complete().consumerExpiry(Duration.ofMillis(-1)),
						"0 (for never) or more."),
				arguments("idle-event-interval", complete().idleEventInterval(Duration.ofMillis(-1)),
						"0 (for never) or more."),
				arguments("stream", complete().deadLetter((letters) -> letters.stream("app:events")),
						"another key than that of the stream itself."));
	}

	@ParameterizedTest(name = "[{index}] {0}")
	@MethodSource("limits")
	void saysWhatIsAllowed(String property, Builder builder, String allowed) {
		assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> build(builder))
			.satisfies((ex) -> assertThat(ex.getAction()).endsWith(" to " + allowed));
	}

	@Test
	void speaksOfTheAnnotationOnlyWhereItHasAnAttribute() {
		assertThatExceptionOfType(StreamsConfigurationException.class)
			.isThrownBy(() -> build(complete().maxDeliveries(0)))
			.satisfies(
					(ex) -> assertThat(ex.getAction()).isEqualTo("Set redis.streams.listeners.events.max-deliveries, "
							+ "redis.streams.listener.max-deliveries or the annotation's attribute to 1 or more."));
		assertThatExceptionOfType(StreamsConfigurationException.class)
			.isThrownBy(() -> build(complete().retry((retry) -> retry.multiplier(0))))
			.satisfies(
					(ex) -> assertThat(ex.getAction()).isEqualTo("Set redis.streams.listeners.events.retry.multiplier "
							+ "or redis.streams.listener.retry.multiplier to 1 or more."));
	}

	@Test
	void changesOfAGroupAddUp() {
		ListenerOptions options = build(complete().retry((retry) -> retry.multiplier(3))
			.retry((retry) -> retry.jitter(0.5))
			.deadLetter((letters) -> letters.stream("dead"))
			.deadLetter((letters) -> letters.maxLength(7))
			.circuit((circuit) -> circuit.enabled(false))
			.circuit((circuit) -> circuit.minimumFailures(3)));
		assertThat(options.retry()).isEqualTo(RetryOptions.DEFAULTS.mutate().multiplier(3).jitter(0.5).build());
		assertThat(options.deadLetter()).isEqualTo(new DeadLetterOptions(true, "dead", 7, true));
		assertThat(options.circuit().enabled()).isFalse();
		assertThat(options.circuit().minimumFailures()).isEqualTo(3);
		assertThat(options.circuit().failureRate()).isEqualTo(0.9);
	}

	@Test
	void theDeadLetterStreamIsInTheStreamsSlotUnlessSet() {
		assertThat(build(complete()).deadLetterStream()).isEqualTo("{app:events}:dlq");
		assertThat(build(complete().stream("{app}:events")).deadLetterStream()).isEqualTo("{app}:events:dlq");
		Builder set = complete().deadLetter((letters) -> letters.stream("dead"));
		assertThat(build(set).deadLetterStream()).isEqualTo("dead");
		assertThat(build(set.deadLetter((letters) -> letters.stream(""))).deadLetterStream())
			.isEqualTo("{app:events}:dlq");
	}

	@Test
	void aListenerWithoutDeadLettersMayReadThoseOfOthers() {
		assertThat(build(complete().deadLetter((letters) -> letters.stream("app:events").enabled(false))).stream())
			.isEqualTo("app:events");
	}

	@ParameterizedTest
	@ValueSource(strings = { "stream", "group", "consumer" })
	void namesWhatIsMissingOrBlank(String property) {
		for (String blank : new String[] { null, "", " " }) {
			Builder builder = ListenerOptions.builder();
			if (blank != null || !property.equals("stream")) {
				builder.stream(property.equals("stream") ? blank : "s");
			}
			if (blank != null || !property.equals("group")) {
				builder.group(property.equals("group") ? blank : "g");
			}
			if (blank != null || !property.equals("consumer")) {
				builder.consumer(property.equals("consumer") ? blank : "c");
			}
			assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> build(builder))
				.withMessage("Listener 'events' (Billing.onEvent) has no " + property)
				.satisfies((ex) -> assertThat(ex.getAction()).contains("redis.streams.listeners.events." + property));
		}
	}

	@Test
	void saysThatTheApplicationNameIsTheDefaultGroup() {
		assertThatExceptionOfType(StreamsConfigurationException.class)
			.isThrownBy(() -> build(ListenerOptions.builder().stream("s").consumer("c")))
			.satisfies((ex) -> assertThat(ex.getAction()).contains("spring.application.name"));
	}

	@Test
	void allowsTheLimitsThemselves() {
		assertThat(build(complete().pollTimeout(Duration.ofMillis(1)).minIdle(Duration.ofMillis(1))).minIdle())
			.isEqualTo(Duration.ofMillis(1));
		assertThat(build(complete().pollTimeout(Duration.ofMinutes(1)).minIdle(Duration.ofMinutes(1))).pollTimeout())
			.isEqualTo(Duration.ofMinutes(1));
		build(complete().maxDeliveries(1).consumerExpiry(Duration.ZERO));
		build(complete()
			.retry((retry) -> retry.initialInterval(Duration.ZERO).maxInterval(Duration.ZERO).multiplier(1).jitter(0)));
		build(complete().retry((retry) -> retry.jitter(1)).deadLetter((letters) -> letters.maxLength(1)));
		build(complete().circuit((circuit) -> circuit.window(Duration.ofMillis(1))
			.minimumFailures(1)
			.failureRate(1)
			.initialPause(Duration.ofMillis(1))
			.maxPause(Duration.ofMillis(1))));
	}

}
