package io.github.redisstreams.benchmarks.contestant;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A way to consume a stream.
 */
public enum Contestant {

	/**
	 * {@code @StreamListener} with a {@code Map<String, String>}.
	 */
	OURS_MAP("@StreamListener, Map", "content",
			(job, probe) -> new OursConsumption(job, probe, OursListeners.OfMap.class)),

	/**
	 * {@code @StreamListener} with a record from JSON.
	 */
	OURS_RECORD("@StreamListener, record from JSON", "payload",
			(job, probe) -> new OursConsumption(job, probe, OursListeners.OfRecord.class)),

	/**
	 * {@code @StreamListener} with a {@code List<Map<String, String>>}.
	 */
	OURS_BATCH("@StreamListener, List<Map>", "content",
			(job, probe) -> new OursConsumption(job, probe, OursListeners.OfBatch.class)),

	/**
	 * The container of Spring Data Redis whose listener acknowledges each entry.
	 */
	SPRING_DATA("Spring Data Redis container, ack each", "content",
			(job, probe) -> new SpringDataConsumption(job, probe, false)),

	/**
	 * The container of Spring Data Redis without acknowledgements: what it was handling
	 * is lost if it dies.
	 */
	SPRING_DATA_NOACK("Spring Data Redis container, NOACK", "content",
			(job, probe) -> new SpringDataConsumption(job, probe, true)),

	/**
	 * A loop with Redisson that acknowledges each entry.
	 */
	REDISSON("Redisson, ack each", "content", (job, probe) -> new RedissonConsumption(job, probe, false)),

	/**
	 * A loop with Redisson that acknowledges each batch.
	 */
	REDISSON_BATCH("Redisson, ack each batch", "content", (job, probe) -> new RedissonConsumption(job, probe, true)),

	/**
	 * A loop with Lettuce that reads the next batch while it handles one, and
	 * acknowledges each batch without waiting.
	 */
	LETTUCE("Lettuce by hand, pipelined", "content", LettuceConsumption::new),

	/**
	 * A loop with Lettuce that waits for the reply to each command, and acknowledges each
	 * batch.
	 */
	LETTUCE_BLOCKING("Lettuce by hand, blocking", "content", BlockingLettuceConsumption::new),

	/**
	 * A loop over a socket that decodes no more than it must.
	 */
	SOCKET("bare socket", "content", SocketConsumption::new);

	/** What takes a hundred times as long is not to take all day. */
	private static final int SLOW_PART = 5;

	private final String title;

	private final String field;

	private final BiFunction<Job, Probe, Consumption> factory;

	Contestant(String title, String field, BiFunction<Job, Probe, Consumption> factory) {
		this.title = title;
		this.field = field;
		this.factory = factory;
	}

	/**
	 * Those that the system property {@code benchmark.contestants} names.
	 * @param otherwise those to take without it
	 * @return the contestants
	 */
	public static List<Contestant> chosen(Contestant... otherwise) {
		String names = System.getProperty("benchmark.contestants", "");
		return names.isEmpty() ? List.of(otherwise) : Arrays.stream(names.split(",")).map(Contestant::valueOf).toList();
	}

	/**
	 * What to call it.
	 * @return the title
	 */
	public String title() {
		return this.title;
	}

	/**
	 * The name of the field that it expects the content in.
	 * @return the field's name
	 */
	public String field() {
		return this.field;
	}

	/**
	 * How many entries it is to drain where others drain so many: a fifth if it waits for
	 * Redis after each.
	 * @param entries how many others drain
	 * @return how many it drains
	 */
	public int backlog(int entries) {
		return (this == SPRING_DATA || this == REDISSON) ? entries / SLOW_PART : entries;
	}

	Consumption prepare(Job job, Probe probe) {
		return this.factory.apply(job, probe);
	}

}
