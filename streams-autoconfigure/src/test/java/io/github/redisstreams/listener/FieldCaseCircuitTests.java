package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import io.github.redisstreams.listener.CaseWorker.Failed;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.listener.ListenerOptions.Builder;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.messaging.converter.MessageConversionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Everything fails for a while, since something that every handler needs is away.
 */
@RealRedis
class FieldCaseCircuitTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final UnaryOperator<Builder> SHORT_PAUSES = (options) -> options.minIdle(Duration.ofSeconds(2))
		.claimInterval(Duration.ofMillis(100))
		.circuit((circuit) -> circuit.window(Duration.ofMinutes(1))
			.initialPause(Duration.ofMillis(20))
			.maxPause(Duration.ofMillis(100)));

	private RedisServer server;

	private Containers containers;

	@BeforeEach
	void open(RedisServer server) {
		this.server = server;
		this.containers = new Containers(server);
	}

	@AfterEach
	void close() {
		this.containers.close();
	}

	@Test
	@DisplayName("An outage of what handlers need suspends the listener and costs no entry")
	void anOutageSuspendsTheListenerAndCostsNoEntry() {
		AtomicBoolean down = new AtomicBoolean(true);
		AtomicInteger attempts = new AtomicInteger();
		Recorder handled = new Recorder();
		List<String> ids = this.server.addPipelined("s", 30);
		StreamListenerContainer container = this.containers.start("me", SHORT_PAUSES, (deliveries) -> {
			attempts.incrementAndGet();
			if (down.get()) {
				throw new Failed();
			}
			handled.handle(deliveries);
		});
		await().atMost(PATIENCE).until(() -> container.getStatus().state() == ContainerState.SUSPENDED);
		// Far more often than max-deliveries for each, and longer than min-idle
		await().atMost(PATIENCE.multipliedBy(2)).until(() -> attempts.get() >= 100);
		assertThat(container.getStatus().state()).isEqualTo(ContainerState.SUSPENDED);
		assertThat(this.server.length("{s}:dlq")).isZero();
		assertThat(container.getCounters().deadLettered()).isZero();
		await().untilAsserted(() -> assertThat(container.getCounters().suspensions()).isEqualTo(1));
		down.set(false);
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(handled.ids()).containsExactlyInAnyOrderElementsOf(ids));
		await().atMost(PATIENCE).until(() -> container.getStatus().state() == ContainerState.POLLING);
		await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 0);
		assertThat(handled.counts()).allSatisfy((count) -> assertThat(count).isLessThanOrEqualTo(5));
		assertThat(this.server.length("{s}:dlq")).isZero();
		await().untilAsserted(() -> assertThat(container.getCounters().suspensions()).isEqualTo(1));
	}

	@Test
	@DisplayName("While a listener is suspended an entry that cannot succeed still goes to the dead letters")
	void whileSuspendedWhatCannotSucceedGoesToTheDeadLetters() {
		AtomicInteger attempts = new AtomicInteger();
		this.server.addPipelined("s", 30);
		StreamListenerContainer container = this.containers.start("me", SHORT_PAUSES, (deliveries) -> {
			attempts.incrementAndGet();
			if (deliveries.get(0).entry().value("fatal") != null) {
				throw new MessageConversionException("unreadable");
			}
			throw new Failed();
		});
		await().atMost(PATIENCE).until(() -> container.getStatus().state() == ContainerState.SUSPENDED);
		this.server.add("s", "fatal", "1");
		await().atMost(PATIENCE).until(() -> this.server.length("{s}:dlq") == 1);
		assertThat(container.getStatus().state()).isEqualTo(ContainerState.SUSPENDED);
		assertThat(this.server.pending("s", "g")).isEqualTo(30);
	}

}
