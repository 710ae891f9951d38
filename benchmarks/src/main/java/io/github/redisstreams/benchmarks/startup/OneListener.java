package io.github.redisstreams.benchmarks.startup;

import io.github.redisstreams.annotation.StreamListener;

/**
 * A listener as an application has it.
 */
class OneListener {

	@StreamListener("work-0")
	void handle(String payload) {
	}

}
