package io.github.redisstreams.autoconfigure.actuate;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.redisstreams.deadletter.DeadLetterRange;
import io.github.redisstreams.redis.EntryId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.data.redis.connection.stream.RecordId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.ThrowableAssert.ThrowingCallable;

class ActionParametersTests {

	private static ActionParameters redrive(String name, Object value) {
		return ActionParameters.of(Map.of("listenerId", "events", "action", "redrive", name, value));
	}

	private static void assertInvalid(ThrowingCallable call, String reason) {
		assertThatExceptionOfType(InvalidEndpointRequestException.class).isThrownBy(call)
			.satisfies((ex) -> assertThat(ex.getReason()).contains(reason));
	}

	@ParameterizedTest
	@EnumSource(ListenerAction.class)
	void knowsEachActionInAnyCase(ListenerAction action) {
		assertThat(ActionParameters.of(Map.of("action", action.name())).action()).isEqualTo(action);
		assertThat(ActionParameters.of(Map.of("action", action.toString())).action()).isEqualTo(action);
	}

	@Test
	void takesNothingThatTheActionDoesNotKnow() {
		assertInvalid(() -> ActionParameters.of(Map.of("action", "purge", "dryRun", "true")),
				"The action 'purge' knows nothing of 'dryRun'. What it takes is 'from', 'ids', 'maximum', 'to'");
		assertInvalid(() -> ActionParameters.of(Map.of("action", "stop", "b", 1, "a", 2)),
				"knows nothing of 'a', 'b'. It takes no parameters");
	}

	@Test
	void takesIdsWithCommasBetweenThem() {
		assertThat(redrive("ids", "1-2, 5 ,3-0").ids()).containsExactly(RecordId.of("1-2"), RecordId.of("5-0"),
				RecordId.of("3-0"));
		assertThat(redrive("ids", List.of("1-2", "3-4")).ids()).as("several in the query")
			.containsExactly(RecordId.of("1-2"), RecordId.of("3-4"));
		assertThat(redrive("maximum", 1).ids()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "1-2,", "x", "1-x", "-1", "*", "99999999999999999999" })
	void takesNoIdsThatAreNone(String ids) {
		assertInvalid(() -> redrive("ids", ids).ids(), "such as 1");
	}

	@Test
	void takesNoMoreThanAThousandIds() {
		String ids = IntStream.rangeClosed(0, 1000).mapToObj((n) -> n + "-1").collect(Collectors.joining(","));
		assertInvalid(() -> redrive("ids", ids).ids(), "At most 1000");
	}

	@Test
	void takesNoIdsTogetherWithARange() {
		assertInvalid(() -> ActionParameters.of(Map.of("action", "purge", "ids", "1-1", "to", "5")).ids(),
				"'ids' and 'to' cannot be given together");
	}

	@Test
	void takesTimesAndIdsAsEndsOfARange() {
		assertThat(redrive("dryRun", true).range()).isEqualTo(DeadLetterRange.all());
		assertThat(redrive("from", "1970-01-01T00:00:01Z").range())
			.isEqualTo(new DeadLetterRange(new EntryId(1000, 0), EntryId.MAX));
		assertThat(redrive("to", "1970-01-01T00:00:01Z").range()).as("all of that millisecond")
			.isEqualTo(new DeadLetterRange(EntryId.ZERO, new EntryId(1000, -1)));
		assertThat(redrive("to", "7").range()).isEqualTo(new DeadLetterRange(EntryId.ZERO, new EntryId(7, -1)));
		assertThat(redrive("to", "7-3").range()).isEqualTo(new DeadLetterRange(EntryId.ZERO, new EntryId(7, 3)));
		assertThat(redrive("from", "7").range()).isEqualTo(new DeadLetterRange(new EntryId(7, 0), EntryId.MAX));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "yesterday", "2030-01-31", "2030-01-31T12:00:00", "+999999999-01-01T00:00:00Z", "1-" })
	void takesNoOtherEnds(String end) {
		assertInvalid(() -> redrive("from", end).range(), "'from' must be a time such as 2030-01-31T12:00:00Z");
		assertInvalid(() -> redrive("to", end).range(), "'to' must be a time");
	}

	@Test
	void takesNoRangeThatEndsBeforeItBegins() {
		assertInvalid(() -> ActionParameters.of(Map.of("action", "purge", "from", "5", "to", "4")).range(),
				"'from' must not be after 'to'");
	}

	@ParameterizedTest
	@CsvSource({ "0", "-1", "101", "x", "1.5", "''", "99999999999" })
	void takesNoNumberThatIsOutOfBounds(String number) {
		assertInvalid(() -> redrive("maximum", number).number("maximum", 10, 100),
				"'maximum' must be a number from 1 to 100, not '" + number + "'");
	}

	@Test
	void takesNumbersWithinBounds() {
		assertThat(redrive("maximum", 100).number("maximum", 10, 100)).isEqualTo(100);
		assertThat(redrive("maximum", " 1 ").number("maximum", 10, 100)).isEqualTo(1);
		assertThat(redrive("dryRun", true).number("maximum", 10, 100)).isEqualTo(10);
	}

	@Test
	void takesTrueAndFalse() {
		assertThat(redrive("dryRun", true).flag("dryRun")).isTrue();
		assertThat(redrive("dryRun", "FALSE").flag("dryRun")).isFalse();
		assertThat(redrive("maximum", 1).flag("dryRun")).isFalse();
		assertInvalid(() -> redrive("dryRun", "yes").flag("dryRun"), "'dryRun' must be true or false, not 'yes'");
	}

}
