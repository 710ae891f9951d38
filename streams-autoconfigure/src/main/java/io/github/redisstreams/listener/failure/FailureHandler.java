package io.github.redisstreams.listener.failure;

/**
 * Decides what becomes of an entry that its handler failed on. A bean of this type is
 * used for every listener that names no other with {@code failure-handler}. <pre class=
 * "code">
 * &#64;Bean
 * FailureHandler quotaAware() {
 *     return (failure) -&gt; (failure.cause() instanceof QuotaExceeded)
 *             ? new Outcome.Retry(Duration.ofMinutes(5)) : failure.defaultOutcome();
 * }
 * </pre> Called on the handler's thread; must not block. An exception thrown here is
 * logged, and the default outcome is taken. No decision delivers an entry more than
 * {@code max-deliveries} times: a retry decided at the last delivery makes it a dead
 * letter.
 */
@FunctionalInterface
public interface FailureHandler {

	/**
	 * Decide.
	 * @param failure the entry, what the handler threw, and what becomes of it by default
	 * @return what is to become of the entry
	 */
	Outcome handle(Failure failure);

}
