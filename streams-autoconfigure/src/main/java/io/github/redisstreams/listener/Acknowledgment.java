package io.github.redisstreams.listener;

import java.time.Duration;

/**
 * What a handler may decide about the entry that it is given. The first decision counts;
 * later ones, an exception included, change nothing. None of these methods waits for
 * Redis, and all may be called from any thread.
 */
public interface Acknowledgment {

	/**
	 * Acknowledge the entry: {@code XACK}, batched with others within a few milliseconds
	 * and sent again until Redis has taken it.
	 */
	void acknowledge();

	/**
	 * Have the entry delivered again after a delay, here or, if this process ends,
	 * elsewhere. Takes effect when the handler has returned. Counts towards
	 * {@code max-deliveries}.
	 * @param delay how long to wait, zero or more
	 */
	void retry(Duration delay);

	/**
	 * Move the entry to the dead letters. Takes effect when the handler has returned.
	 * @param reason why, in words
	 */
	void reject(String reason);

	/**
	 * Keep the entry from being claimed by others for some time after the handler has
	 * returned without a decision, as one does with {@code ack-mode: manual} that decides
	 * later. Not needed while the handler runs: until then nobody claims the entry
	 * anyway.
	 * @param duration for how long from now, for a batch from now for each entry
	 */
	void extend(Duration duration);

	/**
	 * Whether the entry is known to be held by another consumer now, as after a pause of
	 * this whole process for longer than {@code min-idle}. What is done with it here may
	 * be done there as well. For a batch: whether any of its entries is.
	 * @return whether it is
	 */
	boolean isLeaseLost();

}
