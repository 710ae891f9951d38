package io.github.redisstreams.listener;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

import io.github.redisstreams.listener.CaseWorker.Failed;
import io.github.redisstreams.listener.Containers.Gate;
import io.github.redisstreams.listener.Containers.Recorder;
import io.github.redisstreams.listener.ListenerOptions.Builder;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Entries that vanish from the stream while they are pending.
 */
@Tag("core")
@RealRedis
@ExtendWith(OutputCaptureExtension.class)
class FieldCaseTrimTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final UnaryOperator<Builder> CLAIM_SOON = (options) -> options.minIdle(Duration.ofMillis(600))
		.claimInterval(Duration.ofMillis(100));

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

	private void awaitCleared(StreamListenerContainer container, int count) {
		awaitNothingPending();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(container.getCounters().trimmedPending()).isEqualTo(count));
	}

	private void assertGoesOn(StreamListenerContainer container, Recorder handler, CapturedOutput output) {
		String next = this.server.add("s", "n", "next");
		await().atMost(PATIENCE).until(() -> handler.ids().contains(next));
		awaitNothingPending();
		await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
		assertThat(container.getStatus().state()).isEqualTo(ContainerState.POLLING);
		assertThat(container.getStatus().lastError()).isNull();
		assertThat(output).contains("were trimmed or deleted while pending").doesNotContain("ERROR");
	}

	@ParameterizedTest(name = "C32 entries that go by {0} while pending under another consumer are cleared")
	@EnumSource
	void foreign(Loss loss, CapturedOutput output) {
		List<String> ids = this.server.addPipelined("s", 50);
		this.server.deliver("s", "g", "dead", 50);
		loss.of(this.server, ids);
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me", CLAIM_SOON, handler);
		awaitCleared(container, 50);
		assertThat(handler.ids()).isEmpty();
		assertGoesOn(container, handler, output);
	}

	@ParameterizedTest(name = "C32 entries that go by {0} while a live consumer waits for them are cleared")
	@EnumSource
	void foreignWhileRunning(Loss loss, CapturedOutput output) {
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me", CLAIM_SOON, handler);
		await().atMost(PATIENCE).until(() -> container.getStatus().state() == ContainerState.POLLING);
		container.pause();
		await().atMost(PATIENCE).until(() -> this.server.blockedClients().isEmpty());
		List<String> ids = this.server.addPipelined("s", 50);
		this.server.deliver("s", "g", "dead", 50);
		loss.of(this.server, ids);
		container.resume();
		awaitCleared(container, 50);
		assertGoesOn(container, handler, output);
	}

	@ParameterizedTest(name = "C32 entries of an earlier life that went by {0} are cleared")
	@EnumSource
	void ownOfAnEarlierLife(Loss loss, CapturedOutput output) {
		List<String> ids = this.server.addPipelined("s", 50);
		this.server.deliver("s", "g", "me", 50);
		loss.of(this.server, ids);
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me", handler);
		awaitCleared(container, 50);
		assertThat(handler.ids()).isEmpty();
		assertGoesOn(container, handler, output);
	}

	@ParameterizedTest(name = "C32 entries that go by {0} while they are handled here are finished")
	@EnumSource
	void ownWhileHandled(Loss loss, CapturedOutput output) {
		Gate handler = new Gate();
		StreamListenerContainer container = this.containers.start("me",
				(options) -> CLAIM_SOON.apply(options).concurrency(3), handler);
		List<String> ids = this.server.addPipelined("s", 3);
		await().atMost(PATIENCE).until(() -> handler.size() == 3);
		loss.of(this.server, ids);
		// Noticed as the leases are renewed
		int noticed = tellsWhatIsGone() ? 3 : 0;
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(container.getCounters().trimmedPending()).isEqualTo(noticed));
		handler.open();
		await().atMost(PATIENCE).until(() -> handler.done() == 3);
		awaitCleared(container, noticed);
		assertThat(handler.ids()).containsExactlyInAnyOrderElementsOf(ids);
		assertThat(container.getCounters().leasesLost()).isZero();
		if (tellsWhatIsGone()) {
			assertGoesOn(container, handler, output);
		}
	}

	/**
	 * Whether a renewal tells that an entry is gone, as it does not on Redis 6.2.
	 */
	private boolean tellsWhatIsGone() {
		return !this.server.info("redis_version").orElseThrow().startsWith("6.");
	}

	@ParameterizedTest(name = "C32 an entry that goes by {0} while its handler fails is kept as a dead letter")
	@EnumSource
	void ownWhileAHandlerFails(Loss loss) {
		Gate gate = new Gate();
		StreamListenerContainer container = this.containers.start("me", CLAIM_SOON, (deliveries) -> {
			gate.handle(deliveries);
			throw new Failed();
		});
		String id = this.server.add("s", "n", "1");
		await().atMost(PATIENCE).until(() -> gate.size() == 1);
		loss.of(this.server, List.of(id));
		if (tellsWhatIsGone()) {
			await().atMost(PATIENCE).until(() -> container.getCounters().trimmedPending() == 1);
			gate.open();
			await().atMost(PATIENCE).until(() -> this.server.length("{s}:dlq") == 1);
		}
		else {
			// Its retry finds it gone
			gate.open();
			await().atMost(PATIENCE).until(() -> container.getCounters().trimmedPending() == 1);
		}
		awaitNothingPending();
		await().atMost(PATIENCE).until(() -> container.getInFlight() == 0);
		assertThat(gate.size()).isEqualTo(1);
	}

	@ParameterizedTest(name = "An entry that goes by {0} while it waits for its retry is cleared and counted")
	@EnumSource
	void whileItWaitsForItsRetry(Loss loss, CapturedOutput output) {
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me",
				(options) -> options.retry((retry) -> retry.initialInterval(Duration.ofSeconds(3)).jitter(0)),
				(deliveries) -> {
					handler.handle(deliveries);
					if (deliveries.get(0).entry().value("fail") != null) {
						throw new Failed();
					}
				});
		String id = this.server.add("s", "fail", "1");
		await().atMost(PATIENCE).until(() -> handler.size() == 1);
		loss.of(this.server, List.of(id));
		assertThat(this.server.pending("s", "g")).isEqualTo(1);
		awaitCleared(container, 1);
		assertThat(handler.ids()).containsExactly(id);
		assertThat(container.getCounters().retried()).isZero();
		assertThat(container.getCounters().leasesLost()).isZero();
		assertGoesOn(container, handler, output);
	}

	@Test
	@DisplayName("A retry has the entry as it is then, and the server counts it")
	void aRetryHasTheEntryAsItIsThen() {
		Recorder handler = new Recorder();
		this.containers.start("me", (options) -> options.retry((retry) -> retry.initialInterval(Duration.ofMillis(1))),
				(deliveries) -> {
					handler.handle(deliveries);
					if (handler.size() < 3) {
						throw new Failed();
					}
				});
		String id = this.server.add("s", "n", "1");
		await().atMost(PATIENCE).until(() -> handler.size() == 3);
		awaitNothingPending();
		assertThat(handler.ids()).containsOnly(id);
		assertThat(handler.counts()).containsExactly(1L, 2L, 3L);
		assertThat(handler.deliveries()).extracting(Delivery::entry).doesNotHaveDuplicates();
	}

	/**
	 * How entries go.
	 */
	enum Loss {

		XDEL {

			@Override
			void of(RedisServer server, List<String> ids) {
				ids.forEach((id) -> server.command("XDEL", "s", id));
			}

		},

		XTRIM {

			@Override
			void of(RedisServer server, List<String> ids) {
				server.command("XTRIM", "s", "MAXLEN", "0");
			}

		};

		abstract void of(RedisServer server, List<String> ids);

	}

}
