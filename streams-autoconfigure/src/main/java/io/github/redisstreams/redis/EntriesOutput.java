package io.github.redisstreams.redis;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the replies of {@code XREADGROUP} (one stream) and {@code XAUTOCLAIM}, which
 * share a shape: something ahead (the stream's key, or the cursor), then the entries,
 * then perhaps the deleted ids. Unlike Lettuce's own outputs it keeps the deleted ids,
 * repeated field names, and the bytes as they are.
 * <p>
 * The shape is followed by depth rather than by counting brackets from outside, since
 * RESP3 answers a read with a map where RESP2 has an array of arrays.
 */
final class EntriesOutput extends CommandOutput<byte[], byte[], EntryBatch> {

	private static final int NOT_SEEN = -1;

	private static final long FIRST_DELIVERY = 1;

	private static final byte[] EMPTY = {};

	/** How many elements each open aggregate still waits for. */
	private int[] remaining = new int[8];

	private int depth;

	private int entriesDepth = NOT_SEEN;

	private boolean entriesDone;

	private @Nullable EntryId cursor;

	private boolean headSeen;

	private List<StreamEntry> entries = List.of();

	private List<EntryId> deleted = List.of();

	private @Nullable EntryId id;

	private byte @Nullable [][] fields;

	private int fieldCount;

	private int unnamedDeleted;

	private long deliveryCount = FIRST_DELIVERY;

	private final boolean headIsCursor;

	private EntriesOutput(boolean headIsCursor) {
		super(ByteArrayCodec.INSTANCE, EntryBatch.EMPTY);
		this.headIsCursor = headIsCursor;
	}

	static EntriesOutput forRead() {
		return new EntriesOutput(false);
	}

	static EntriesOutput forClaim() {
		return new EntriesOutput(true);
	}

	@Override
	public EntryBatch get() {
		return new EntryBatch((this.cursor != null) ? this.cursor : EntryId.ZERO, this.entries, this.deleted,
				this.unnamedDeleted);
	}

	@Override
	public void multiMap(int count) {
		multi((count < 0) ? count : count * 2);
	}

	@Override
	public void multi(int count) {
		if (count < 0) {
			set((ByteBuffer) null);
			return;
		}
		if (this.headSeen && this.entriesDepth == NOT_SEEN) {
			this.entriesDepth = this.depth + 1;
			this.entries = new ArrayList<>(count);
			this.entriesDone = (count == 0);
		}
		else if (this.entriesDone && count > 0) {
			this.deleted = new ArrayList<>(count);
		}
		else if (inEntries() && this.depth == this.entriesDepth + 1 && this.id != null) {
			this.fields = new byte[count][];
			this.fieldCount = 0;
		}
		if (count == 0) {
			closeElement();
			return;
		}
		if (this.depth + 1 == this.remaining.length) {
			this.remaining = Arrays.copyOf(this.remaining, this.remaining.length * 2);
		}
		this.remaining[++this.depth] = count;
	}

	@Override
	public void set(@Nullable ByteBuffer bytes) {
		if (inEntries()) {
			setInEntries(bytes);
		}
		else if (this.entriesDone) {
			if (bytes != null && this.depth > 1) {
				this.deleted.add(parseId(bytes));
			}
		}
		else if (bytes != null && this.depth > 0) {
			this.headSeen = true;
			if (this.headIsCursor) {
				this.cursor = parseId(bytes);
			}
		}
		closeElement();
	}

	private void setInEntries(@Nullable ByteBuffer bytes) {
		if (this.depth == this.entriesDepth) {
			this.unnamedDeleted++;
		}
		else if (this.depth == this.entriesDepth + 1) {
			if (this.id == null && bytes != null) {
				this.id = parseId(bytes);
			}
		}
		else if (this.depth == this.entriesDepth + 2 && this.fields != null) {
			this.fields[this.fieldCount++] = (bytes != null) ? toBytes(bytes) : EMPTY;
		}
	}

	// XREADGROUP ... CLAIM adds to each entry how long it was idle, and then how often it
	// was delivered before
	@Override
	public void set(long integer) {
		if (inEntries()) {
			this.deliveryCount = integer + 1;
		}
		closeElement();
	}

	private boolean inEntries() {
		return this.entriesDepth != NOT_SEEN && !this.entriesDone;
	}

	private void closeElement() {
		while (this.depth > 0 && --this.remaining[this.depth] == 0) {
			this.depth--;
			if (inEntries()) {
				if (this.depth == this.entriesDepth) {
					closeEntry();
				}
				else if (this.depth < this.entriesDepth) {
					this.entriesDone = true;
				}
			}
		}
	}

	private void closeEntry() {
		if (this.id != null) {
			if (this.fields != null) {
				this.entries.add(new StreamEntry(this.id, this.deliveryCount, this.fields));
			}
			else {
				if (this.deleted.isEmpty()) {
					this.deleted = new ArrayList<>();
				}
				this.deleted.add(this.id);
			}
		}
		this.id = null;
		this.fields = null;
		this.deliveryCount = FIRST_DELIVERY;
	}

	private static byte[] toBytes(ByteBuffer buffer) {
		byte[] bytes = new byte[buffer.remaining()];
		buffer.get(bytes);
		return bytes;
	}

	private static EntryId parseId(ByteBuffer buffer) {
		long time = 0;
		long number = 0;
		while (buffer.hasRemaining()) {
			byte character = buffer.get();
			if (character == '-') {
				time = number;
				number = 0;
			}
			else {
				number = number * 10 + (character - '0');
			}
		}
		return new EntryId(time, number);
	}

}
