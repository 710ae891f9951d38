package io.github.redisstreams.deadletter;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.stream.RecordId;

/**
 * What a redrive has done, or would do.
 *
 * @param redriven how many entries were put back
 * @param entries the first 1,000 of them
 * @param refused how many were left where they are, since they had been redriven as often
 * as the request allows
 * @param missing how many were not there, or not any more: of ids that do not exist, and
 * of entries that somebody else has put back or deleted meanwhile
 * @param dryRun whether nothing has been changed and the numbers tell what would be
 */
public record RedriveResult(long redriven, List<Entry> entries, long refused, long missing, boolean dryRun) {

	/**
	 * An entry that was put back.
	 *
	 * @param deadLetterId the id that it had in the dead-letter stream
	 * @param stream the key of the stream that it went to
	 * @param id the id that it has there; {@code null} in a dry run
	 */
	public record Entry(RecordId deadLetterId, String stream, @Nullable RecordId id) {

	}

}
