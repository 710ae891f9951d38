package io.github.redisstreams.listener.failure;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RetryOptionsTests {

	private static final RetryOptions WITHOUT_JITTER = RetryOptions.DEFAULTS.mutate().jitter(0).build();

	@ParameterizedTest
	@CsvSource({ "1, 1000", "2, 2000", "3, 4000", "6, 32000", "7, 60000", "8, 60000", "2000, 60000",
			"9223372036854775807, 60000" })
	void theDelayGrowsWithEachDeliveryUpToTheLongest(long deliveries, long millis) {
		assertThat(WITHOUT_JITTER.delay(deliveries, 0.9)).hasMillis(millis);
	}

	@Test
	void aCountThatTheServerHasLostCountsAsTheFirstDelivery() {
		assertThat(WITHOUT_JITTER.delay(0, 0.5)).hasMillis(1000);
	}

	@ParameterizedTest
	@CsvSource({ "0, 800", "0.5, 1000", "1, 1200" })
	void theDelayIsShorterOrLongerByTheJitter(double random, long millis) {
		assertThat(RetryOptions.DEFAULTS.delay(1, random)).hasMillis(millis);
	}

	@ParameterizedTest
	@CsvSource({ "0, 48000", "0.5, 54000", "1, 60000" })
	void noJitterMakesADelayLongerThanTheLongest(double random, long millis) {
		assertThat(RetryOptions.DEFAULTS.delay(50, random)).hasMillis(millis);
	}

	@Test
	void fullJitterSpreadsFromNothingToTwice() {
		RetryOptions options = RetryOptions.DEFAULTS.mutate().jitter(1).build();
		assertThat(options.delay(1, 0)).isZero();
		assertThat(options.delay(1, 1)).hasMillis(2000);
	}

	@Test
	void aMultiplierOfOneKeepsTheDelay() {
		RetryOptions options = WITHOUT_JITTER.mutate().multiplier(1).build();
		assertThat(options.delay(1, 0.5)).isEqualTo(options.delay(100, 0.5)).hasMillis(1000);
	}

	@Test
	void noIntervalMeansNoDelayHoweverOften() {
		RetryOptions options = RetryOptions.DEFAULTS.mutate().initialInterval(Duration.ZERO).build();
		assertThat(options.delay(1, 0.9)).isZero();
		assertThat(options.delay(5000, 0.9)).isZero();
	}

	@Test
	void whatIsNotSetStaysAsItWas() {
		RetryOptions changed = RetryOptions.DEFAULTS.mutate()
			.initialInterval(Duration.ofMillis(5))
			.includes(List.of(IOException.class))
			.build();
		assertThat(changed).isEqualTo(new RetryOptions(Duration.ofMillis(5), 2, Duration.ofMinutes(1), 0.2,
				List.of(IOException.class), List.of()));
		assertThat(changed.mutate().build()).isEqualTo(changed);
	}

	@Test
	void laterChangesOfAGivenListChangeNothing() {
		List<Class<? extends Throwable>> excludes = new ArrayList<>(List.of(IOException.class));
		RetryOptions options = RetryOptions.DEFAULTS.mutate().excludes(excludes).build();
		excludes.clear();
		assertThat(options.excludes()).containsExactly(IOException.class);
	}

}
