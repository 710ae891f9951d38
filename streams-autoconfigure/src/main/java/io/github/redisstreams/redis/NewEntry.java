package io.github.redisstreams.redis;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * An entry to be added to a stream.
 *
 * @param stream the stream's key
 * @param namesAndValues field names and values in turn, at least one pair
 * @param trimming how to trim the stream at the same time
 * @param task the task that it is, if the server is to keep a record of it
 * @param idempotencyKey the server is to add one entry only, however often it is sent
 * with this key, if it can
 */
public record NewEntry(String stream, List<byte[]> namesAndValues, Trimming trimming, @Nullable NewTask task,
		@Nullable IdempotencyKey idempotencyKey) {

	/**
	 * Create a plain entry.
	 * @param stream the stream's key
	 * @param namesAndValues field names and values in turn, at least one pair
	 */
	public NewEntry(String stream, List<byte[]> namesAndValues) {
		this(stream, namesAndValues, Trimming.NONE, null, null);
	}

	NewEntry untrimmed() {
		return new NewEntry(this.stream, this.namesAndValues, Trimming.NONE, this.task, this.idempotencyKey);
	}

	/**
	 * By what the server knows that it has been sent an entry before ({@code IDMP}, Redis
	 * 8.6 and later).
	 *
	 * @param producer who sends it
	 * @param key what the producer calls it
	 */
	public record IdempotencyKey(String producer, String key) {

	}

}
