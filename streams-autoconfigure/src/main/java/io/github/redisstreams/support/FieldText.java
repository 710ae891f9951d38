package io.github.redisstreams.support;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Field bytes as text. Bytes that are no UTF-8 are never replaced silently.
 */
final class FieldText {

	private static final char REPLACEMENT = '\uFFFD';

	private FieldText() {
	}

	/**
	 * The bytes as text, or {@code null} if they are none.
	 */
	static @Nullable String of(byte[] bytes) {
		// Several times as fast as a decoder that reports what it cannot decode
		String text = new String(bytes, StandardCharsets.UTF_8);
		return (text.indexOf(REPLACEMENT) < 0) ? text : decode(bytes);
	}

	private static @Nullable String decode(byte[] bytes) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
		}
		catch (CharacterCodingException ex) {
			return null;
		}
	}

}
