package io.github.redisstreams.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;

/**
 * A script with the keys and arguments of one call.
 */
final class ScriptCall {

	private final LuaScript script;

	private final String[] keys;

	private final List<byte[]> arguments = new ArrayList<>();

	/**
	 * Create a call without arguments.
	 * @param script the script
	 * @param keys its keys, first that of the stream it is about
	 */
	ScriptCall(LuaScript script, String... keys) {
		this.script = script;
		this.keys = keys;
	}

	ScriptCall add(byte[] argument) {
		this.arguments.add(argument);
		return this;
	}

	ScriptCall add(String argument) {
		return add(argument.getBytes(StandardCharsets.UTF_8));
	}

	ScriptCall add(long argument) {
		return add(Long.toString(argument));
	}

	ScriptCall addAll(Collection<EntryId> ids) {
		ids.forEach((id) -> add(id.toString()));
		return this;
	}

	String stream() {
		return this.keys[0];
	}

	/**
	 * {@code EVALSHA}, which in messages has the name of the script, too.
	 */
	ProtocolKeyword evalsha() {
		return named("EVALSHA");
	}

	CommandArgs<byte[], byte[]> byDigest() {
		return args(this.script.sha1());
	}

	/**
	 * {@code EVAL}, which in messages has the name of the script, too.
	 */
	ProtocolKeyword eval() {
		return named("EVAL");
	}

	CommandArgs<byte[], byte[]> byText() {
		return args(this.script.source());
	}

	private ProtocolKeyword named(String command) {
		return new CommandName(command, command + " " + this.script.name());
	}

	private CommandArgs<byte[], byte[]> args(String scriptOrDigest) {
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
		args.add(scriptOrDigest).add(this.keys.length);
		for (String key : this.keys) {
			args.addKey(key.getBytes(StandardCharsets.UTF_8));
		}
		this.arguments.forEach(args::add);
		return args;
	}

}
