package io.github.redisstreams.listener;

import java.util.List;
import java.util.Map;

import io.github.redisstreams.redis.EntryId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class EntriesFailedExceptionTests {

	private static final EntryId FIRST = new EntryId(1, 1);

	private static final EntryId SECOND = new EntryId(1, 2);

	private static final List<EntryId> BATCH = List.of(FIRST, SECOND);

	private final IllegalStateException cause = new IllegalStateException("broken");

	@Test
	void namesEntriesByTheirPosition() {
		EntriesFailedException failed = EntriesFailedException.atPositions(Map.of(1, this.cause));
		assertThat(failed.among(BATCH)).containsExactly(Map.entry(SECOND, this.cause));
		assertThat(failed).hasMessage("1 entries of the batch failed: at [1]").hasCause(this.cause);
	}

	@Test
	void namesEntriesById() {
		assertThat(new EntriesFailedException(Map.of(FIRST, this.cause)).among(BATCH))
			.containsExactly(Map.entry(FIRST, this.cause));
	}

	@Test
	void namesAllWhereAPositionIsBeyondTheBatch() {
		for (int position : new int[] { -1, 2 }) {
			EntriesFailedException failed = EntriesFailedException
				.atPositions(Map.of(0, this.cause, position, this.cause));
			assertThat(failed.among(BATCH)).containsOnly(Map.entry(FIRST, failed), Map.entry(SECOND, failed));
		}
	}

	@Test
	void namesAllWhereAnIdIsOfNoneOfTheBatch() {
		EntriesFailedException failed = new EntriesFailedException(Map.of(new EntryId(9, 9), this.cause));
		assertThat(failed.among(BATCH)).containsOnlyKeys(FIRST, SECOND);
	}

	@Test
	void needsAFailedEntry() {
		assertThatIllegalArgumentException().isThrownBy(() -> EntriesFailedException.atPositions(Map.of()));
	}

}
