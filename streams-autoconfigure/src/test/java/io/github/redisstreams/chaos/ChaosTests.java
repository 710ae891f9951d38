package io.github.redisstreams.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That no entry is lost, stuck or handled twice for no reason while processes, network
 * and Redis fail at random. How long and with which seed can be set, see CONTRIBUTING.md.
 */
@Tag("slow")
class ChaosTests {

	@TempDir
	Path ledger;

	private static Workload workload(boolean failing) {
		return new Workload(Long.getLong("chaos.seed", new Random().nextInt(1_000_000)),
				Integer.getInteger("chaos.entries", 5000), Duration.ofSeconds(Integer.getInteger("chaos.seconds", 20)),
				failing);
	}

	@Test
	void everyEntryIsHandledAndNoneTwiceForNoReason() throws Exception {
		try (ChaosRun run = new ChaosRun(workload(false), this.ledger)) {
			Verdict verdict = run.run();
			verdict.assertHolds();
			assertThat(verdict.deadLetters()).isEmpty();
			assertThat(verdict.unhandled()).as("entries that no handler has finished").isEmpty();
		}
	}

	@Test
	void everyEntryIsHandledOrADeadLetterWhenHandlersFail() throws Exception {
		try (ChaosRun run = new ChaosRun(workload(true), this.ledger)) {
			Verdict verdict = run.run();
			verdict.assertHolds();
			Map<Integer, List<DeadLetterView>> letters = verdict.deadLetters();
			assertThat(verdict.unhandled()).as("entries that no handler has finished are dead letters")
				.isSubsetOf(letters.keySet());
			assertThat(verdict.poison()).as("entries whose handler always fails are dead letters")
				.isSubsetOf(letters.keySet());
			assertThat(letters.values()).allSatisfy((copies) -> assertThat(copies).hasSize(1))
				.allSatisfy((copies) -> copies.forEach(verdict::assertOriginal));
		}
	}

}
