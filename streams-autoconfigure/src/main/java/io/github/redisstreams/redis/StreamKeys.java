package io.github.redisstreams.redis;

import io.lettuce.core.cluster.SlotHash;

/**
 * The keys that go with a stream. All are in the stream's slot of a cluster, so that
 * scripts may touch them together: they have the stream's key as their hash tag, or the
 * tag that the stream's key has itself.
 */
public final class StreamKeys {

	private StreamKeys() {
	}

	/**
	 * The stream's dead letters: {@code {<stream>}:dlq}.
	 * @param stream the stream's key
	 * @return the key
	 */
	public static String deadLetters(String stream) {
		return tagged(stream) + ":dlq";
	}

	/**
	 * The stream's scheduled entries, a sorted set of their ids by when they are due:
	 * {@code {<stream>}:delayed}.
	 * @param stream the stream's key
	 * @return the key
	 */
	public static String delayed(String stream) {
		return tagged(stream) + ":delayed";
	}

	/**
	 * The fields of a scheduled entry: {@code {<stream>}:parked:<id>}.
	 * @param stream the stream's key
	 * @param id the id of the scheduled entry
	 * @return the key
	 */
	static String parked(String stream, String id) {
		return tagged(stream) + ":parked:" + id;
	}

	/**
	 * The record of a task: {@code {<stream>}:runs:<id>}.
	 * @param stream the stream's key
	 * @param id the task's id
	 * @return the key
	 */
	public static String task(String stream, String id) {
		return tagged(stream) + ":runs:" + id;
	}

	/**
	 * Where the process that reads as a consumer makes itself known.
	 * @param consumer the consumer
	 * @return the key
	 */
	static String presence(StreamConsumer consumer) {
		return tagged(consumer.stream()) + ":consumer:" + consumer.group() + ":" + consumer.name();
	}

	static boolean inSameSlot(String first, String second) {
		return SlotHash.getSlot(first) == SlotHash.getSlot(second);
	}

	private static String tagged(String stream) {
		int open = stream.indexOf('{');
		int close = stream.indexOf('}', open + 1);
		boolean hasTag = open >= 0 && close > open + 1;
		return hasTag ? stream : '{' + stream + '}';
	}

}
