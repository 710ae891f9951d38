package io.github.redisstreams.redis;

import java.util.concurrent.CompletionStage;

/**
 * The part of the port to Redis that tells how streams and their groups are, with as few
 * commands as possible. Changes nothing.
 * <p>
 * As with {@link StreamCommands}, methods do not wait for the reply, but may have to
 * connect first, and a failed stage carries a
 * {@link org.springframework.dao.DataAccessException} that names the command and the
 * stream.
 * <p>
 * Not for applications to implement: methods will be added.
 */
public interface SampleCommands {

	/**
	 * How a stream is, in one script: {@code XLEN} of it and of its dead letters,
	 * {@code ZCARD} of what is scheduled for it, {@code XINFO GROUPS}, and for each group
	 * {@code XPENDING} and {@code XRANGE}, of which only ids are sent. What one of these
	 * refuses is missing from the sample. A user who may not run scripts gets what single
	 * commands tell, without ages.
	 * <p>
	 * The lag is that of the server, but where the entries tell better: nothing is
	 * undelivered, or all of the stream is.
	 * @param stream the stream
	 * @return how it is
	 */
	CompletionStage<StreamSample> sample(SampledStream stream);

	/**
	 * Count the entries after an id on the server, without fetching them, in scripts of
	 * about half a millisecond each. Those before it are counted at the same time, since
	 * the length of the stream then tells the rest, and either may be few.
	 * @param stream the stream's key
	 * @param after the last entry that a group was given
	 * @param bound how many entries to look at before giving up, of which one of n KB
	 * counts as n more
	 * @return how many there are after it
	 */
	CompletionStage<CountedLag> countLag(String stream, EntryId after, int bound);

}
