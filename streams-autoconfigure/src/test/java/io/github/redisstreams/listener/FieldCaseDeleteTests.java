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

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Entries that are deleted as they are acknowledged.
 */
@Tag("core")
@RealRedis
class FieldCaseDeleteTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final UnaryOperator<Builder> DELETE = (options) -> options.onSuccess(OnSuccess.DELETE);

	private static final UnaryOperator<Builder> DELETE_FOR_OTHER = (options) -> DELETE.apply(options).group("other");

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

	private void awaitHandled(Recorder handler, String group, List<String> ids) {
		await().atMost(PATIENCE).until(() -> handler.size() >= ids.size());
		await().atMost(PATIENCE).until(() -> this.server.pending("s", group) == 0);
		assertThat(handler.ids()).containsExactlyElementsOf(ids);
	}

	private void awaitLength(long length) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.server.length("s")).isEqualTo(length));
	}

	private long calls(String command) {
		return this.server.info("cmdstat_" + command)
			.map((stat) -> Long.parseLong(stat.substring("calls=".length(), stat.indexOf(','))))
			.orElse(0L);
	}

	@Test
	@DisplayName("C40 with one group the stream is emptied")
	void withOneGroupTheStreamIsEmptied() {
		this.server.command("CONFIG", "RESETSTAT");
		List<String> ids = this.server.addPipelined("s", 3000);
		Recorder handler = new Recorder();
		StreamListenerContainer container = this.containers.start("me", DELETE, handler);
		awaitHandled(handler, "g", ids);
		awaitLength(0);
		await().untilAsserted(() -> assertThat(container.getCounters().acknowledged()).isEqualTo(3000));
		if (this.server.knows("XACKDEL")) {
			assertThat(calls("xackdel")).isPositive();
			assertThat(calls("xdel")).isZero();
		}
		else {
			assertThat(calls("xdel")).isEqualTo(3000);
		}
	}

	@Test
	@DisplayName("C40 a second group is given every entry before it goes")
	void aSecondGroupIsGivenEveryEntryBeforeItGoes() {
		this.server.command("XGROUP", "CREATE", "s", "other", "0");
		List<String> ids = this.server.addPipelined("s", 500);
		Recorder handler = new Recorder();
		this.containers.start("me", DELETE, handler);
		awaitHandled(handler, "g", ids);
		assertThat(this.server.length("s")).isEqualTo(500);
		Recorder other = new Recorder();
		this.containers.start("you", DELETE_FOR_OTHER, other);
		awaitHandled(other, "other", ids);
		awaitLength(0);
	}

	@Test
	@DisplayName("C40 what a second group has pending stays until it has it")
	void whatASecondGroupHasPendingStays() {
		this.server.command("XGROUP", "CREATE", "s", "other", "0");
		List<String> ids = this.server.addPipelined("s", 3);
		Gate other = new Gate();
		this.containers.start("you", (options) -> DELETE_FOR_OTHER.apply(options).concurrency(3), other);
		await().atMost(PATIENCE).until(() -> other.size() == 3);
		Recorder handler = new Recorder();
		this.containers.start("me", DELETE, handler);
		awaitHandled(handler, "g", ids);
		assertThat(this.server.length("s")).isEqualTo(3);
		other.open();
		awaitLength(0);
		assertThat(this.server.pending("s", "other")).isZero();
	}

	@Test
	@DisplayName("C40 what a group that keeps has finished last stays")
	void whatAGroupThatKeepsHasFinishedLastStays() {
		this.server.command("XGROUP", "CREATE", "s", "other", "0");
		List<String> ids = this.server.addPipelined("s", 10);
		Recorder handler = new Recorder();
		this.containers.start("me", DELETE, handler);
		awaitHandled(handler, "g", ids);
		Recorder other = new Recorder();
		this.containers.start("you", (options) -> options.group("other"), other);
		awaitHandled(other, "other", ids);
		assertThat(this.server.length("s")).isEqualTo(10);
	}

	@Test
	@DisplayName("C40 a dead letter is deleted too, unless a second group needs its entry")
	void aDeadLetterIsDeletedToo() {
		this.server.command("XGROUP", "CREATE", "s", "other", "0");
		List<String> ids = this.server.addPipelined("s", 2);
		this.containers.start("me", (options) -> DELETE.apply(options).maxDeliveries(1), (deliveries) -> {
			throw new Failed();
		});
		await().atMost(PATIENCE).until(() -> this.server.length("{s}:dlq") == 2);
		await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 0);
		assertThat(this.server.length("s")).isEqualTo(2);
		Recorder other = new Recorder();
		this.containers.start("you", DELETE_FOR_OTHER, other);
		awaitHandled(other, "other", ids);
		awaitLength(0);
		this.server.addPipelined("s", 1);
		await().atMost(PATIENCE).until(() -> this.server.length("{s}:dlq") == 3);
		awaitLength(0);
	}

	@Test
	@DisplayName("C40 acknowledgements that could not be sent for long are sent however many they are")
	void acknowledgementsThatCouldNotBeSentAreSentHoweverManyTheyAre() {
		this.server.command("ACL", "SETUSER", "limited", "on", ">secret", "~*", "+@all", "-xack");
		if (this.server.knows("XACKDEL")) {
			this.server.command("ACL", "SETUSER", "limited", "-xackdel");
		}
		try {
			this.server.addPipelined("s", 20_000);
			Recorder handler = new Recorder();
			StreamListenerContainer container = this.containers.create("me", "limited", "secret",
					(options) -> DELETE.apply(options).batchSize(5000), handler);
			container.start().join();
			await().atMost(PATIENCE).until(() -> container.getInFlight() >= 15_000);
			this.server.command("ACL", "SETUSER", "limited", "+@all");
			await().atMost(PATIENCE).until(() -> this.server.pending("s", "g") == 0);
			awaitLength(0);
			await().atMost(PATIENCE).until(() -> container.getStatus().lastError() == null);
		}
		finally {
			this.server.command("ACL", "DELUSER", "limited");
		}
	}

	@Test
	@DisplayName("C40 ids of nineteen digits are told apart: none is deleted that the other group has not been given")
	void tellsLongIdsApart() {
		this.server.command("XGROUP", "CREATE", "s", "other", "0");
		String first = "1234567890123456789-0";
		String second = "1234567890123456790-0";
		for (String id : List.of(first, second)) {
			this.server.command("XADD", "s", id, "n", "1");
		}
		this.server.deliver("s", "other", "somebody", 1);
		this.server.command("XACK", "s", "other", first);
		Recorder handler = new Recorder();
		this.containers.start("me", DELETE, handler);
		awaitHandled(handler, "g", List.of(first, second));
		awaitLength(1);
		assertThat(this.server.deliver("s", "other", "somebody", 1)).containsExactly(second);
	}

	@Test
	@DisplayName("C40 a user who may not delete has entries acknowledged all the same")
	void acknowledgesWhatItMayNotDelete() {
		this.server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all", "-xdel");
		if (this.server.knows("XACKDEL")) {
			this.server.command("ACL", "SETUSER", "app", "-xackdel");
		}
		try {
			List<String> ids = this.server.addPipelined("s", 3);
			Recorder handler = new Recorder();
			this.containers.create("me", "app", "secret", DELETE, handler).start();
			awaitHandled(handler, "g", ids);
			assertThat(this.server.length("s")).isEqualTo(3);
		}
		finally {
			this.containers.close();
			this.server.command("ACL", "DELUSER", "app");
		}
	}

}
