package io.github.redisstreams.benchmarks.sender;

/**
 * A sender at one job. It is created connected as far as it can be.
 */
interface Sending extends AutoCloseable {

	/**
	 * Send entries, and wait for all replies.
	 * @param count how many
	 */
	void send(int count);

	@Override
	void close();

}
