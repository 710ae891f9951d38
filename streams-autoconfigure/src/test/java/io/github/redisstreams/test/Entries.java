package io.github.redisstreams.test;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.github.redisstreams.redis.EntryId;
import io.github.redisstreams.redis.StreamEntry;

/**
 * Entries as the container hands them to handlers, made without a server.
 */
public final class Entries {

	/**
	 * Bytes that are not UTF-8.
	 */
	public static final byte[] NOT_UTF_8 = { (byte) 0xff, (byte) 0xfe, 0, (byte) 0xc3, 0x28 };

	private Entries() {
	}

	/**
	 * An entry of text fields with the id {@code 1700000000000-0}.
	 */
	public static StreamEntry entry(String... namesAndValues) {
		return entry(0, namesAndValues);
	}

	/**
	 * An entry of text fields with the id {@code 1700000000000-<sequence>}.
	 */
	public static StreamEntry entry(long sequence, String... namesAndValues) {
		return new StreamEntry(new EntryId(1_700_000_000_000L, sequence), 1,
				Arrays.stream(namesAndValues).map(Entries::bytes).toArray(byte[][]::new));
	}

	/**
	 * An entry of one binary field with the id {@code 1700000000000-0}.
	 */
	public static StreamEntry binary(String name, byte[] value) {
		return new StreamEntry(new EntryId(1_700_000_000_000L, 0), 1, bytes(name), value);
	}

	/**
	 * An entry whose payload is the given text.
	 */
	public static StreamEntry payload(String payload, String... namesAndValues) {
		String[] all = new String[namesAndValues.length + 2];
		all[0] = "payload";
		all[1] = payload;
		System.arraycopy(namesAndValues, 0, all, 2, namesAndValues.length);
		return entry(all);
	}

	public static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
