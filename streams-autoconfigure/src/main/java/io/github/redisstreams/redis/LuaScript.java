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
 * @param source the script's text
 * @param sha1 its SHA-1 digest in hexadecimal digits
 */
record LuaScript(String source, String sha1) {

	/**
	 * Load a script that lies beside this class.
	 */
	static LuaScript load(String name) {
		try (InputStream in = LuaScript.class.getResourceAsStream(name)) {
			if (in == null) {
				throw new IllegalStateException("Script " + name + " is missing from the class path");
			}
			byte[] source = in.readAllBytes();
			byte[] digest = MessageDigest.getInstance("SHA-1").digest(source);
			return new LuaScript(new String(source, StandardCharsets.UTF_8), HexFormat.of().formatHex(digest));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
