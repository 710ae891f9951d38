package io.github.redisstreams.metrics;

import java.time.Duration;

/**
 * How many entries may be looked at to find out lags that the server cannot tell, which
 * costs it about a microsecond for each.
 *
 * @param entries how many may be looked at in one interval
 */
record LagBudget(int entries) {

	/** What makes 0.2 to 0.3 % of one processor. */
	private static final int PER_SECOND = 2000;

	private static final int MOST = 10_000;

	/** For somebody who asks by hand. */
	static final LagBudget ONCE = new LagBudget(MOST);

	/** Even of very many groups it is to be told whether they have a lag at all. */
	private static final int LEAST_PER_GROUP = 50;

	static LagBudget of(Duration interval) {
		return new LagBudget((int) Math.min(MOST, interval.toMillis() * PER_SECOND / 1000));
	}

	/**
	 * How many of them for each group.
	 */
	int share(int groups) {
		return Math.max(LEAST_PER_GROUP, this.entries / Math.max(1, groups));
	}

}
