package io.github.redisstreams.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a bean that handles the entries of a Redis stream. <pre class="code">
 * &#64;StreamListener("events")
 * void handle(Order order) { ... }
 * </pre> The name is an entry under {@code redis.streams.listeners}, or the stream's key
 * itself. Several names make one listener each. The consumer group is created at startup
 * where it is missing.
 * <p>
 * <b>Arguments</b>: the entry's content as a record, bean, {@code Map}, {@code String} or
 * {@code byte[]} (optionally marked {@code @Payload}, {@code @Valid}), {@code @Header},
 * {@code @Headers}, {@code Message<T>}, {@code MapRecord<String, String, String>},
 * {@code RecordId}, {@code StreamEntry}, and
 * {@link io.github.redisstreams.listener.Acknowledgment}. A {@code List<T>} makes it a
 * batch listener, called with all entries of one read.
 * <p>
 * <b>Results</b>: a {@code CompletionStage} or reactive result is waited for before the
 * entry is acknowledged; with {@code @SendTo("stream")} the result is sent to that
 * stream, each element of a collection as an entry of its own.
 * <p>
 * When the method returns, the entry is acknowledged. Delivery is at least once, so a
 * handler must cope with seeing an entry twice.
 * <p>
 * <b>Failures</b>: when the method throws, the entry is delivered again after a delay
 * that grows with each attempt. What trying again cannot mend, such as content that
 * cannot be converted or is not valid, goes to the dead-letter stream at once, anything
 * else with its last delivery, of which there are {@code maxDeliveries} at most. A method
 * that knows better throws a
 * {@link io.github.redisstreams.listener.failure.DeadLetterException} to give up at once,
 * or a {@link io.github.redisstreams.listener.failure.RetryAfterException} to say when to
 * try again; both count wherever they stand among the causes. A
 * {@link io.github.redisstreams.listener.failure.FailureHandler} bean may decide
 * otherwise.
 * <p>
 * Every attribute of text may hold <code>${}</code> placeholders and <code>#{}</code>
 * expressions. An empty attribute leaves the option to the {@code redis.streams.listener}
 * defaults; the properties under {@code redis.streams.listeners.<name>} and {@code .<id>}
 * win over the attributes. May be repeated, and used as a meta-annotation.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Repeatable(StreamListeners.class)
public @interface StreamListener {

	/**
	 * Names of the streams to read.
	 * @return one or more names
	 */
	String[] value() default {};

	/**
	 * Identifies the listener. Defaults to the stream's name. With several streams each
	 * listener gets {@code <id>-<name>}.
	 * @return the id
	 */
	String id() default "";

	/**
	 * The consumer group.
	 * @return the group's name
	 */
	String group() default "";

	/**
	 * The name of this instance within the group. Defaults to
	 * {@code redis.streams.consumer}, which defaults to the host's name.
	 * @return the consumer's name
	 */
	String consumer() default "";

	/**
	 * Where a new group starts: {@code earliest}, {@code latest}, or the id of the entry
	 * after which to start.
	 * @return where to start
	 */
	String startFrom() default "";

	/**
	 * Whether the listener starts with the application.
	 * @return {@code true} or {@code false}
	 */
	String autoStartup() default "";

	/**
	 * How many handlers run at once.
	 * @return a number, at least 1
	 */
	String concurrency() default "";

	/**
	 * The most entries that one read may fetch.
	 * @return a number, at least 1
	 */
	String batchSize() default "";

	/**
	 * How long one read waits for entries.
	 * @return a duration such as {@code 2s}
	 */
	String pollTimeout() default "";

	/**
	 * How long an entry must have been pending without a sign of life before another
	 * consumer may claim it.
	 * @return a duration such as {@code 60s}
	 */
	String minIdle() default "";

	/**
	 * How often to look for such entries.
	 * @return a duration such as {@code 5s}
	 */
	String claimInterval() default "";

	/**
	 * How often an entry is delivered at most before it goes to the dead letters.
	 * @return a number, at least 1
	 */
	String maxDeliveries() default "";

	/**
	 * When entries are acknowledged: {@code on-success}, {@code always} or
	 * {@code manual}.
	 * @return the mode
	 */
	String ackMode() default "";

	/**
	 * What becomes of an entry as it is acknowledged: {@code keep} or {@code delete}.
	 * @return whether to keep or to delete it
	 */
	String onSuccess() default "";

	/**
	 * How long a stop waits for running handlers.
	 * @return a duration such as {@code 20s}
	 */
	String shutdownTimeout() default "";

	/**
	 * The name of the {@link io.github.redisstreams.listener.failure.FailureHandler} bean
	 * that decides what becomes of failed entries. Defaults to the only or the primary
	 * bean of that type, if there is one.
	 * @return the bean's name
	 */
	String failureHandler() default "";

	/**
	 * The key of the dead-letter stream. Defaults to {@code {<stream>}:dlq}. On a cluster
	 * it must be in the slot of the stream.
	 * @return the key
	 */
	String deadLetterStream() default "";

	/**
	 * Exceptions to retry, subclasses too, wherever they stand among the causes. If there
	 * are any, no others are retried.
	 * @return the exceptions
	 */
	Class<? extends Throwable>[] retryIncludes() default {};

	/**
	 * Exceptions never to retry, subclasses too, wherever they stand among the causes.
	 * @return the exceptions
	 */
	Class<? extends Throwable>[] retryExcludes() default {};

}
