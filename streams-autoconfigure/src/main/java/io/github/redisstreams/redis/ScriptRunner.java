package io.github.redisstreams.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import org.springframework.dao.DataAccessException;

/**
 * Runs scripts by their digest, and by their text where the server does not know them
 * yet, as after a restart.
 */
final class ScriptRunner {

	private final Supplier<CommandChannel> channel;

	ScriptRunner(Supplier<CommandChannel> channel) {
		this.channel = channel;
	}

	/**
	 * Run a script and wait for its reply.
	 */
	<T> T call(ScriptCall call, Supplier<CommandOutput<byte[], byte[], T>> output) {
		try {
			return this.channel.get().call(CommandType.EVALSHA, call.stream(), output.get(), call.byDigest());
		}
		catch (DataAccessException ex) {
			if (isUnknown(ex)) {
				return this.channel.get().call(CommandType.EVAL, call.stream(), output.get(), call.byText());
			}
			throw ex;
		}
	}

	/**
	 * Run a script without waiting for its reply.
	 */
	<T> CompletionStage<T> send(ScriptCall call, Supplier<CommandOutput<byte[], byte[], T>> output) {
		CommandChannel channel;
		try {
			channel = this.channel.get();
		}
		// Whatever it is (a closed connection factory, say): callers look in one place
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return send(channel, CommandType.EVALSHA, call, call.byDigest(), output).handle((reply, failure) -> {
			if (failure == null) {
				return CompletableFuture.completedStage(reply);
			}
			// Not over another connection: to establish one on a thread of
			// this one would be to wait for oneself
			return isUnknown(failure) ? send(channel, CommandType.EVAL, call, call.byText(), output)
					: CompletableFuture.<T>failedStage(failure);
		}).thenCompose(Function.identity());
	}

	private static <T> CompletionStage<T> send(CommandChannel channel, CommandType command, ScriptCall call,
			CommandArgs<byte[], byte[]> args, Supplier<CommandOutput<byte[], byte[], T>> output) {
		try {
			return channel.send(command, call.stream(), output.get(), args);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static boolean isUnknown(Throwable failure) {
		return failure.getCause() instanceof RedisNoScriptException;
	}

}
