package io.github.redisstreams.redis;

import java.util.List;

/**
 * What one read or claim returned.
 *
 * @param cursor where the next call of the same kind goes on; {@link EntryId#ZERO} when
 * nothing is left
 * @param entries the entries, in the stream's order
 * @param deleted ids that were pending although their entries are gone from the stream,
 * and that the call has cleared from the pending list
 * @param unnamedDeleted how many more there are, now pending under this consumer, whose
 * ids the server does not tell: a claim on Redis 6.2 does not
 */
public record EntryBatch(EntryId cursor, List<StreamEntry> entries, List<EntryId> deleted, int unnamedDeleted) {

	static final EntryBatch EMPTY = new EntryBatch(EntryId.ZERO, List.of(), List.of(), 0);

	EntryBatch withEntries(List<StreamEntry> entries) {
		return new EntryBatch(this.cursor, entries, this.deleted, this.unnamedDeleted);
	}

}
