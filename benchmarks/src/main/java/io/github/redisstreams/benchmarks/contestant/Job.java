package io.github.redisstreams.benchmarks.contestant;

/**
 * What a contestant is to do.
 *
 * @param port where Redis listens
 * @param stream the stream, which exists, or the first of several
 * @param streams how many streams each consumer reads; loops by hand read the first only
 * @param group the group, which exists
 * @param entries how many entries to handle
 * @param instances how many consumers share the stream, as if each were a process
 * @param concurrency how many handlers each may run at once
 * @param handlerMicros how long a handler takes
 * @param virtualThreads whether handlers run on virtual threads
 * @param properties further properties of ours, one {@code name=value} each
 */
public record Job(int port, String stream, int streams, String group, int entries, int instances, int concurrency,
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
		return new Job(port, "work", 1, "workers", entries, 1, 1, 0, false);
	}

	/**
	 * The same on several streams, which share the entries.
	 * @param streams how many
	 * @return the job
	 */
	public Job withStreams(int streams) {
		return new Job(this.port, this.stream, streams, this.group, this.entries, this.instances, this.concurrency,
				this.handlerMicros, this.virtualThreads, this.properties);
	}

	/**
	 * The same, shared by several consumers.
	 * @param instances how many
	 * @return the job
	 */
	public Job withInstances(int instances) {
		return new Job(this.port, this.stream, this.streams, this.group, this.entries, instances, this.concurrency,
				this.handlerMicros, this.virtualThreads, this.properties);
	}

	/**
	 * The same with handlers that take their time.
	 * @param concurrency how many handlers each consumer may run at once
	 * @param millis how long a handler takes
	 * @return the job
	 */
	public Job withHandlers(int concurrency, int millis) {
		return new Job(this.port, this.stream, this.streams, this.group, this.entries, this.instances, concurrency,
				millis * 1000L, this.virtualThreads, this.properties);
	}

	/**
	 * The same with handlers on virtual threads.
	 * @return the job
	 */
	public Job onVirtualThreads() {
		return new Job(this.port, this.stream, this.streams, this.group, this.entries, this.instances, this.concurrency,
				this.handlerMicros, true, this.properties);
	}

	/**
	 * The same with properties of ours.
	 * @param properties one {@code name=value} each
	 * @return the job
	 */
	public Job withProperties(String... properties) {
		return new Job(this.port, this.stream, this.streams, this.group, this.entries, this.instances, this.concurrency,
				this.handlerMicros, this.virtualThreads, properties);
	}

	/**
	 * The key of one of the streams.
	 * @param number its number, from 0
	 * @return the key
	 */
	public String stream(int number) {
		return (number == 0) ? this.stream : this.stream + "-" + number;
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
