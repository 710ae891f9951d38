package io.github.redisstreams.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

import org.springframework.util.function.SingletonSupplier;

/**
 * A script of this package, with the digest by which the server remembers it. Read when
 * it is first used, since few applications use all of them, and none at its start.
 */
final class LuaScript {

	private final String name;

	private final SingletonSupplier<String> source;

	private final SingletonSupplier<String> sha1;

	private LuaScript(String name, List<String> files) {
		this.name = name;
		this.source = SingletonSupplier.of(() -> files.stream().map(LuaScript::read).collect(Collectors.joining()));
		this.sha1 = SingletonSupplier.of(() -> sha1(source()));
	}

	/**
	 * A script that lies beside this class.
	 * @param files the script's file, which also names it, and before it those that it
	 * builds on
	 */
	static LuaScript of(String... files) {
		return new LuaScript(files[files.length - 1].replace(".lua", ""), List.of(files));
	}

	/**
	 * What to call it in messages.
	 */
	String name() {
		return this.name;
	}

	/**
	 * Its text.
	 */
	String source() {
		return this.source.obtain();
	}

	/**
	 * Its SHA-1 digest in hexadecimal digits.
	 */
	String sha1() {
		return this.sha1.obtain();
	}

	private static String sha1(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest);
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
