package io.github.redisstreams.benchmarks.contestant;

import java.util.List;

import io.github.redisstreams.benchmarks.harness.RedisProcess;
import io.lettuce.core.Consumer;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.XGroupCreateArgs;
import io.lettuce.core.XReadArgs.StreamOffset;
import io.lettuce.core.models.stream.PendingMessages;

/**
 * The stream of a job, with its group and entries of two fields, about 110 bytes each.
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

	/**
	 * Create the stream, without entries, and the group. What was there is deleted.
	 * @param redis where
	 * @param job whose stream
	 */
	Backlog(RedisProcess redis, Job job) {
		this.redis = redis;
		this.job = job;
		redis.commands().flushall();
		redis.commands()
			.xgroupCreate(StreamOffset.from(job.stream(), "0"), job.group(), XGroupCreateArgs.Builder.mkstream());
		for (int i = 0; i < job.instances(); i++) {
			redis.commands().xgroupCreateconsumer(job.stream(), Consumer.from(job.group(), job.consumer(i)));
		}
	}

	/**
	 * Add entries, all at once.
	 * @param count how many
	 * @param field the name of the field that has the content
	 */
	void fill(int count, String field) {
		int left = count;
		while (left > 0) {
			int now = Math.min(left, ENTRIES_PER_SCRIPT);
			this.redis.commands()
				.eval(FILL, ScriptOutputType.VALUE, new String[] { this.job.stream() }, String.valueOf(now),
						String.valueOf(Probe.nowMicros()), field, Order.JSON);
			left -= now;
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
	 * Whether all entries have been handled and acknowledged.
	 * @return whether nothing is left to do
	 */
	boolean isSettled() {
		return pending() == 0 && undelivered() == 0;
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
