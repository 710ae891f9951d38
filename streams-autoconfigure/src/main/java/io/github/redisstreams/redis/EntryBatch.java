package io.github.redisstreams.redis;

import java.util.List;

/**
 * What one read or claim returned.
 *
 * @param cursor where the next call of the same kind goes on; {@link EntryId#ZERO} when
 * nothing is left
 * @param entries the entries, in the stream's order
 * @param deleted ids that were pending although their entries are gone from the stream
 */
public record EntryBatch(EntryId cursor, List<StreamEntry> entries, List<EntryId> deleted) {

	static final EntryBatch EMPTY = new EntryBatch(EntryId.ZERO, List.of(), List.of());

	EntryBatch withCursor(EntryId cursor) {
		return new EntryBatch(cursor, this.entries, this.deleted);
	}

	EntryBatch withEntries(List<StreamEntry> entries) {
		return new EntryBatch(this.cursor, entries, this.deleted);
	}

}
