package io.github.redisstreams.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import org.jspecify.annotations.Nullable;

import static io.github.redisstreams.redis.LettuceStreamCommands.args;

/**
 * Waits until what was sent before over the same connection is where it is wanted.
 */
final class DurableWait {

	private static final ProtocolKeyword WAITAOF = new CommandName("WAITAOF");

	private final Durability wanted;

	private final String stream;

	/** How many disks of the master, 0 or 1, and how many replicas have it. */
	private final CompletableFuture<long[]> confirmed;

	private DurableWait(Durability wanted, String stream, CompletableFuture<long[]> confirmed) {
		this.wanted = wanted;
		this.stream = stream;
		this.confirmed = confirmed;
	}

	/**
	 * Add the command to a pipeline.
	 */
	static DurableWait prepare(Durability wanted, String stream, List<PipelinedCommand<?>> pipeline) {
		CommandArgs<byte[], byte[]> args = args();
		if (!wanted.fsync()) {
			PipelinedCommand<Long> wait = new PipelinedCommand<>(CommandType.WAIT, stream,
					new IntegerOutput<>(ByteArrayCodec.INSTANCE),
					args.add(wanted.replicas()).add(wanted.timeout().toMillis()));
			pipeline.add(wait);
			return new DurableWait(wanted, stream, wait.reply().thenApply((replicas) -> new long[] { 0, replicas }));
		}
		PipelinedCommand<List<Object>> wait = new PipelinedCommand<>(WAITAOF, stream,
				new ArrayOutput<>(ByteArrayCodec.INSTANCE),
				args.add(1).add(wanted.replicas()).add(wanted.timeout().toMillis()));
		pipeline.add(wait);
		return new DurableWait(wanted, stream,
				wait.reply().thenApply((counts) -> new long[] { (Long) counts.get(0), (Long) counts.get(1) }));
	}

	/**
	 * What was added, once it is where it is wanted.
	 */
	CompletionStage<Added> confirm(CompletionStage<Added> added) {
		return added.thenCompose((entry) -> (entry.refusedAs() != null) ? CompletableFuture.completedStage(entry)
				: this.confirmed.handle((counts, failure) -> outcome(entry, counts, failure)));
	}

	private Added outcome(Added entry, long @Nullable [] counts, @Nullable Throwable failure) {
		if (counts == null) {
			throw new NotDurableException(
					describe(entry) + ", but whether it is where it is wanted cannot be told: "
							+ RedisFault.explain((failure != null) ? failure : new IllegalStateException("no reply")),
					entry.id(), failure);
		}
		boolean isThere = counts[1] >= this.wanted.replicas() && (!this.wanted.fsync() || counts[0] == 1);
		if (!isThere) {
			String where = this.wanted.replicas() + " replicas" + (this.wanted.fsync() ? " and on disk" : "");
			throw new NotDurableException(
					describe(entry) + ", but is wanted on " + where + " and within " + this.wanted.timeout().toMillis()
							+ " ms was on " + counts[1]
							+ (this.wanted.fsync() ? ((counts[0] == 1) ? " and on disk" : " and not on disk") : ""),
					entry.id(), null);
		}
		return entry;
	}

	private String describe(Added entry) {
		return ((entry.id() != null) ? "Entry " + entry.id() + " was added to stream '"
				: "An entry was scheduled for '") + this.stream + "'";
	}

}
