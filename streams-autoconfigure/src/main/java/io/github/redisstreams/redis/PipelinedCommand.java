package io.github.redisstreams.redis;

import java.util.concurrent.CompletableFuture;

import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;

/**
 * A command that is to be sent together with others.
 *
 * @param <T> the type of its reply
 */
final class PipelinedCommand<T> {

	private final ProtocolKeyword type;

	private final String stream;

	private final AsyncCommand<byte[], byte[], T> command;

	private final CompletableFuture<T> reply = new CompletableFuture<>();

	PipelinedCommand(ProtocolKeyword type, String stream, CommandOutput<byte[], byte[], T> output,
			CommandArgs<byte[], byte[]> args) {
		this.type = type;
		this.stream = stream;
		this.command = new AsyncCommand<>(new Command<>(type, output, args));
	}

	ProtocolKeyword type() {
		return this.type;
	}

	String stream() {
		return this.stream;
	}

	AsyncCommand<byte[], byte[], T> command() {
		return this.command;
	}

	CompletableFuture<T> reply() {
		return this.reply;
	}

}
