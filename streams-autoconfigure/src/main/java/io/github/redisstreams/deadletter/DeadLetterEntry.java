package io.github.redisstreams.deadletter;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.stream.RecordId;

/**
 * An entry of a dead-letter stream. What it lacks is {@code null}: an entry that
 * something else has added to the stream lacks all but its fields.
 *
 * @param id its id in the dead-letter stream
 * @param original the entry as it was in its own stream: with the id and delivery count
 * that it had there (those of the dead letter and 0, if unknown) and its fields byte for
 * byte. Of {@link DeadLetterHeaders} it has {@code REDRIVES} alone, if it was redriven
 * before
 * @param stream the key of the stream that it was in
 * @param group the consumer group whose handler failed
 * @param consumer the consumer that held it last
 * @param firstSeen when it was added to its stream, as its id tells
 * @param reason why it is a dead letter, in words
 * @param exception the class of the exception that the handler threw
 * @param cause the class of the innermost cause of that exception
 * @param message the exception's message, cut at a thousand characters
 * @param stackTrace the exception's stack trace, cut at eight thousand characters
 * @param redrives how often it has been put back into its stream
 */
public record DeadLetterEntry(RecordId id, StreamEntry original, @Nullable String stream, @Nullable String group,
		@Nullable String consumer, @Nullable Instant firstSeen, @Nullable String reason, @Nullable String exception,
		@Nullable String cause, @Nullable String message, @Nullable String stackTrace, int redrives) {

	static DeadLetterEntry of(StreamEntry letter) {
		DeadLetterFields fields = DeadLetterFields.of(letter);
		EntryId originalId = parse(fields.header(DeadLetterHeaders.ID));
		StreamEntry original = new StreamEntry((originalId != null) ? originalId : letter.id(),
				number(fields.header(DeadLetterHeaders.DELIVERY_COUNT)), fields.original().toArray(byte[][]::new));
		return new DeadLetterEntry(letter.id().toRecordId(), original, fields.header(DeadLetterHeaders.STREAM),
				fields.header(DeadLetterHeaders.GROUP), fields.header(DeadLetterHeaders.CONSUMER),
				time(fields.header(DeadLetterHeaders.FIRST_SEEN)), fields.header(DeadLetterHeaders.REASON),
				fields.header(DeadLetterHeaders.EXCEPTION), fields.header(DeadLetterHeaders.CAUSE),
				fields.header(DeadLetterHeaders.MESSAGE), fields.header(DeadLetterHeaders.STACK_TRACE),
				fields.redrives());
	}

	private static @Nullable EntryId parse(@Nullable String id) {
		try {
			return (id != null) ? EntryId.parse(id) : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static @Nullable Instant time(@Nullable String time) {
		try {
			return (time != null) ? Instant.parse(time) : null;
		}
		catch (DateTimeParseException ex) {
			return null;
		}
	}

	private static long number(@Nullable String number) {
		try {
			return (number != null) ? Long.parseLong(number) : 0;
		}
		catch (NumberFormatException ex) {
			return 0;
		}
	}

	/**
	 * The id that the entry had in its stream.
	 * @return the original's id
	 */
	public RecordId originalId() {
		return this.original.id().toRecordId();
	}

	/**
	 * How often the entry was delivered, by the server's count.
	 * @return the original's delivery count
	 */
	public long deliveryCount() {
		return this.original.deliveryCount();
	}

	/**
	 * The value of one of the original fields, as text.
	 * @param name the field's name
	 * @return the first such field's value read as UTF-8, or {@code null} if there is
	 * none
	 */
	public @Nullable String text(String name) {
		byte[] value = this.original.value(name);
		return (value != null) ? new String(value, StandardCharsets.UTF_8) : null;
	}

	/**
	 * In short, without the content of the entry, which may be nobody's business.
	 */
	@Override
	public String toString() {
		return "dead letter " + this.id + " (entry " + this.original.id() + " of '" + this.stream + "', group '"
				+ this.group + "', " + this.redrives + " redrives): " + this.reason;
	}

}
