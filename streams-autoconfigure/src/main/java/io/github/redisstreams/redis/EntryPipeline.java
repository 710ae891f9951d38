package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

/**
 * Adds entries of one stream over one channel, in their order, without waiting for one
 * reply before the next is sent. For use by one thread.
 */
final class EntryPipeline {

	/** So that the first commands are on their way before the last are encoded. */
	private static final int TOGETHER = 500;

	/**
	 * The time that a command may take begins when it is handed over, and what waits
	 * behind very many others would exceed it.
	 */
	private static final int MOST_IN_FLIGHT = 4 * TOGETHER;

	private final CommandChannel channel;

	private final PublishScripts scripts;

	private final @Nullable Duration patience;

	private final List<CompletionStage<Added>> replies = new ArrayList<>();

	private final List<PipelinedCommand<?>> waiting = new ArrayList<>();

	private boolean scriptIsKnown;

	private @Nullable Throwable lost;

	/**
	 * Create an empty pipeline.
	 * @param channel the channel
	 * @param scripts what it takes to add an entry
	 * @param patience how long commands may take, where the connection does not say
	 */
	EntryPipeline(CommandChannel channel, PublishScripts scripts, @Nullable Duration patience) {
		this.channel = channel;
		this.scripts = scripts;
		this.patience = patience;
	}

	/**
	 * Add an entry, or fail it if the connection is lost by now.
	 */
	void add(NewEntry entry) {
		if (this.lost != null) {
			this.replies.add(CompletableFuture.failedStage(this.lost));
			return;
		}
		this.replies.add(prepare(entry));
		if (this.waiting.size() >= TOGETHER) {
			flush();
			if (this.replies.size() > MOST_IN_FLIGHT) {
				this.lost = awaitLoss(this.replies.get(this.replies.size() - MOST_IN_FLIGHT));
			}
		}
	}

	// An entry that cannot be sent fails alone: others may be on their way
	private CompletionStage<Added> prepare(NewEntry entry) {
		try {
			return PublishScripts.isNeededFor(entry) ? prepareScript(entry) : preparePlain(entry);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletionStage<Added> preparePlain(NewEntry entry) {
		PipelinedCommand<String> add = new PipelinedCommand<>(CommandType.XADD, entry.stream(),
				new StatusOutput<>(ByteArrayCodec.INSTANCE), this.scripts.plainArgs(entry));
		this.waiting.add(add);
		return add.reply().thenApply(Replies::added);
	}

	// A script that the server does not know yet would be sent again after the entries
	// that come after it, so the first goes as text
	private CompletionStage<Added> prepareScript(NewEntry entry) {
		ScriptCall call = this.scripts.add(entry);
		PipelinedCommand<List<Object>> script = this.scriptIsKnown
				? new PipelinedCommand<>(call.evalsha(), entry.stream(), Replies.LIST.get(), call.byDigest())
				: new PipelinedCommand<>(call.eval(), entry.stream(), Replies.LIST.get(), call.byText());
		this.scriptIsKnown = true;
		this.waiting.add(script);
		return ScriptRunner.orByText(script.reply(), this.channel, call, Replies.LIST).thenApply(Replies::added);
	}

	// Who waits for every reply would wait for as many to be overdue, one after another
	private static @Nullable Throwable awaitLoss(CompletionStage<Added> reply) {
		return reply.handle((added, failure) -> failure)
			.thenApply((failure) -> (failure != null && isLost(RedisFault.of(failure))) ? failure : null)
			.toCompletableFuture()
			.join();
	}

	private static boolean isLost(RedisFault fault) {
		return fault == RedisFault.DISCONNECTED || fault == RedisFault.TIMEOUT;
	}

	/**
	 * Send what has not been sent.
	 */
	void flush() {
		this.channel.send(this.waiting, this.patience);
		this.waiting.clear();
	}

	/**
	 * Send what has not been sent, and wait until all is where it is wanted.
	 */
	DurableWait flush(Durability durability, String stream) {
		DurableWait wait = DurableWait.prepare(durability, stream, this.waiting);
		flush();
		return wait;
	}

	/**
	 * The replies, in the order of the entries.
	 */
	List<CompletionStage<Added>> replies() {
		return this.replies;
	}

}
