package io.github.redisstreams.autoconfigure.health;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

import io.github.redisstreams.listener.ContainerObservers;
import io.github.redisstreams.listener.ContainerState;
import io.github.redisstreams.listener.ContainerStatus;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.metrics.GroupReading;
import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.metrics.StreamSampler;
import io.github.redisstreams.test.StubCommands;
import org.jspecify.annotations.Nullable;
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

	private static final HealthThresholds THRESHOLDS = new HealthThresholds(Duration.ofMinutes(1),
			Duration.ofSeconds(5), null, null);

	private static Health health(Duration pollTimeout, HealthThresholds thresholds, ContainerStatus status,
			@Nullable GroupReading group) {
		ListenerOptions options = ListenerOptions.builder()
			.stream("events")
			.group("billing")
			.consumer("one")
			.pollTimeout(pollTimeout)
			.build("events", "this test");
		StreamListenerContainer container = new StreamListenerContainer("events", options, (deliveries) -> {
		}, new StubCommands(), mock(ScheduledExecutorService.class), Thread::new, ContainerObservers.NONE);
		return new ListenerHealthIndicator(container, mock(StreamSampler.class), thresholds).health(status, group, NOW)
			.build();
	}

	private static Health health(ContainerStatus status) {
		return health(Duration.ofSeconds(2), THRESHOLDS, status, null);
	}

	private static Health ofGroup(@Nullable Long maxLag, @Nullable Duration maxOldestPending, ContainerStatus status,
			GroupReading group) {
		HealthThresholds thresholds = new HealthThresholds(Duration.ofMinutes(1), Duration.ofSeconds(5), maxLag,
				maxOldestPending);
		return health(Duration.ofSeconds(2), thresholds, status, group);
	}

	private static ContainerStatus polled(Duration age) {
		return new ContainerStatus(ContainerState.POLLING, NOW.minus(age), null, false, null);
	}

	private static ContainerStatus failing(ContainerState state, Duration duration) {
		return new ContainerStatus(state, NOW, "XACK is refused", false, NOW.minus(duration));
	}

	private static GroupReading group(@Nullable Long lag, boolean bounded, long pending,
			@Nullable Duration oldestPending) {
		return new GroupReading(lag, bounded, pending, 1, oldestPending, Duration.ZERO, EntryId.ZERO);
	}

	@ParameterizedTest
	@CsvSource({ "STOPPED, UP", "STARTING, UP", "POLLING, UP", "PAUSED, UP", "SUSPENDED, OUT_OF_SERVICE",
			"BACKING_OFF, DOWN", "RECREATING, DOWN", "FAILED, DOWN" })
	void followsTheState(ContainerState state, String status) {
		Health health = health(new ContainerStatus(state, null, null, false, null));
		assertThat(health.getStatus()).isEqualTo(new Status(status));
		assertThat(health.getDetails()).containsEntry("state", state.name());
	}

	@ParameterizedTest
	@CsvSource({ "POLLING", "PAUSED", "SUSPENDED", "BACKING_OFF", "RECREATING" })
	void isDownOnceRedisHasFailedItForLong(ContainerState state) {
		Health health = health(failing(state, Duration.ofSeconds(5)));
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("lastError", "XACK is refused");
	}

	@ParameterizedTest
	@CsvSource({ "POLLING", "PAUSED", "BACKING_OFF", "RECREATING" })
	void isUpDuringAShortFaultAndShowsIt(ContainerState state) {
		Health health = health(failing(state, Duration.ofMillis(4900)));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("lastError", "XACK is refused")
			.containsEntry("state", state.name());
	}

	@Test
	void aKeyThatIsNoStreamMakesItDownAtOnce() {
		assertThat(health(failing(ContainerState.FAILED, Duration.ZERO)).getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	void aShortFaultDoesNotHideThatItIsSuspended() {
		assertThat(health(failing(ContainerState.SUSPENDED, Duration.ZERO)).getStatus())
			.isEqualTo(Status.OUT_OF_SERVICE);
	}

	@Test
	void canBeDownAtTheFirstFault() {
		HealthThresholds impatient = new HealthThresholds(Duration.ofMinutes(1), Duration.ZERO, null, null);
		Health health = health(Duration.ofSeconds(2), impatient, failing(ContainerState.BACKING_OFF, Duration.ZERO),
				null);
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	void showsWhatIsKnownOfTheGroup() {
		Health health = ofGroup(null, null, polled(Duration.ZERO), group(12L, false, 3, Duration.ofSeconds(90)));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("lag", 12L)
			.containsEntry("pending", 3L)
			.containsEntry("oldestPendingAge", "PT1M30S")
			.doesNotContainKeys("lagBounded", "behind");
		assertThat(ofGroup(null, null, polled(Duration.ZERO), group(5000L, true, 0, Duration.ZERO)).getDetails())
			.containsEntry("lag", 5000L)
			.containsEntry("lagBounded", true)
			.doesNotContainKey("oldestPendingAge");
	}

	@Test
	void doesNotShowWhatIsNotKnownOfTheGroup() {
		assertThat(health(polled(Duration.ZERO)).getDetails()).doesNotContainKeys("lag", "pending", "oldestPendingAge");
		assertThat(ofGroup(10L, Duration.ZERO, polled(Duration.ZERO), group(null, false, 3, null)))
			.satisfies((health) -> {
				assertThat(health.getStatus()).isEqualTo(Status.UP);
				assertThat(health.getDetails()).containsEntry("pending", 3L)
					.doesNotContainKeys("lag", "oldestPendingAge", "behind");
			});
	}

	@Test
	void anyLagAndAnyAgeAreUpUnlessThereIsAThreshold() {
		GroupReading much = group(Long.MAX_VALUE, false, Long.MAX_VALUE, Duration.ofDays(1000));
		assertThat(ofGroup(null, null, polled(Duration.ZERO), much).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void isBehindAboveAThresholdAndSaysWhich() {
		GroupReading group = group(101L, false, 3, Duration.ofMinutes(11));
		Health byLag = ofGroup(100L, null, polled(Duration.ZERO), group);
		assertThat(byLag.getStatus()).isEqualTo(new Status("BEHIND"));
		assertThat(byLag.getDetails()).containsEntry("behind", List.of("The lag is 101, more than 100"));
		Health byAge = ofGroup(101L, Duration.ofMinutes(10), polled(Duration.ZERO), group);
		assertThat(byAge.getStatus()).isEqualTo(new Status("BEHIND"));
		assertThat(byAge.getDetails()).containsEntry("behind",
				List.of("The oldest pending entry is PT11M old, more than PT10M"));
		assertThat(ofGroup(101L, Duration.ofMinutes(11), polled(Duration.ZERO), group).getStatus())
			.isEqualTo(Status.UP);
	}

	@Test
	void toBeBehindIsTheLeastOfItsProblems() {
		GroupReading group = group(101L, false, 3, Duration.ofMinutes(11));
		assertThat(ofGroup(100L, null, failing(ContainerState.BACKING_OFF, Duration.ofMinutes(1)), group).getStatus())
			.isEqualTo(Status.DOWN);
		ContainerStatus suspended = new ContainerStatus(ContainerState.SUSPENDED, NOW, null, false, null);
		assertThat(ofGroup(100L, null, suspended, group).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
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
		HealthThresholds shortest = new HealthThresholds(Duration.ofMillis(1), Duration.ofSeconds(5), null, null);
		assertThat(health(block, shortest, polled(block.multipliedBy(2)), null).getStatus()).isEqualTo(Status.UP);
		assertThat(health(block, shortest, polled(block.multipliedBy(3)), null).getStatus()).isEqualTo(Status.UP);
		assertThat(health(block, shortest, polled(block.multipliedBy(4)), null).getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	void aPausedListenerNeedsNoPoll() {
		ContainerStatus paused = new ContainerStatus(ContainerState.PAUSED, NOW.minus(Duration.ofDays(1)), null, false,
				null);
		assertThat(health(paused).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void showsASharedConsumerAndStaysUp() {
		Health health = health(new ContainerStatus(ContainerState.POLLING, NOW, null, true, null));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("consumerShared", true);
	}

}
