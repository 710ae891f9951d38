package io.github.redisstreams.redis;

import java.util.List;
import java.util.stream.Stream;

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

	/**
	 * Both together, where the other one was asked for with the cursor of this one.
	 */
	EntryBatch and(EntryBatch next) {
		return new EntryBatch(next.cursor, concat(this.entries, next.entries), concat(this.deleted, next.deleted),
				this.unnamedDeleted + next.unnamedDeleted);
	}

	private static <T> List<T> concat(List<T> first, List<T> second) {
		return Stream.concat(first.stream(), second.stream()).toList();
	}

	EntryBatch withEntries(List<StreamEntry> entries) {
		return new EntryBatch(this.cursor, entries, this.deleted, this.unnamedDeleted);
	}

}
