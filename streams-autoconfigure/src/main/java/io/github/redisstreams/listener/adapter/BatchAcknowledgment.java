package io.github.redisstreams.listener.adapter;

import java.time.Duration;
import java.util.List;

import io.github.redisstreams.listener.Acknowledgment;

/**
 * Decides about all entries of a batch at once.
 */
record BatchAcknowledgment(List<? extends Acknowledgment> entries) implements Acknowledgment {

	@Override
	public void acknowledge() {
		this.entries.forEach(Acknowledgment::acknowledge);
	}

	@Override
	public void retry(Duration delay) {
		this.entries.forEach((entry) -> entry.retry(delay));
	}

	@Override
	public void reject(String reason) {
		this.entries.forEach((entry) -> entry.reject(reason));
	}

	@Override
	public void extend(Duration duration) {
		this.entries.forEach((entry) -> entry.extend(duration));
	}

	@Override
	public boolean isLeaseLost() {
		return this.entries.stream().anyMatch(Acknowledgment::isLeaseLost);
	}

}
