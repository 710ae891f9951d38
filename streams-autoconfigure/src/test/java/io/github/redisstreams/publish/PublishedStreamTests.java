package io.github.redisstreams.publish;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.github.redisstreams.redis.Durability;
import io.github.redisstreams.redis.NewTask;
import io.github.redisstreams.redis.TrimMode;
import io.github.redisstreams.redis.Trimming;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PublishedStream}.
 */
@ExtendWith(OutputCaptureExtension.class)
class PublishedStreamTests {

	private final List<Long> lost = new ArrayList<>();

	private long now = Long.MAX_VALUE - 1;

	private PublishedStream stream(TrimMode mode, long maxLength, Duration retention, boolean tracking) {
		PublisherOptions options = new PublisherOptions(new Trimming(mode, maxLength, retention), tracking,
				Duration.ofHours(1), Durability.NONE);
		return new PublishedStream("events", options, new PublishEvents() {

			@Override
			public void trimmedUndelivered(String stream, long count) {
				assertThat(stream).isEqualTo("events");
				PublishedStreamTests.this.lost.add(count);
			}

		}, () -> this.now);
	}

	private PublishedStream stream(TrimMode mode, long maxLength) {
		return stream(mode, maxLength, Duration.ZERO, false);
	}

	/**
	 * Which of so many entries trim.
	 */
	private static List<Integer> trimming(PublishedStream stream, int entries) {
		return IntStream.range(0, entries)
			.filter((i) -> stream.trimming().equals(stream.options().trimming()))
			.boxed()
			.toList();
	}

	private void passes(Duration time) {
		this.now += time.toNanos();
	}

	@ParameterizedTest
	@CsvSource({ "1000000, 100", "10000, 100", "1000, 100", "999, 99", "50, 5", "10, 1", "1, 1" })
	void theFirstEntryTrimsAndThenOneOutOfSoMany(long maxLength, int between) {
		assertThat(trimming(stream(TrimMode.FINISHED, maxLength), 3 * between)).containsExactly(0, between,
				2 * between);
	}

	@ParameterizedTest
	@CsvSource({ "1000000, 500", "10000, 500", "1000, 100", "50, 5", "1, 1", "0, 500" })
	void ofThoseSentTogetherFewerTrim(long maxLength, int between) {
		PublishedStream stream = stream(TrimMode.STRICT, maxLength, Duration.ofDays(1), false);
		assertThat(IntStream.range(0, 3 * between)
			.filter((i) -> stream.trimmingTogether().equals(stream.options().trimming())))
			.containsExactly(0, between, 2 * between);
	}

	@Test
	void oneOutOfAHundredTrimsByAge() {
		assertThat(trimming(stream(TrimMode.STRICT, 0, Duration.ofDays(1), false), 201)).containsExactly(0, 100, 200);
	}

	@Test
	void afterASecondTheNextEntryTrims() {
		PublishedStream stream = stream(TrimMode.FINISHED, 10_000);
		assertThat(trimming(stream, 10)).containsExactly(0);
		passes(Duration.ofSeconds(1));
		assertThat(trimming(stream, 10)).isEmpty();
		passes(Duration.ofNanos(1));
		assertThat(trimming(stream, 10)).containsExactly(0);
	}

	@Test
	void whereTheEntryThatWasToTrimWasNotAddedTheNextOneTrims() {
		PublishedStream stream = stream(TrimMode.FINISHED, 10_000);
		assertThat(trimming(stream, 10)).containsExactly(0);
		stream.trimWithNext();
		assertThat(trimming(stream, 10)).containsExactly(0);
	}

	@Test
	void withNoBoundsOrModeNothingTrims() {
		assertThat(IntStream.range(0, 200).mapToObj((i) -> stream(TrimMode.NONE, 10).trimming()))
			.containsOnly(Trimming.NONE);
		assertThat(stream(TrimMode.STRICT, 0).trimming()).isEqualTo(Trimming.NONE);
		assertThat(stream(TrimMode.FINISHED, 0).trimming()).isEqualTo(Trimming.NONE);
	}

	@Test
	void warnsOfAllThatWasLostEveryTenSeconds(CapturedOutput output) {
		PublishedStream stream = stream(TrimMode.STRICT, 500);
		stream.trimmed(3);
		assertThat(output).contains("WARN")
			.contains("3 entries of stream 'events' were trimmed that a group had still to be given")
			.contains("keeps to its max-length of 500" + System.lineSeparator());
		stream.trimmed(4);
		passes(Duration.ofSeconds(9));
		stream.trimmed(5);
		assertThat(output.toString().lines().filter((line) -> line.contains("were trimmed"))).hasSize(1);
		passes(Duration.ofSeconds(1));
		stream.trimmed(6);
		assertThat(output).contains("15 entries of stream 'events'");
		assertThat(output.toString().lines().filter((line) -> line.contains("were trimmed"))).hasSize(2);
		assertThat(this.lost).containsExactly(3L, 4L, 5L, 6L);
	}

	@Test
	void theWarningNamesTheBoundsThatThereAre(CapturedOutput output) {
		stream(TrimMode.STRICT, 0, Duration.ofDays(1), false).trimmed(1);
		assertThat(output).contains("keeps to its retention of PT24H" + System.lineSeparator());
		stream(TrimMode.STRICT, 7, Duration.ofDays(1), false).trimmed(1);
		assertThat(output).contains("keeps to its max-length of 7 and its retention of PT24H");
	}

	@Test
	void nothingLostIsNothingToTell(CapturedOutput output) {
		stream(TrimMode.STRICT, 500).trimmed(0);
		assertThat(output).isEmpty();
		assertThat(this.lost).isEmpty();
	}

	@Test
	void warnsOnceIfTheUserMayNotTrim(CapturedOutput output) {
		PublishedStream stream = stream(TrimMode.FINISHED, 500);
		stream.trimmed(-1);
		passes(Duration.ofDays(1));
		stream.trimmed(-1);
		assertThat(output).containsOnlyOnce("Stream 'events' is not trimmed and grows");
		assertThat(this.lost).isEmpty();
	}

	@Test
	void anEntryIsATaskIfItHasAKeyOrAllAreTracked() {
		assertThat(stream(TrimMode.NONE, 0).task(null)).isNull();
		assertThat(stream(TrimMode.NONE, 0).task("k")).isEqualTo(new NewTask("k", Duration.ZERO));
		PublishedStream tracked = stream(TrimMode.NONE, 0, Duration.ZERO, true);
		assertThat(tracked.task(null)).isEqualTo(new NewTask(null, Duration.ofHours(1)));
		assertThat(tracked.task("k")).isEqualTo(new NewTask("k", Duration.ofHours(1)));
	}

}
