package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;

import io.lettuce.core.protocol.ProtocolKeyword;

/**
 * A command as the server knows it, and what to call it in messages: of a script the
 * command alone would tell nothing.
 *
 * @param command the command
 * @param text the command and what tells it apart
 */
record CommandName(String command, String text) implements ProtocolKeyword {

	/**
	 * A command that Lettuce has no name for.
	 */
	CommandName(String command) {
		this(command, command);
	}

	@Override
	public byte[] getBytes() {
		return this.command.getBytes(StandardCharsets.US_ASCII);
	}

	@Override
	public String toString() {
		return this.text;
	}

}
