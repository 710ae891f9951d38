package io.github.redisstreams.sample;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The generator, and orders whose first attempt fails.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = { "sample.generator.rate=10", "sample.failure-rate=1", "sample.handling-time=0ms" })
class OrderGeneratorTests {

	private final OrderStats stats;

	OrderGeneratorTests(@Autowired OrderStats stats) {
		this.stats = stats;
	}

	@Test
	void publishesOrdersThatAreHandledAtTheSecondAttempt() {
		await().untilAsserted(() -> {
			OrderStats.Counts counts = this.stats.counts();
			assertThat(counts.handledAtLaterAttempt()).isGreaterThan(5).isEqualTo(counts.handled());
		});
	}

}
