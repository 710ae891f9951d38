package io.github.redisstreams.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What waits in a stream.
 *
 * @param time when this was so, by the server's clock, or by this process's where the
 * user may not ask for that
 * @param length how many entries the stream has
 * @param groups what waits for each group that was asked for and exists, by its name
 */
public record StreamBacklog(Instant time, long length, Map<String, Ends> groups) {

	/**
	 * How long ago an entry was added, if the server chose its id.
	 * @param id the entry
	 * @return its age; zero if its id lies in the future
	 */
	public Duration age(EntryId id) {
		long now = this.time.toEpochMilli();
		return (Long.compareUnsigned(id.time(), now) < 0) ? Duration.ofMillis(now - id.time()) : Duration.ZERO;
	}

	/**
	 * The first entries that wait for a group.
	 *
	 * @param pending the first that was delivered and is not acknowledged; {@code null}
	 * if there is none
	 * @param undelivered the first that was not yet delivered; {@code null} if there is
	 * none
	 */
	public record Ends(@Nullable EntryId pending, @Nullable EntryId undelivered) {

	}

}
