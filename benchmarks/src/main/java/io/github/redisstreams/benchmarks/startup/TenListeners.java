package io.github.redisstreams.benchmarks.startup;

import io.github.redisstreams.annotation.StreamListener;

/**
 * Ten listeners.
 */
class TenListeners {

	@StreamListener({ "work-0", "work-1", "work-2", "work-3", "work-4", "work-5", "work-6", "work-7", "work-8",
			"work-9" })
	void handle(String payload) {
	}

}
