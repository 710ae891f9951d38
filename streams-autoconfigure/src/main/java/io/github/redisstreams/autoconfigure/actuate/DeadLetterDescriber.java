package io.github.redisstreams.autoconfigure.actuate;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

import io.github.redisstreams.deadletter.DeadLetterEntry;
import io.github.redisstreams.redis.EntryId;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/**
 * Describes dead letters without what is nobody's business: values of fields, and
 * messages of exceptions, which may quote them.
 */
final class DeadLetterDescriber {

	private static final int LONGEST_VALUE = 1000;

	private static final int MOST_FIELDS = 100;

	/** What listeners themselves say; any other may be the message of an exception. */
	private static final Pattern OWN_REASON = Pattern
		.compile("cannot succeed: \\S+|failed at delivery \\d+ of \\d+|delivered \\d+ times before .*");

	private final Sanitizer sanitizer;

	DeadLetterDescriber(Iterable<SanitizingFunction> sanitizingFunctions) {
		this.sanitizer = new Sanitizer(sanitizingFunctions);
	}

	/**
	 * Describe a dead letter.
	 * @param showValues whether to show what is not sanitized
	 */
	DeadLettersDescriptor.Letter describe(DeadLetterEntry letter, boolean showValues) {
		// What something else has added to the stream was never in another
		boolean known = letter.stream() != null;
		Instant written = EntryId.parse(letter.id().getValue()).timestamp();
		Object message = sanitize("message", letter.message(), showValues);
		return new DeadLettersDescriptor.Letter(letter.id().getValue(), written, letter.stream(),
				known ? letter.originalId().getValue() : null, letter.group(), letter.consumer(),
				known ? letter.deliveryCount() : null, letter.firstSeen(), reason(letter, showValues),
				letter.exception(), letter.cause(), message, letter.redrives(), fields(letter, showValues));
	}

	// Without an exception it is what somebody has chosen to say
	private @Nullable Object reason(DeadLetterEntry letter, boolean showValues) {
		String reason = letter.reason();
		boolean shown = reason == null || letter.exception() == null || OWN_REASON.matcher(reason).matches();
		return shown ? reason : sanitize("message", reason, showValues);
	}

	private Map<String, @Nullable Object> fields(DeadLetterEntry letter, boolean showValues) {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		letter.original().forEachField((name, value) -> {
			if (fields.size() < MOST_FIELDS) {
				String key = text(name);
				// Of several fields with one name the first counts, as for listeners
				fields.putIfAbsent(key, sanitize(key, text(value), showValues));
			}
		});
		return fields;
	}

	private @Nullable Object sanitize(String key, @Nullable String value, boolean showValues) {
		Object sanitized = this.sanitizer.sanitize(new SanitizableData(null, key, value), showValues);
		return (sanitized instanceof String text && text.length() > LONGEST_VALUE)
				? text.substring(0, LONGEST_VALUE) + "..." : sanitized;
	}

	private static String text(byte[] bytes) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
		}
		catch (CharacterCodingException ex) {
			return bytes.length + " bytes";
		}
	}

}
