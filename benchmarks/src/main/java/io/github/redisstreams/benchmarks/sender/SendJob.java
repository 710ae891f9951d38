package io.github.redisstreams.benchmarks.sender;

/**
 * What a sender is to do.
 *
 * @param port where Redis listens
 * @param stream the stream, which exists
 * @param entries how many entries to send
 * @param together how many entries one call takes that sends many, or how many are under
 * way at once where calls do not wait
 */
public record SendJob(int port, String stream, int entries, int together) {

	/**
	 * The name of the field that has the content, the only one.
	 */
	static final String FIELD = "payload";

}
