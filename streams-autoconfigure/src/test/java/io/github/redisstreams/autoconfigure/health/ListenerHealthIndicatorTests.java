package io.github.redisstreams.autoconfigure.health;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledExecutorService;

import io.github.redisstreams.listener.ContainerState;
import io.github.redisstreams.listener.ContainerStatus;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.test.StubCommands;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * What each status of a listener means for its health.
 */
class ListenerHealthIndicatorTests {

	private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

	private static Health health(Duration pollTimeout, Duration maxPollAge, ContainerStatus status) {
		ListenerOptions options = ListenerOptions.builder()
			.stream("events")
			.group("billing")
			.consumer("one")
			.pollTimeout(pollTimeout)
			.build("events", "this test");
		StreamListenerContainer container = new StreamListenerContainer("events", options, (deliveries) -> {
		}, new StubCommands(), mock(ScheduledExecutorService.class), Thread::new);
		return new ListenerHealthIndicator(container, maxPollAge).health(status, NOW).build();
	}

	private static Health health(ContainerStatus status) {
		return health(Duration.ofSeconds(2), Duration.ofMinutes(1), status);
	}

	private static ContainerStatus polled(Duration age) {
		return new ContainerStatus(ContainerState.POLLING, NOW.minus(age), null, false);
	}

	@ParameterizedTest
	@CsvSource({ "STOPPED, UP", "STARTING, UP", "POLLING, UP", "PAUSED, UP", "SUSPENDED, OUT_OF_SERVICE",
			"BACKING_OFF, DOWN", "RECREATING, DOWN", "FAILED, DOWN" })
	void followsTheState(ContainerState state, String status) {
		Health health = health(new ContainerStatus(state, null, null, false));
		assertThat(health.getStatus()).isEqualTo(new Status(status));
		assertThat(health.getDetails()).containsEntry("state", state.name());
	}

	@ParameterizedTest
	@CsvSource({ "POLLING", "PAUSED", "SUSPENDED" })
	void isDownWhileEntriesCannotBeSettled(ContainerState state) {
		Health health = health(new ContainerStatus(state, NOW, "XACK is refused", false));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("lastError", "XACK is refused");
	}

	@Test
	void isDownWithoutAPollForLong() {
		assertThat(health(polled(Duration.ofSeconds(59))).getStatus()).isEqualTo(Status.UP);
		Health health = health(polled(Duration.ofSeconds(61)));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("lastPollAge", "PT1M1S").containsKey("lastError");
	}

	@Test
	@DisplayName("C22 no false alarm at twice the BLOCK, however short max-poll-age is")
	void toleratesALongBlock() {
		Duration block = Duration.ofSeconds(40);
		Duration shortest = Duration.ofMillis(1);
		assertThat(health(block, shortest, polled(block.multipliedBy(2))).getStatus()).isEqualTo(Status.UP);
		assertThat(health(block, shortest, polled(block.multipliedBy(3))).getStatus()).isEqualTo(Status.UP);
		assertThat(health(block, shortest, polled(block.multipliedBy(4))).getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	void aPausedListenerNeedsNoPoll() {
		ContainerStatus paused = new ContainerStatus(ContainerState.PAUSED, NOW.minus(Duration.ofDays(1)), null, false);
		assertThat(health(paused).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void showsASharedConsumerAndStaysUp() {
		Health health = health(new ContainerStatus(ContainerState.POLLING, NOW, null, true));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("consumerShared", true);
	}

}
