package io.github.redisstreams.listener;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.redisstreams.deadletter.DeadLetterHeaders;
import io.github.redisstreams.redis.DeadLetter;
import io.github.redisstreams.redis.DeadLetterMove;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.redisstreams.listener.SettlingFixture.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class DeadLetterWriterTests {

	private final SettlingFixture fixture = new SettlingFixture();

	private static Map<String, String> fields(DeadLetter letter) {
		Map<String, String> fields = new HashMap<>();
		List<byte[]> words = letter.namesAndValues();
		for (int i = 0; i < words.size(); i += 2) {
			fields.put(text(words.get(i)), text(words.get(i + 1)));
		}
		return fields;
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private DeadLetter letter() {
		return this.fixture.commands.letters.get(this.fixture.commands.letters.size() - 1);
	}

	private void complete(DeadLetterMove move) {
		this.fixture.commands.moves.get(this.fixture.commands.moves.size() - 1).complete(move);
	}

	private DeadLetter write(SettlingFixture fixture, Throwable failure) {
		fixture.deadLetters.write(fixture.handled(7, 3), new DeadLetterCase("because", failure));
		return fixture.commands.letters.get(fixture.commands.letters.size() - 1);
	}

	@Test
	void writesTheEntryAndWhatIsKnownOfIt() {
		IllegalStateException failure = new IllegalStateException("outer",
				new RuntimeException("middle", new IllegalArgumentException("inner")));
		DeadLetter letter = write(this.fixture, failure);
		assertThat(letter.id()).isEqualTo(id(7));
		assertThat(letter.stream()).isEqualTo("{s}:dlq");
		assertThat(letter.holder()).isEqualTo(this.fixture.options.streamConsumer());
		assertThat(letter.maxLength()).isEqualTo(100_000);
		assertThat(letter.onlyIfHeld()).isTrue();
		assertThat(letter.delete()).isFalse();
		assertThat(text(letter.namesAndValues().get(0))).as("the entry's own fields come first").isEqualTo("n");
		Map<String, String> fields = fields(letter);
		assertThat(fields).containsEntry("n", "v7")
			.containsEntry(DeadLetterHeaders.STREAM, "s")
			.containsEntry(DeadLetterHeaders.ID, "1-7")
			.containsEntry(DeadLetterHeaders.GROUP, "g")
			.containsEntry(DeadLetterHeaders.CONSUMER, "c")
			.containsEntry(DeadLetterHeaders.DELIVERY_COUNT, "3")
			.containsEntry(DeadLetterHeaders.FIRST_SEEN, "1970-01-01T00:00:00.001Z")
			.containsEntry(DeadLetterHeaders.REASON, "because")
			.containsEntry(DeadLetterHeaders.EXCEPTION, IllegalStateException.class.getName())
			.containsEntry(DeadLetterHeaders.CAUSE, IllegalArgumentException.class.getName())
			.containsEntry(DeadLetterHeaders.MESSAGE, "outer");
		assertThat(fields.get(DeadLetterHeaders.STACK_TRACE)).startsWith("java.lang.IllegalStateException: outer")
			.contains("DeadLetterWriterTests");
	}

	@Test
	void ofATaskThatGoesByItsEntrysIdWritesThatId() {
		this.fixture.deadLetters.write(this.fixture.task(7, 3, "*"), new DeadLetterCase("because", null));
		assertThat(fields(letter())).containsEntry("redis_task", "1-7").containsEntry("n", "v7");
		this.fixture.deadLetters.write(this.fixture.task(8, 3, "order-8"), new DeadLetterCase("because", null));
		assertThat(fields(letter())).containsEntry("redis_task", "order-8");
	}

	@Test
	void writesNoExceptionWhereThereWasNone() {
		this.fixture.deadLetters.write(this.fixture.handled(1), new DeadLetterCase("because", null));
		assertThat(fields(letter())).doesNotContainKeys(DeadLetterHeaders.EXCEPTION, DeadLetterHeaders.CAUSE,
				DeadLetterHeaders.MESSAGE, DeadLetterHeaders.STACK_TRACE);
	}

	@Test
	void cutsLongTexts() {
		StackOverflowError failure = new StackOverflowError("x".repeat(50_000));
		Map<String, String> fields = fields(write(this.fixture, failure));
		assertThat(fields.get(DeadLetterHeaders.MESSAGE)).hasSize(1003).endsWith("...");
		assertThat(fields.get(DeadLetterHeaders.STACK_TRACE)).hasSize(8005)
			.startsWith("java.lang.StackOverflowError: x")
			.contains("\n...\n");
	}

	@Test
	void leavesTheStackTraceOutWhereSwitchedOff() {
		SettlingFixture fixture = new SettlingFixture(
				SettlingFixture.options().deadLetter((deadLetter) -> deadLetter.stackTrace(false)));
		assertThat(fields(write(fixture, new IllegalStateException("x")))).containsKey(DeadLetterHeaders.MESSAGE)
			.doesNotContainKey(DeadLetterHeaders.STACK_TRACE);
	}

	@Test
	void writesAFailureThatCannotTellItsMessage() {
		Map<String, String> fields = fields(write(this.fixture, new Unspeakable()));
		assertThat(fields).containsEntry(DeadLetterHeaders.EXCEPTION, Unspeakable.class.getName())
			.containsEntry(DeadLetterHeaders.MESSAGE, "cannot be shown: java.lang.UnsupportedOperationException");
	}

	@Test
	void writesToTheStreamAndUpToTheLengthThatWereSet() {
		SettlingFixture fixture = new SettlingFixture(SettlingFixture.options()
			.onSuccess(OnSuccess.DELETE)
			.deadLetter((deadLetter) -> deadLetter.stream("{s}:bad").maxLength(7)));
		DeadLetter letter = write(fixture, new IllegalStateException("x"));
		assertThat(letter.stream()).isEqualTo("{s}:bad");
		assertThat(letter.maxLength()).isEqualTo(7);
		assertThat(letter.delete()).isTrue();
	}

	@Test
	void writesWhatIsGoneThoughItIsNoLongerPending() {
		Delivery delivery = this.fixture.handled(1);
		delivery.lease().bodyIsGone();
		this.fixture.deadLetters.write(delivery, new DeadLetterCase("because", null));
		assertThat(letter().onlyIfHeld()).isFalse();
	}

	@Test
	void letsGoOfAnEntryOnceItIsMoved(CapturedOutput output) {
		write(this.fixture, new IllegalStateException("x"));
		assertThat(this.fixture.limiter.inFlight()).isEqualTo(1);
		complete(new DeadLetterMove(id(99), 0));
		assertThat(this.fixture.limiter.inFlight()).isZero();
		assertThat(this.fixture.counters.deadLettered()).isEqualTo(1);
		assertThat(this.fixture.counters.deadLettersDropped()).isZero();
		assertThat(output).contains("has moved entry 1-7").contains("{s}:dlq").contains("because");
	}

	@Test
	void tellsWhatItHasMovedOnceItIsMoved() {
		write(this.fixture, new IllegalStateException("x"));
		this.fixture.deadLetters.write(this.fixture.handled(8, 2), new DeadLetterCase("rejected", null));
		assertThat(this.fixture.deadLettered).isEmpty();
		this.fixture.commands.moves.get(1).complete(new DeadLetterMove(id(99), 0));
		this.fixture.commands.moves.get(0).complete(new DeadLetterMove(id(100), 0));
		assertThat(this.fixture.deadLettered).containsExactly(
				new DeadLetteredEntry(id(8), 2, "{s}:dlq", id(99), "rejected", null),
				new DeadLetteredEntry(id(7), 3, "{s}:dlq", id(100), "because", IllegalStateException.class.getName()));
	}

	@Test
	void tellsWhatTheBoundHasDropped(CapturedOutput output) {
		write(this.fixture, new IllegalStateException("x"));
		complete(new DeadLetterMove(id(99), 5));
		assertThat(this.fixture.counters.deadLettersDropped()).isEqualTo(5);
		assertThat(output).contains("5 oldest dead letters").contains("max-length is 100000");
	}

	@Test
	void letsGoOfAnEntryThatIsNoLongerHeld() {
		write(this.fixture, new IllegalStateException("x"));
		complete(DeadLetterMove.NOT_MOVED);
		assertThat(this.fixture.limiter.inFlight()).isZero();
		assertThat(this.fixture.counters.deadLettered()).isZero();
		assertThat(this.fixture.deadLettered).isEmpty();
		assertThat(this.fixture.counters.leasesLost()).isEqualTo(1);
	}

	@Test
	void keepsAndRetriesWhatRedisRefused() {
		write(this.fixture, new IllegalStateException("x"));
		this.fixture.commands.moves.get(0).completeExceptionally(new IllegalStateException("refused by the test"));
		assertThat(this.fixture.counters.deadLetterFailures()).isEqualTo(1);
		assertThat(this.fixture.deadLetters.problem()).asString()
			.contains("do not get through to '{s}:dlq'")
			.contains("refused by the test");
		assertThat(this.fixture.limiter.inFlight()).isEqualTo(1);
		this.fixture.timer.runAll();
		assertThat(this.fixture.commands.letters).hasSize(2);
		assertThat(fields(letter())).containsEntry("n", "v7");
		this.fixture.commands.moves.get(1).complete(new DeadLetterMove(id(99), 0));
		assertThat(this.fixture.deadLetters.problem()).isNull();
		assertThat(this.fixture.limiter.inFlight()).isZero();
	}

	@Test
	void keepsWhatRedisRefusedThoughItsBodyIsGoneMeanwhile() {
		Delivery delivery = this.fixture.handled(1);
		this.fixture.deadLetters.write(delivery, new DeadLetterCase("because", null));
		this.fixture.commands.moves.get(0).completeExceptionally(new IllegalStateException("refused by the test"));
		delivery.lease().bodyIsGone();
		this.fixture.timer.runAll();
		assertThat(letter().onlyIfHeld()).isFalse();
		assertThat(fields(letter())).containsEntry("n", "v1");
	}

	@Test
	void handsBackAtAStopWhatRedisRefused() {
		write(this.fixture, new IllegalStateException("x"));
		this.fixture.commands.moves.get(0).completeExceptionally(new IllegalStateException("refused by the test"));
		assertThat(this.fixture.deadLetters.close()).singleElement().satisfies((handBack) -> {
			assertThat(handBack.id()).isEqualTo(id(7));
			assertThat(handBack.deliveryCount()).isEqualTo(3);
		});
		this.fixture.timer.runAll();
		assertThat(this.fixture.commands.letters).hasSize(1);
	}

	@Test
	void saysOnceThatItIsRefusedAndOnceThatItGetsThrough(CapturedOutput output) {
		for (int i = 0; i < 5; i++) {
			this.fixture.deadLetters.write(this.fixture.handled(i), new DeadLetterCase("because", null));
			this.fixture.commands.moves.get(i).completeExceptionally(new IllegalStateException("refused by the test"));
		}
		assertThat(output.getAll().split("do not get through", -1)).hasSize(2);
		this.fixture.deadLetters.write(this.fixture.handled(9), new DeadLetterCase("because", null));
		complete(new DeadLetterMove(id(99), 0));
		assertThat(this.fixture.deadLetters.problem()).isNull();
		assertThat(output).contains("get through again");
	}

	@Test
	void waitsForWhatIsUnderWay() throws Exception {
		this.fixture.deadLetters.drain(Duration.ofMinutes(1));
		write(this.fixture, new IllegalStateException("x"));
		CompletableFuture<Void> drained = CompletableFuture.runAsync(this::drain);
		await().during(Duration.ofMillis(100)).until(() -> !drained.isDone());
		complete(new DeadLetterMove(id(99), 0));
		await().until(drained::isDone);
		drained.join();
	}

	private void drain() {
		try {
			this.fixture.deadLetters.drain(Duration.ofMinutes(1));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void waitsNoLongerThanItMay() throws Exception {
		write(this.fixture, new IllegalStateException("x"));
		this.fixture.deadLetters.drain(Duration.ofMillis(1));
		assertThat(this.fixture.limiter.inFlight()).isEqualTo(1);
	}

	@SuppressWarnings("serial")
	private static final class Unspeakable extends RuntimeException {

		@Override
		public String getMessage() {
			throw new UnsupportedOperationException();
		}

	}

}
