package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.publish.PublisherOptions;
import io.github.redisstreams.publish.PublisherSettings;
import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.TrimMode;
import io.github.redisstreams.redis.Trimming;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link PropertiesPublisherSettings}.
 */
class PropertiesPublisherSettingsTests {

	private static final UnaryOperator<String> KEYS = (name) -> name.equals("events") ? "app:events" : name;

	/**
	 * Settings of properties that are given by name and value in turn, without their
	 * prefix.
	 */
	private static PublisherSettings settings(String... namesAndValues) {
		Map<String, String> properties = new LinkedHashMap<>();
		for (int i = 0; i < namesAndValues.length; i += 2) {
			properties.put("redis.streams.publisher." + namesAndValues[i], namesAndValues[i + 1]);
		}
		PublisherProperties bound = new Binder(new MapConfigurationPropertySource(properties))
			.bindOrCreate("redis.streams.publisher", PublisherProperties.class);
		return new PropertiesPublisherSettings(bound, KEYS, "shop");
	}

	@Test
	void nothingSetMeansTheDefaults() {
		assertThat(settings().options("any")).isEqualTo(PublisherOptions.DEFAULTS);
		assertThat(settings().afterCommit()).isFalse();
	}

	@Test
	void everyPropertyCounts() {
		assertThat(settings("max-length", "7", "trim", "strict", "retention", "2d", "tracking.enabled", "true",
				"tracking.retention", "3h", "durability.replicas", "2", "durability.fsync", "true",
				"durability.timeout", "4s")
			.options("any"))
			.isEqualTo(new PublisherOptions(new Trimming(TrimMode.STRICT, 7, Duration.ofDays(2)), true,
					Duration.ofHours(3), new Durability(2, true, Duration.ofSeconds(4))));
	}

	@ParameterizedTest
	@CsvSource({ "max-length, 7, 8", "trim, strict, none", "retention, 2d, 0", "tracking.enabled, true, false",
			"tracking.retention, 3h, 4h", "durability.replicas, 2, 0", "durability.fsync, true, false",
			"durability.timeout, 4s, 5s" })
	void eachPropertyOfAStreamComesBeforeThatOfAllAndLeavesTheOthers(String property, String common, String own) {
		PublisherSettings settings = settings(property, common, "streams.orders." + property, own);
		assertThat(settings.options("orders")).isEqualTo(settings(property, own).options("orders"));
		assertThat(settings.options("other")).isEqualTo(settings(property, common).options("other"))
			.isNotEqualTo(settings.options("orders"));
	}

	@Test
	void whatIsSetForAllCountsForStreamsThatSetSomethingElse() {
		assertThat(settings("max-length", "7", "streams.orders.trim", "none").options("orders").trimming())
			.isEqualTo(new Trimming(TrimMode.NONE, 7, Duration.ZERO));
	}

	@Test
	void aStreamIsNamedAsListenersNameIt() {
		PublisherSettings byName = settings("streams.events.max-length", "7");
		assertThat(byName.streamKey("events")).isEqualTo("app:events");
		assertThat(byName.options("app:events").trimming().maxLength()).isEqualTo(7);
		assertThat(byName.options("events")).isEqualTo(PublisherOptions.DEFAULTS);
		assertThat(settings("streams[app:events].max-length", "8").options("app:events").trimming().maxLength())
			.isEqualTo(8);
	}

	@Test
	void aStreamThatIsNamedTwiceIsAnError() {
		assertThatExceptionOfType(StreamsConfigurationException.class)
			.isThrownBy(() -> settings("streams.events.max-length", "7", "streams[app:events].trim", "none"))
			.withMessageContaining("redis.streams.publisher.streams.events")
			.withMessageContaining("redis.streams.publisher.streams.app:events")
			.withMessageContaining("both about stream 'app:events'")
			.satisfies((ex) -> assertThat(ex.getAction()).isEqualTo("Leave one of them out."));
	}

	@ParameterizedTest
	@CsvSource({ "max-length, -1", "retention, -1s", "retention, 999us", "tracking.retention, 0",
			"tracking.retention, 999us", "durability.replicas, -1", "durability.timeout, 0",
			"durability.timeout, -1s" })
	void whatCannotWorkIsAnErrorThatNamesThePropertyAndTheMend(String property, String value) {
		for (String name : new String[] { property, "streams.orders." + property }) {
			assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> settings(name, value))
				.withMessageStartingWith("The property redis.streams.publisher." + name + " is ")
				.satisfies(
						(ex) -> assertThat(ex.getAction()).startsWith("Set redis.streams.publisher." + name + " to "));
		}
	}

	@ParameterizedTest
	@CsvSource({ "max-length, 0", "retention, 0", "retention, 1ms", "tracking.retention, 1ms", "durability.replicas, 0",
			"durability.timeout, 1ms" })
	void theLeastThatWorksIsNoError(String property, String value) {
		assertThat(settings("streams.orders." + property, value).options("orders")).isNotNull();
	}

	@Test
	void theApplicationIsTheProducer() {
		assertThat(settings().producer()).isEqualTo("shop");
		assertThat(new PropertiesPublisherSettings(new PublisherProperties(), KEYS, null).producer())
			.isEqualTo("streams");
		assertThat(new PropertiesPublisherSettings(new PublisherProperties(), KEYS, "").producer())
			.isEqualTo("streams");
	}

}
