package io.github.redisstreams.benchmarks.harness;

import java.util.List;

/**
 * What a server has executed since the log was begun or cleared, and for how long each
 * command held it up.
 */
public final class SlowLog {

	private static final int MOST = 100_000;

	private final RedisProcess redis;

	/**
	 * Begin to log.
	 * @param redis the server
	 * @param micros commands that take no longer are left out
	 */
	public SlowLog(RedisProcess redis, int micros) {
		this.redis = redis;
		redis.commands().configSet("slowlog-log-slower-than", String.valueOf(micros));
		redis.commands().configSet("slowlog-max-len", String.valueOf(MOST));
		clear();
	}

	/**
	 * Forget what was logged so far.
	 */
	public void clear() {
		this.redis.commands().slowlogReset();
	}

	/**
	 * What was logged.
	 * @return the commands, those that scripts call included
	 */
	public List<Call> calls() {
		return this.redis.commands().slowlogGet(MOST).stream().map((entry) -> call((List<?>) entry)).toList();
	}

	private static Call call(List<?> entry) {
		List<String> words = ((List<?>) entry.get(3)).stream().map(String::valueOf).toList();
		return new Call(words, (Long) entry.get(2) / 1000.0);
	}

	/**
	 * A command that was executed.
	 *
	 * @param words its name and its arguments, the first thirty or so
	 * @param millis for how long it held up the server
	 */
	public record Call(List<String> words, double millis) {

		/**
		 * Its name.
		 * @return such as {@code XACK}
		 */
		public String name() {
			return this.words.get(0);
		}

	}

}
