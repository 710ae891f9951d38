package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

import static io.github.redisstreams.redis.LettuceStreamCommands.args;
import static io.github.redisstreams.redis.LettuceStreamCommands.bytes;

/**
 * {@link StreamReader} over one dedicated Lettuce connection.
 */
final class LettuceStreamReader implements StreamReader {

	private static final Log logger = LogFactory.getLog(LettuceStreamReader.class);

	/**
	 * To begin with, where all may be at work: the server looks at ten times as many
	 * entries to find those that are idle, at 1 to 3 us each, and serves nobody else
	 * meanwhile.
	 */
	private static final int FIRST_CLAIM = 10;

	/**
	 * Where that many were idle, more probably are.
	 */
	private static final int NEXT_CLAIM = 25;

	private final CommandChannel channel;

	private final Supplier<CommandChannel> shared;

	private final StreamConsumer holder;

	private final String stream;

	private final byte[] key;

	private final byte[] group;

	private final byte[] consumer;

	private final AtomicBoolean unblocking = new AtomicBoolean();

	private volatile @Nullable Long clientId;

	LettuceStreamReader(CommandChannel channel, Supplier<CommandChannel> shared, StreamConsumer holder) {
		this.channel = channel;
		this.shared = shared;
		this.holder = holder;
		this.stream = holder.stream();
		this.key = bytes(holder.stream());
		this.group = bytes(holder.group());
		this.consumer = bytes(holder.name());
		this.clientId = askClientId();
	}

	// CLIENT ID has no key, so on a cluster it would be answered by any node
	private @Nullable Long askClientId() {
		if (this.channel.isCluster()) {
			return null;
		}
		try {
			return this.channel.call(CommandType.CLIENT, this.stream, new IntegerOutput<>(ByteArrayCodec.INSTANCE),
					args().add("ID"));
		}
		catch (DataAccessException ex) {
			if (RedisFault.of(ex) == RedisFault.NO_PERMISSION) {
				return null;
			}
			throw ex;
		}
	}

	@Override
	public EntryBatch claim(EntryId cursor, Duration minIdle, int count) {
		int asked = Math.min(count, FIRST_CLAIM);
		EntryBatch claimed = claimSome(cursor, minIdle, asked);
		// Where many are idle the handlers are to get as many as they can take
		while (claimed.entries().size() == asked && asked < count && !claimed.cursor().equals(EntryId.ZERO)) {
			int more = Math.min(count - asked, NEXT_CLAIM);
			claimed = claimed.and(claimSome(claimed.cursor(), minIdle, more));
			asked += more;
		}
		return withDeliveryCounts(claimed);
	}

	private EntryBatch claimSome(EntryId cursor, Duration minIdle, int count) {
		CommandArgs<byte[], byte[]> args = args().addKey(this.key)
			.add(this.group)
			.add(this.consumer)
			.add(minIdle.toMillis())
			.add(cursor.toString())
			.add("COUNT")
			.add(count);
		return this.channel.call(CommandType.XAUTOCLAIM, this.stream, EntriesOutput.forClaim(), args);
	}

	@Override
	public EntryBatch readNew(int count, Duration block, Consumer<EntryBatch> taker) {
		return read(readArgs(count), block, taker);
	}

	@Override
	public EntryBatch claimAndReadNew(int count, Duration block, Duration minIdle, Consumer<EntryBatch> taker) {
		return read(readArgs(count).add("CLAIM").add(minIdle.toMillis()), block, taker);
	}

	private CommandArgs<byte[], byte[]> readArgs(int count) {
		return args().add("GROUP").add(this.group).add(this.consumer).add("COUNT").add(count);
	}

	private EntryBatch read(CommandArgs<byte[], byte[]> args, Duration block, Consumer<EntryBatch> taker) {
		long blockMillis = block.toMillis();
		// BLOCK 0 would wait for ever
		if (blockMillis > 0) {
			args.add("BLOCK").add(blockMillis);
		}
		args.add("STREAMS").addKey(this.key).add(">");
		return this.channel.call(CommandType.XREADGROUP, this.stream, EntriesOutput.forRead(), args, block, taker);
	}

	// A claim does not say how often each entry was delivered. The consumer may hold more
	// entries between the first and the last of these, hence the paging.
	private EntryBatch withDeliveryCounts(EntryBatch batch) {
		List<StreamEntry> entries = batch.entries();
		if (entries.isEmpty()) {
			return batch;
		}
		Map<EntryId, Long> counts = new HashMap<>();
		int pageSize = Math.max(100, entries.size());
		String first = entries.get(0).id().toString();
		String last = entries.get(entries.size() - 1).id().toString();
		List<PendingEntry> page;
		do {
			page = PendingEntries
				.of(this.channel.call(CommandType.XPENDING, this.stream, new ArrayOutput<>(ByteArrayCodec.INSTANCE),
						PendingEntries.args(this.holder, first, last, pageSize)));
			page.forEach((entry) -> counts.put(entry.id(), entry.deliveryCount()));
			if (page.size() == pageSize) {
				first = PendingEntries.after(page.get(pageSize - 1).id());
			}
		}
		while (page.size() == pageSize);
		List<StreamEntry> counted = new ArrayList<>(entries.size());
		for (StreamEntry entry : entries) {
			counted.add(entry.withDeliveryCount(counts.getOrDefault(entry.id(), entry.deliveryCount())));
		}
		return batch.withEntries(counted);
	}

	@Override
	public void unblock() {
		Long id = this.clientId;
		if (id == null || !this.unblocking.compareAndSet(false, true)) {
			return;
		}
		try {
			this.shared.get()
				.send(CommandType.CLIENT, this.stream, new IntegerOutput<>(ByteArrayCodec.INSTANCE),
						args().add("UNBLOCK").add(id))
				.whenComplete((unblocked, failure) -> {
					this.unblocking.set(false);
					if (failure != null) {
						giveUpUnblocking(failure);
					}
				});
		}
		// Whatever it is, stopping and pausing must go on
		catch (RuntimeException ex) {
			giveUpUnblocking(ex);
		}
	}

	private void giveUpUnblocking(Throwable failure) {
		this.clientId = null;
		logger.debug("Cannot end the blocking read on '" + this.stream + "' early; waiting for it to run out", failure);
	}

	@Override
	public void close() {
		this.channel.close();
	}

}
