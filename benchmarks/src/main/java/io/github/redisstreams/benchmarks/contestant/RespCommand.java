package io.github.redisstreams.benchmarks.contestant;

import java.nio.charset.StandardCharsets;

/**
 * A command as it goes over the wire.
 */
final class RespCommand {

	private RespCommand() {
	}

	/**
	 * Encode a command.
	 * @param parts its name and arguments, of ASCII only
	 * @return the bytes to send
	 */
	static byte[] of(String... parts) {
		StringBuilder command = new StringBuilder(32 * parts.length).append('*').append(parts.length).append("\r\n");
		for (String part : parts) {
			command.append('$').append(part.length()).append("\r\n").append(part).append("\r\n");
		}
		return command.toString().getBytes(StandardCharsets.ISO_8859_1);
	}

}
