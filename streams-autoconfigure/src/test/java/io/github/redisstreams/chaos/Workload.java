package io.github.redisstreams.chaos;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * What the handlers of a chaos run do with each entry, the same in every process and
 * every run of a seed.
 *
 * @param seed makes the choices
 * @param entries how many entries there are
 * @param time how long faults happen
 * @param failing whether handlers fail, too
 */
record Workload(long seed, int entries, Duration time, boolean failing) {

	static final String STREAM = "events";

	static final String GROUP = "billing";

	static final String DEAD_LETTERS = "{events}:dlq";

	static final int INSTANCES = 3;

	static final int CONCURRENCY = 4;

	static final int BATCH_SIZE = 10;

	static final Duration MIN_IDLE = Duration.ofSeconds(2);

	/** Faults alone must never be enough for the dead letters where nothing fails. */
	static final int MAX_DELIVERIES = 1000;

	static final int MAX_DELIVERIES_FAILING = 8;

	/** What part of the time handlers are busy if nothing goes wrong. */
	private static final double UTILISATION = 0.4;

	/** Longer than min-idle, so that it needs its lease renewed. */
	private static final long LONG_WORK_MILLIS = MIN_IDLE.toMillis() * 5 / 4;

	private static final int POISON_EVERY = 100;

	/**
	 * What becomes of a delivery.
	 */
	enum Fate {

		SUCCEED, FAIL, RETRY_LATER, REJECT, UNREADABLE

	}

	/**
	 * The most entries that one process holds at a time: as many as its handlers take,
	 * and four batches that are read ahead, or handled and not yet acknowledged.
	 */
	static int mostHeld() {
		return CONCURRENCY + 4 * BATCH_SIZE;
	}

	int maxDeliveries() {
		return this.failing ? MAX_DELIVERIES_FAILING : MAX_DELIVERIES;
	}

	/**
	 * How long a delivery takes to be handled: as long as there is time for. About one
	 * handling begins each second that takes longer than {@code min-idle}.
	 */
	Duration work(int n, long delivery) {
		SplittableRandom random = random(n, delivery);
		boolean isLong = random.nextDouble() < (double) this.time.toSeconds() / this.entries;
		return Duration.ofMillis(isLong ? LONG_WORK_MILLIS : random.nextInt(longestWork() + 1));
	}

	private int longestWork() {
		return (int) (2 * UTILISATION * INSTANCES * CONCURRENCY * this.time.toMillis() / this.entries);
	}

	/**
	 * How a delivery ends: where handlers fail, one in five, one in twenty for good.
	 */
	Fate fate(int n, long delivery) {
		if (!this.failing) {
			return Fate.SUCCEED;
		}
		if (isPoison(n)) {
			return Fate.FAIL;
		}
		double chance = random(n, -delivery).nextDouble();
		if (chance < 0.12) {
			return Fate.FAIL;
		}
		if (chance < 0.15) {
			return Fate.RETRY_LATER;
		}
		if (chance < 0.18) {
			return Fate.REJECT;
		}
		return (chance < 0.20) ? Fate.UNREADABLE : Fate.SUCCEED;
	}

	/**
	 * Whether no delivery of an entry ever succeeds.
	 */
	boolean isPoison(int n) {
		return this.failing && n % POISON_EVERY == POISON_EVERY - 1;
	}

	// Unlike with Random, neighbouring seeds make for unlike numbers
	private SplittableRandom random(int n, long delivery) {
		return new SplittableRandom((this.seed * 1_000_003 + n) * 1_000_003 + delivery);
	}

	/**
	 * The fields of an entry.
	 */
	static String[] fields(int n) {
		return new String[] { "n", Integer.toString(n), "payload", "{\"order\":" + n + "}", "name", "Zoë " + n, "empty",
				"" };
	}

}
