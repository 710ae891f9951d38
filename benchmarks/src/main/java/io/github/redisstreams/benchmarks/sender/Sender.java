package io.github.redisstreams.benchmarks.sender;

import java.util.function.Function;

/**
 * A way to send.
 */
public enum Sender {

	/**
	 * {@code StreamTemplate.send}.
	 */
	SEND("StreamTemplate.send", Content.TEXT, true, (job) -> new OursSending(job, Content.TEXT, OursSending::oneByOne)),

	/**
	 * {@code StreamTemplate.sendAfter}. Nothing is due before the end.
	 */
	SEND_AFTER("StreamTemplate.sendAfter", Content.TEXT, true,
			(job) -> new OursSending(job, Content.TEXT, OursSending::delayed)),

	/**
	 * {@code StreamTemplate.sendAsync}.
	 */
	SEND_ASYNC("StreamTemplate.sendAsync", Content.TEXT, false,
			(job) -> new OursSending(job, Content.TEXT, OursSending::async)),

	/**
	 * {@code StreamTemplate.sendAll}.
	 */
	SEND_ALL("StreamTemplate.sendAll", Content.TEXT, false,
			(job) -> new OursSending(job, Content.TEXT, OursSending::together)),

	/**
	 * {@code StreamTemplate.sendAll} to a stream that is not trimmed.
	 */
	SEND_ALL_UNTRIMMED("StreamTemplate.sendAll, trim: none", Content.TEXT, false,
			(job) -> new OursSending(job, Content.TEXT, OursSending::together, OursSending.NO_TRIM)),

	/**
	 * {@code opsForStream().add} of Spring Data Redis.
	 */
	SPRING_DATA("Spring Data Redis, add", Content.TEXT, true, SpringDataSending::new),

	/**
	 * {@code XADD} with Lettuce, waiting for each reply.
	 */
	LETTUCE("Lettuce by hand, sync", Content.TEXT, true,
			(job) -> new LettuceSending(job, Content.TEXT, LettuceSending::oneByOne)),

	/**
	 * {@code XADD} with Lettuce, waiting for many replies together.
	 */
	LETTUCE_ASYNC("Lettuce by hand, async", Content.TEXT, false,
			(job) -> new LettuceSending(job, Content.TEXT, LettuceSending::async)),

	/**
	 * {@code XADD} with Lettuce, many in one packet.
	 */
	LETTUCE_PIPELINE("Lettuce by hand, pipeline", Content.TEXT, false,
			(job) -> new LettuceSending(job, Content.TEXT, LettuceSending::pipelined)),

	/**
	 * {@code StreamTemplate.sendAll} of records.
	 */
	SEND_ALL_RECORDS("StreamTemplate.sendAll", Content.RECORD, false,
			(job) -> new OursSending(job, Content.RECORD, OursSending::together)),

	/**
	 * {@code StreamTemplate.sendAll} of records to a stream that is not trimmed.
	 */
	SEND_ALL_RECORDS_UNTRIMMED("StreamTemplate.sendAll, trim: none", Content.RECORD, false,
			(job) -> new OursSending(job, Content.RECORD, OursSending::together, OursSending.NO_TRIM)),

	/**
	 * {@code XADD} of records with Lettuce, many in one packet.
	 */
	LETTUCE_PIPELINE_RECORDS("Lettuce by hand, pipeline", Content.RECORD, false,
			(job) -> new LettuceSending(job, Content.RECORD, LettuceSending::pipelined));

	private final String title;

	private final Content content;

	private final boolean waitsForEach;

	private final Function<SendJob, Sending> factory;

	Sender(String title, Content content, boolean waitsForEach, Function<SendJob, Sending> factory) {
		this.title = title;
		this.content = content;
		this.waitsForEach = waitsForEach;
		this.factory = factory;
	}

	/**
	 * What to call it.
	 * @return the title
	 */
	public String title() {
		return this.title;
	}

	/**
	 * What it sends.
	 * @return the content
	 */
	public Content content() {
		return this.content;
	}

	/**
	 * Whether it waits for each reply before it sends the next entry.
	 * @return {@code true} if it is slow for that reason
	 */
	public boolean waitsForEach() {
		return this.waitsForEach;
	}

	/**
	 * Whether it is one that has a goal: {@code sendAll}.
	 * @return {@code true} if it is to be as fast as a pipeline by hand
	 */
	public boolean isSendAll() {
		return name().startsWith("SEND_ALL");
	}

	Sending prepare(SendJob job) {
		return this.factory.apply(job);
	}

}
