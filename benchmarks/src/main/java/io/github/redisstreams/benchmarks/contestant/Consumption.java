package io.github.redisstreams.benchmarks.contestant;

/**
 * A contestant at one job. It is created connected as far as it can be, and reads nothing
 * before it is started.
 */
interface Consumption extends AutoCloseable {

	/**
	 * Begin to read. Returns at once.
	 */
	void start();

	/**
	 * Stop, once everything has been handled.
	 */
	@Override
	void close();

}
