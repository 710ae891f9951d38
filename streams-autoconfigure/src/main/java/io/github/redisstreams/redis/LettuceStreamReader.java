package io.github.redisstreams.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
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
import static io.github.redisstreams.redis.LettuceStreamCommands.text;

/**
 * {@link StreamReader} over one dedicated Lettuce connection.
 */
final class LettuceStreamReader implements StreamReader {

	private static final Log logger = LogFactory.getLog(LettuceStreamReader.class);

	private final CommandChannel channel;

	private final Supplier<CommandChannel> shared;

	private final String stream;

	private final byte[] key;

	private final byte[] group;

	private final byte[] consumer;

	private final AtomicBoolean unblocking = new AtomicBoolean();

	private volatile @Nullable Long clientId;

	LettuceStreamReader(CommandChannel channel, Supplier<CommandChannel> shared, String stream, String group,
			String consumer) {
		this.channel = channel;
		this.shared = shared;
		this.stream = stream;
		this.key = bytes(stream);
		this.group = bytes(group);
		this.consumer = bytes(consumer);
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
		CommandArgs<byte[], byte[]> args = args().addKey(this.key)
			.add(this.group)
			.add(this.consumer)
			.add(minIdle.toMillis())
			.add(cursor.toString())
			.add("COUNT")
			.add(count);
		EntryBatch claimed = this.channel.call(CommandType.XAUTOCLAIM, this.stream, EntriesOutput.forClaim(), args);
		return withDeliveryCounts(claimed);
	}

	@Override
	public EntryBatch readNew(int count, Duration block) {
		CommandArgs<byte[], byte[]> args = readArgs(count);
		long blockMillis = block.toMillis();
		// BLOCK 0 would wait for ever
		if (blockMillis > 0) {
			args.add("BLOCK").add(blockMillis);
		}
		args.add("STREAMS").addKey(this.key).add(">");
		return this.channel.call(CommandType.XREADGROUP, this.stream, EntriesOutput.forRead(), args, block);
	}

	@Override
	public EntryBatch readOwn(EntryId after, int count) {
		CommandArgs<byte[], byte[]> args = readArgs(count).add("STREAMS").addKey(this.key).add(after.toString());
		EntryBatch read = this.channel.call(CommandType.XREADGROUP, this.stream, EntriesOutput.forRead(), args);
		EntryId last = EntryId.ZERO;
		if (read.entries().size() + read.deleted().size() == count) {
			for (StreamEntry entry : read.entries()) {
				last = later(last, entry.id());
			}
			for (EntryId id : read.deleted()) {
				last = later(last, id);
			}
		}
		return withDeliveryCounts(read).withCursor(last);
	}

	private CommandArgs<byte[], byte[]> readArgs(int count) {
		return args().add("GROUP").add(this.group).add(this.consumer).add("COUNT").add(count);
	}

	private static EntryId later(EntryId first, EntryId second) {
		return (first.compareTo(second) < 0) ? second : first;
	}

	// Neither a claim nor a read of the own pending entries says how often each of them
	// was delivered. The consumer may hold more entries between the first and the last of
	// these, hence the paging.
	private EntryBatch withDeliveryCounts(EntryBatch batch) {
		List<StreamEntry> entries = batch.entries();
		if (entries.isEmpty()) {
			return batch;
		}
		EntryId last = entries.get(entries.size() - 1).id();
		Map<EntryId, Long> counts = new HashMap<>();
		int pageSize = Math.max(100, entries.size());
		String start = entries.get(0).id().toString();
		while (true) {
			List<Object> page = pending(start, last, pageSize);
			page.forEach((row) -> {
				List<?> columns = (List<?>) row;
				counts.put(EntryId.parse(text(columns.get(0))), (Long) columns.get(3));
			});
			if (page.size() < pageSize) {
				break;
			}
			start = '(' + text(((List<?>) page.get(page.size() - 1)).get(0));
		}
		List<StreamEntry> counted = new ArrayList<>(entries.size());
		for (StreamEntry entry : entries) {
			counted.add(entry.withDeliveryCount(counts.getOrDefault(entry.id(), entry.deliveryCount())));
		}
		return batch.withEntries(counted);
	}

	private List<Object> pending(String start, EntryId end, int count) {
		CommandArgs<byte[], byte[]> args = args().addKey(this.key)
			.add(this.group)
			.add(start)
			.add(end.toString())
			.add(count)
			.add(this.consumer);
		return this.channel.call(CommandType.XPENDING, this.stream, new ArrayOutput<>(ByteArrayCodec.INSTANCE), args);
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
