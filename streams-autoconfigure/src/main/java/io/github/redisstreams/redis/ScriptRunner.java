package io.github.redisstreams.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.output.CommandOutput;

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
			return this.channel.get().call(call.evalsha(), call.stream(), output.get(), call.byDigest());
		}
		catch (DataAccessException ex) {
			if (isUnknown(ex)) {
				return this.channel.get().call(call.eval(), call.stream(), output.get(), call.byText());
			}
			throw ex;
		}
	}

	/**
	 * Run a script without waiting for its reply.
	 */
	<T> CompletionStage<T> send(ScriptCall call, Supplier<CommandOutput<byte[], byte[], T>> output) {
		try {
			CommandChannel channel = this.channel.get();
			return orByText(channel.send(call.evalsha(), call.stream(), output.get(), call.byDigest()), channel, call,
					output);
		}
		// Whatever it is (a closed connection factory, say): callers look in one place
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * The reply to a script that was sent by its digest, or to its text where the server
	 * did not know it.
	 */
	static <T> CompletionStage<T> orByText(CompletionStage<T> byDigest, CommandChannel channel, ScriptCall call,
			Supplier<CommandOutput<byte[], byte[], T>> output) {
		return byDigest.handle((reply, failure) -> {
			if (failure == null) {
				return CompletableFuture.completedStage(reply);
			}
			// Over the same connection, even if that is lost by now: to establish
			// another on its thread would be to wait for oneself
			return isUnknown(failure) ? channel.send(call.eval(), call.stream(), output.get(), call.byText())
					: CompletableFuture.<T>failedStage(failure);
		}).thenCompose(Function.identity());
	}

	private static boolean isUnknown(Throwable failure) {
		return failure.getCause() instanceof RedisNoScriptException;
	}

}
