package io.github.redisstreams.autoconfigure.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The dead letters of a listener's stream.
 *
 * @param stream the key of the dead-letter stream
 * @param count how many there are
 * @param recent the newest, newest first, at most {@value ListenerReader#MOST_LETTERS}
 */
public record DeadLettersDescriptor(String stream, long count, List<Letter> recent) {

	/**
	 * A dead letter. What it lacks is {@code null}.
	 *
	 * @param id its id in the dead-letter stream
	 * @param written when it was written there
	 * @param stream the key of the stream that it comes from
	 * @param entryId the id that it had there
	 * @param group the group whose handler failed
	 * @param consumer the consumer that held it last
	 * @param deliveryCount how often it was delivered
	 * @param firstSeen when it was added to its stream
	 * @param reason why it is here, in words; hidden like content where it is the message
	 * of an exception
	 * @param exception the class of the exception that its handler threw
	 * @param cause the class of that exception's innermost cause
	 * @param message that exception's message, which may quote content and is hidden like
	 * it
	 * @param redrives how often it was put back into its stream
	 * @param fields its content, by the names of its fields
	 */
	public record Letter(String id, Instant written, @Nullable String stream, @Nullable String entryId,
			@Nullable String group, @Nullable String consumer, @Nullable Long deliveryCount,
			@Nullable Instant firstSeen, @Nullable Object reason, @Nullable String exception, @Nullable String cause,
			@Nullable Object message, int redrives, Map<String, @Nullable Object> fields) {

	}

}
