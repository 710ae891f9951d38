package io.github.redisstreams.listener;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.listener.ListenerOptions.Builder;
import io.github.redisstreams.listener.failure.DeadLetterException;
import io.github.redisstreams.listener.failure.RetryAfterException;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.messaging.converter.MessageConversionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Field cases: handlers that fail, that are slow, and that are many.
 */
@RealRedis
class FieldCaseHandlingTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final UnaryOperator<Builder> THREE_DELIVERIES = (options) -> options.maxDeliveries(3)
		.retry((retry) -> retry.initialInterval(Duration.ofMillis(10)));

	private RedisServer server;

	private Containers containers;

	@BeforeEach
	void open(RedisServer server) {
		this.server = server;
		this.containers = new Containers(server);
		server.command("XGROUP", "CREATE", "s", "g", "0", "MKSTREAM");
	}

	@AfterEach
	void close() {
		this.containers.close();
	}

	private void awaitNothingPending() {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.server.pending("s", "g")).isZero());
	}

	private List<?> deadLetter() {
		List<Object> letters = this.server.list("XRANGE", "{s}:dlq", "-", "+");
		assertThat(letters).hasSize(1);
		return (List<?>) ((List<?>) letters.get(0)).get(1);
	}

	private static void sneak(Throwable failure) throws Exception {
		if (failure instanceof Error error) {
			throw error;
		}
		throw (Exception) failure;
	}

	static Stream<Arguments> failures() {
		return Stream.of(argumentSet("RuntimeException", new IllegalStateException("runtime")),
				argumentSet("checked exception", new IOException("checked")),
				argumentSet("Error", new NoClassDefFoundError("error")));
	}

	@ParameterizedTest
	@MethodSource("failures")
	@DisplayName("C02 the handler throws for entry 2 of 5: the others are handled, it is retried, then dead-lettered")
	void goesOnThoughOneOfFiveEntriesAlwaysFails(Throwable failure) {
		List<String> ids = this.server.addPipelined("s", 5);
		String bad = ids.get(1);
		Recorder handler = new Recorder() {

			@Override
			public void handle(List<Delivery> deliveries) throws Exception {
				super.handle(deliveries);
				if (deliveries.get(0).entry().id().toString().equals(bad)) {
					sneak(failure);
				}
			}

		};
		StreamListenerContainer container = this.containers.start("me", THREE_DELIVERIES, handler);
		await().atMost(PATIENCE).until(() -> container.getCounters().deadLettered() == 1);
		awaitNothingPending();
		assertThat(handler.ids()).filteredOn((id) -> !id.equals(bad))
			.containsExactly(ids.get(0), ids.get(2), ids.get(3), ids.get(4));
		assertThat(handler.deliveries()).filteredOn((delivery) -> delivery.entry().id().toString().equals(bad))
			.extracting((delivery) -> delivery.entry().deliveryCount())
			.containsExactly(1L, 2L, 3L);
		assertThat(deadLetter().contains(bad)).isTrue();
		assertThat(deadLetter().contains(failure.getClass().getName())).isTrue();
		String next = this.server.add("s", "n", "next");
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(handler.ids()).endsWith(next));
		awaitNothingPending();
	}

	static Stream<Arguments> fatalFailures() {
		return Stream
			.<RuntimeException>of(new MessageConversionException("not JSON"), new DeadLetterException("never mind"),
					new ExcludedException())
			.flatMap(FieldCaseHandlingTests::wrappings);
	}

	private static Stream<Arguments> wrappings(RuntimeException failure) {
		String name = failure.getClass().getSimpleName();
		return Stream.of(argumentSet(name, failure),
				argumentSet(name + " as a cause", new IllegalStateException("wrapped", failure)),
				argumentSet(name + " in a CompletionException", new CompletionException(failure)));
	}

	@ParameterizedTest
	@MethodSource("fatalFailures")
	@DisplayName("C07 what is fatal is fatal direct, as a cause and in a CompletionException")
	void deadLettersAtOnceWhatIsFatalHoweverItIsWrapped(RuntimeException failure) {
		Recorder handler = new FailingAtFirst(failure);
		StreamListenerContainer container = this.containers.start("me",
				(options) -> options.retry((retry) -> retry.excludes(List.of(ExcludedException.class))), handler);
		String id = this.server.add("s", "n", "1");
		await().atMost(PATIENCE).until(() -> container.getCounters().deadLettered() == 1);
		awaitNothingPending();
		assertThat(handler.ids()).containsExactly(id);
		assertThat(container.getCounters().retried()).isZero();
	}

	static Stream<Arguments> delayedFailures() {
		return wrappings(new RetryAfterException(Duration.ofMillis(10), "busy"));
	}

	@ParameterizedTest
	@MethodSource("delayedFailures")
	@DisplayName("C07 what asks for a delay gets it direct, as a cause and in a CompletionException")
	void retriesAfterTheDelayThatTheFailureAsksForHoweverItIsWrapped(RuntimeException failure) {
		Recorder handler = new FailingAtFirst(failure);
		this.containers.start("me",
				(options) -> options
					.retry((retry) -> retry.initialInterval(Duration.ofHours(1)).maxInterval(Duration.ofHours(1))),
				handler);
		String id = this.server.add("s", "n", "1");
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(handler.ids()).containsExactly(id, id));
		awaitNothingPending();
	}

	@Test
	@DisplayName("C19 100,000 entries and slow handlers: handled = added, nothing is left pending")
	void handlesAllOfAHundredThousandEntriesOnceThoughHandlersAreSlow() {
		List<String> ids = this.server.addPipelined("s", 100_000);
		Set<String> handled = ConcurrentHashMap.newKeySet();
		AtomicInteger calls = new AtomicInteger();
		EntryHandler handler = (deliveries) -> {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
			deliveries.forEach((delivery) -> handled.add(delivery.entry().id().toString()));
			calls.addAndGet(deliveries.size());
		};
		StreamListenerContainer container = this.containers.start("me", (options) -> options.concurrency(64), handler);
		await().atMost(Duration.ofMinutes(3)).until(() -> handled.size() == ids.size());
		awaitNothingPending();
		await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
		assertThat(handled.containsAll(ids)).isTrue();
		assertThat(calls).hasValue(ids.size());
		await().untilAsserted(() -> assertThat(container.getCounters().acknowledged()).isEqualTo(ids.size()));
	}

	@Test
	@DisplayName("C25 a handler that takes 5 x min-idle runs once, though others look for abandoned entries")
	void runsAHandlerOnceThatTakesFiveTimesMinIdle() {
		Duration minIdle = Duration.ofMillis(1500);
		UnaryOperator<Builder> options = (builder) -> builder.minIdle(minIdle)
			.pollTimeout(Duration.ofMillis(100))
			.claimInterval(Duration.ofMillis(100));
		List<String> ids = this.server.addPipelined("s", 1);
		Gate handler = new Gate();
		StreamListenerContainer container = this.containers.start("me", options, handler);
		await().atMost(PATIENCE).until(() -> handler.size() == 1);
		Recorder peer = new Recorder();
		this.containers.start("peer", options, peer);
		await().during(minIdle.multipliedBy(5)).atMost(minIdle.multipliedBy(10)).until(() -> peer.size() == 0);
		assertThat(this.server.pendingEntry("s", "g", ids.get(0))).satisfies((pending) -> {
			assertThat(pending.consumer()).isEqualTo("me");
			assertThat(pending.deliveries()).isOne();
		});
		handler.open();
		awaitNothingPending();
		assertThat(handler.ids()).isEqualTo(ids);
		assertThat(peer.ids()).isEmpty();
		assertThat(container.getCounters().leasesLost()).isZero();
	}

	@Test
	@DisplayName("C59 max-deliveries 3 and a dead-letter stream: exactly 3 calls of the handler")
	void callsTheHandlerExactlyThreeTimesBeforeTheDeadLetters() {
		Recorder handler = new FailingAlways();
		Recorder peer = new FailingAlways();
		UnaryOperator<Builder> options = (builder) -> THREE_DELIVERIES.apply(builder)
			.deadLetter((deadLetter) -> deadLetter.stream("s.failed"));
		StreamListenerContainer container = this.containers.start("me", options, handler);
		StreamListenerContainer peerContainer = this.containers.start("peer", options, peer);
		List<String> ids = this.server.addPipelined("s", 5);
		await().atMost(PATIENCE).until(() -> this.server.integer("XLEN", "s.failed") == 5);
		awaitNothingPending();
		List<String> calls = Stream.concat(handler.ids().stream(), peer.ids().stream()).toList();
		assertThat(calls).hasSize(15);
		assertThat(ids).allSatisfy((id) -> assertThat(calls).filteredOn(id::equals).hasSize(3));
		await().untilAsserted(
				() -> assertThat(container.getCounters().deadLettered() + peerContainer.getCounters().deadLettered())
					.isEqualTo(5));
		assertThat(this.server.integer("EXISTS", "{s}:dlq")).isZero();
	}

	/**
	 * What the options exclude from retries.
	 */
	@SuppressWarnings("serial")
	private static final class ExcludedException extends RuntimeException {

	}

	/**
	 * Fails at an entry's first delivery.
	 */
	private static final class FailingAtFirst extends Recorder {

		private final RuntimeException failure;

		FailingAtFirst(RuntimeException failure) {
			this.failure = failure;
		}

		@Override
		public void handle(List<Delivery> deliveries) throws Exception {
			super.handle(deliveries);
			if (deliveries.get(0).entry().deliveryCount() == 1) {
				throw this.failure;
			}
		}

	}

	/**
	 * Fails whatever it is given.
	 */
	private static final class FailingAlways extends Recorder {

		@Override
		public void handle(List<Delivery> deliveries) throws Exception {
			super.handle(deliveries);
			throw new IllegalStateException("always");
		}

	}

}
