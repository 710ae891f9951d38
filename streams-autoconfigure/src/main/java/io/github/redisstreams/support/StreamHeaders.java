package io.github.redisstreams.support;

/**
 * Names of the message headers that tell where an entry comes from. A listener's message
 * has these and one header per field of the entry (but the payload), under the field's
 * name.
 */
public final class StreamHeaders {

	/**
	 * The field that holds an entry's payload.
	 */
	public static final String PAYLOAD_FIELD = "payload";

	private static final String PREFIX = "redis_";

	/**
	 * The key of the stream, a {@code String}.
	 */
	public static final String STREAM = PREFIX + "stream";

	/**
	 * The consumer group, a {@code String}.
	 */
	public static final String GROUP = PREFIX + "group";

	/**
	 * The consumer that holds the entry, a {@code String}.
	 */
	public static final String CONSUMER = PREFIX + "consumer";

	/**
	 * The entry's id, a {@code RecordId}.
	 */
	public static final String ID = PREFIX + "id";

	/**
	 * How often the group has delivered the entry, this time included, a {@code Long}.
	 */
	public static final String DELIVERY_COUNT = PREFIX + "deliveryCount";

	/**
	 * The {@code Acknowledgment} of the entry.
	 */
	public static final String ACKNOWLEDGMENT = PREFIX + "acknowledgment";

	private StreamHeaders() {
	}

	/**
	 * Whether a header says where an entry came from, and so is not to be written to
	 * another.
	 * @param name the header's name
	 * @return whether it is one of ours
	 */
	public static boolean isOwn(String name) {
		return name.startsWith(PREFIX);
	}

}
