package io.github.redisstreams.support;

import io.github.redisstreams.redis.NewTask;

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

	/**
	 * The id of the task that the entry is, a {@code String}. Missing if it is none.
	 */
	public static final String TASK = NewTask.FIELD;

	/**
	 * Set by whoever sends, a key for the task: while there is one with this key that is
	 * scheduled, queued or running, another is refused.
	 */
	public static final String TASK_KEY = PREFIX + "taskKey";

	/**
	 * Set by whoever sends, to be able to send an entry again whose confirmation was
	 * lost: the server adds only one with this key, if it can ({@code IDMP}, Redis 8.6
	 * and later), as long as it remembers it (100 s by default).
	 */
	public static final String IDEMPOTENCY_KEY = PREFIX + "idempotencyKey";

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
