package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.redisstreams.redis.EntryId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class IdleWatchTests {

	private static final EntryId ID = new EntryId(1, 1);

	private static final Duration SHORT = Duration.ofMillis(40);

	/** Longer than any test takes. */
	private static final Duration LONG = Duration.ofMinutes(10);

	private final InFlightLimiter limiter = new InFlightLimiter(
			ListenerOptions.builder().stream("s").group("g").consumer("c").build("id", "test"), false);

	private final List<Duration> told = new ArrayList<>();

	private IdleWatch watch(Duration interval) {
		return new IdleWatch(interval, this.limiter, this.told::add);
	}

	private static void pass(Duration duration) {
		long start = System.nanoTime();
		await().until(() -> System.nanoTime() - start > duration.toNanos());
	}

	@Test
	void tellsOnlyAfterTheInterval() {
		IdleWatch watch = watch(LONG);
		watch.look();
		watch.begin();
		watch.look();
		assertThat(this.told).isEmpty();
	}

	@Test
	void tellsAgainAfterEachInterval() {
		IdleWatch watch = watch(SHORT);
		pass(SHORT);
		watch.look();
		watch.look();
		assertThat(this.told).singleElement().satisfies((idle) -> assertThat(idle).isGreaterThanOrEqualTo(SHORT));
		pass(SHORT);
		watch.look();
		assertThat(this.told).hasSize(2)
			.last()
			.satisfies(
					(idle) -> assertThat(idle).as("since the beginning").isGreaterThanOrEqualTo(SHORT.multipliedBy(2)));
	}

	@Test
	void neverTellsWithoutAnInterval() {
		IdleWatch watch = watch(Duration.ZERO);
		pass(SHORT);
		watch.look();
		assertThat(this.told).isEmpty();
	}

	@Test
	void isNotIdleWhileSomethingIsHeldAndCountsFromWhenItIsNot() {
		IdleWatch watch = watch(SHORT);
		this.limiter.hold(ID);
		pass(SHORT);
		watch.look();
		assertThat(this.told).isEmpty();
		this.limiter.release(List.of(ID));
		watch.look();
		assertThat(this.told).as("just let go of").isEmpty();
		pass(SHORT);
		watch.look();
		assertThat(this.told).hasSize(1);
	}

	@Test
	void countsWhatCameAndWentBetweenTwoLooks() {
		IdleWatch watch = watch(SHORT);
		pass(SHORT);
		this.limiter.hold(ID);
		this.limiter.release(List.of(ID));
		watch.look();
		assertThat(this.told).isEmpty();
	}

	@Test
	void countsFromWhenReadingBegins() {
		IdleWatch watch = watch(SHORT);
		pass(SHORT);
		watch.begin();
		watch.look();
		assertThat(this.told).isEmpty();
	}

}
