package io.github.redisstreams.benchmarks.contestant;

/**
 * What a contestant is to do.
 *
 * @param port where Redis listens
 * @param stream the stream, which exists
 * @param group the group, which exists
 * @param entries how many entries to handle
 * @param instances how many consumers share the stream, as if each were a process
 * @param concurrency how many handlers each may run at once
 * @param handlerMicros how long a handler takes
 * @param virtualThreads whether handlers run on virtual threads
 * @param properties further properties of ours, one {@code name=value} each
 */
public record Job(int port, String stream, String group, int entries, int instances, int concurrency,
		long handlerMicros, boolean virtualThreads, String... properties) {

	/**
	 * The name of the field that says when an entry was written, in microseconds since
	 * the epoch.
	 */
	public static final String SENT = "sent";

	/**
	 * To handle entries one by one, doing nothing with them.
	 * @param port where Redis listens
	 * @param entries how many entries
	 * @return the job
	 */
	public static Job draining(int port, int entries) {
		return new Job(port, "work", "workers", entries, 1, 1, 0, false);
	}

	/**
	 * The name of a consumer.
	 * @param instance its number, from 0
	 * @return the name
	 */
	public String consumer(int instance) {
		return "consumer-" + instance;
	}

}
