package io.github.redisstreams.listener;

import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * How long to wait before asking a failing Redis again: 200 ms at first, doubled up to 6
 * seconds, which is about a dozen attempts in the first minute.
 */
final class FaultBackOff {

	private FaultBackOff() {
	}

	static BackOffExecution start() {
		ExponentialBackOff backOff = new ExponentialBackOff(200, 2);
		backOff.setMaxInterval(6000);
		// So that the instances of an application do not all come back at once
		backOff.setJitter(50);
		return backOff.start();
	}

}
