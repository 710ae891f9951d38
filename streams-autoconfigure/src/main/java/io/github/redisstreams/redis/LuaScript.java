package io.github.redisstreams.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script of this package, with the digest by which the server remembers it.
 *
 * @param name what to call it in messages
 * @param source the script's text
 * @param sha1 its SHA-1 digest in hexadecimal digits
 */
record LuaScript(String name, String source, String sha1) {

	/**
	 * Load a script that lies beside this class.
	 * @param files the script's file, which also names it, and before it those that it
	 * builds on
	 */
	static LuaScript load(String... files) {
		StringBuilder source = new StringBuilder();
		for (String file : files) {
			source.append(read(file));
		}
		String name = files[files.length - 1].replace(".lua", "");
		try {
			byte[] digest = MessageDigest.getInstance("SHA-1")
				.digest(source.toString().getBytes(StandardCharsets.UTF_8));
			return new LuaScript(name, source.toString(), HexFormat.of().formatHex(digest));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String read(String file) {
		try (InputStream in = LuaScript.class.getResourceAsStream(file)) {
			if (in == null) {
				throw new IllegalStateException("Script " + file + " is missing from the class path");
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
