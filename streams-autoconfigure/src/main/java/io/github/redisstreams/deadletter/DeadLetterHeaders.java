package io.github.redisstreams.deadletter;

/**
 * Fields that a dead letter has besides those of its original entry, which come first and
 * are kept byte for byte. All are text.
 */
public final class DeadLetterHeaders {

	private static final String PREFIX = "redis_deadLetter";

	/**
	 * The key of the stream that the entry was in.
	 */
	public static final String STREAM = PREFIX + "Stream";

	/**
	 * The id that the entry had there.
	 */
	public static final String ID = PREFIX + "Id";

	/**
	 * The consumer group whose handler failed.
	 */
	public static final String GROUP = PREFIX + "Group";

	/**
	 * The consumer that held the entry last.
	 */
	public static final String CONSUMER = PREFIX + "Consumer";

	/**
	 * How often the entry was delivered, by the server's count.
	 */
	public static final String DELIVERY_COUNT = PREFIX + "DeliveryCount";

	/**
	 * When the entry was added to its stream as its id tells, such as
	 * {@code 2030-01-31T12:00:00.123Z}.
	 */
	public static final String FIRST_SEEN = PREFIX + "FirstSeen";

	/**
	 * Why it is here, in words.
	 */
	public static final String REASON = PREFIX + "Reason";

	/**
	 * The class of the exception that the handler threw, if it threw one.
	 */
	public static final String EXCEPTION = PREFIX + "Exception";

	/**
	 * The class of the innermost cause of that exception, which is its own if it has
	 * none.
	 */
	public static final String CAUSE = PREFIX + "Cause";

	/**
	 * The exception's message, cut at a thousand characters.
	 */
	public static final String MESSAGE = PREFIX + "Message";

	/**
	 * The exception's stack trace, cut in the middle to eight thousand characters, unless
	 * switched off.
	 */
	public static final String STACK_TRACE = PREFIX + "StackTrace";

	/**
	 * How often the entry has been put back into its stream from the dead letters. Also a
	 * field of the entry that was put back, so that the count goes on.
	 */
	public static final String REDRIVES = PREFIX + "Redrives";

	private DeadLetterHeaders() {
	}

}
