package io.github.redisstreams.benchmarks.contestant;

import java.util.List;

import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.lettuce.core.Consumer;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.XGroupCreateArgs;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.XReadArgs.StreamOffset;
import io.lettuce.core.models.stream.PendingMessages;

/**
 * The streams of a job, with their group and entries of two fields, about 110 bytes each.
 */
final class Backlog {

	private static final int ENTRIES_PER_SCRIPT = 10_000;

	private static final String FILL = """
			for i = 1, tonumber(ARGV[1]) do
			  redis.call('XADD', KEYS[1], '*', 'sent', ARGV[2], ARGV[3], ARGV[4])
			end
			return ARGV[1]
			""";

	private final RedisProcess redis;

	private final Job job;

	private int held;

	/**
	 * Create the streams, without entries, and their group. What was there is deleted.
	 * @param redis where
	 * @param job whose streams
	 */
	Backlog(RedisProcess redis, Job job) {
		this.redis = redis;
		this.job = job;
		redis.commands().flushall();
		for (int i = 0; i < job.streams(); i++) {
			createGroup(job.stream(i));
		}
	}

	private void createGroup(String stream) {
		this.redis.commands()
			.xgroupCreate(StreamOffset.from(stream, "0"), this.job.group(), XGroupCreateArgs.Builder.mkstream());
		for (int i = 0; i < this.job.instances(); i++) {
			this.redis.commands().xgroupCreateconsumer(stream, Consumer.from(this.job.group(), this.job.consumer(i)));
		}
	}

	/**
	 * Add entries, all at once, to each stream as many.
	 * @param count how many
	 * @param field the name of the field that has the content
	 */
	void fill(int count, String field) {
		for (int i = 0; i < this.job.streams(); i++) {
			fill(this.job.stream(i), count / this.job.streams(), field);
		}
	}

	private void fill(String stream, int count, String field) {
		int left = count;
		while (left > 0) {
			int now = Math.min(left, ENTRIES_PER_SCRIPT);
			this.redis.commands()
				.eval(FILL, ScriptOutputType.VALUE, new String[] { stream }, String.valueOf(now),
						String.valueOf(Probe.nowMicros()), field, Order.JSON);
			left -= now;
		}
	}

	/**
	 * Give the next entries of the stream to consumers that do nothing with them.
	 * @param count how many entries
	 * @param consumers how many consumers
	 */
	// The command takes a generic array
	@SuppressWarnings("unchecked")
	void give(int count, int consumers) {
		this.held += count;
		for (int given = 0; given < count; given += LoopConsumption.COUNT) {
			this.redis.commands()
				.xreadgroup(Consumer.from(this.job.group(), "peer-" + given / LoopConsumption.COUNT % consumers),
						XReadArgs.Builder.count(Math.min(LoopConsumption.COUNT, count - given)),
						StreamOffset.lastConsumed(this.job.stream()));
		}
	}

	/**
	 * How many entries the stream has.
	 * @return the number of entries
	 */
	long size() {
		return this.redis.commands().xlen(this.job.stream());
	}

	/**
	 * Whether all entries have been handled and acknowledged, but for those that others
	 * were given.
	 * @return whether nothing is left to do
	 */
	boolean isSettled() {
		return isLeft(this.held);
	}

	/**
	 * Whether all entries have been delivered, and all but some acknowledged.
	 * @param count how many are not
	 * @return whether just these are left
	 */
	boolean isLeft(int count) {
		return pending() == count && undelivered() == 0;
	}

	private long pending() {
		PendingMessages pending = this.redis.commands().xpending(this.job.stream(), this.job.group());
		return pending.getCount();
	}

	private long undelivered() {
		List<?> group = (List<?>) this.redis.commands().xinfoGroups(this.job.stream()).get(0);
		return (Long) group.get(group.indexOf("lag") + 1);
	}

}
