package io.github.redisstreams.test;

import java.time.Duration;
import java.util.Map;

import io.github.redisstreams.deadletter.DeadLetterEntry;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.test.autoconfigure.StreamListenerTest;
import io.github.redisstreams.test.shop.Ledger;
import io.github.redisstreams.test.shop.Order;
import io.github.redisstreams.test.shop.OrderListener;
import io.github.redisstreams.test.shop.ShopApplication;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.data.redis.connection.stream.Consumer;
import org.springframework.data.redis.connection.stream.ReadOffset;
import org.springframework.data.redis.connection.stream.StreamOffset;
import org.springframework.data.redis.connection.stream.StreamReadOptions;
import org.springframework.data.redis.core.StreamOperations;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@StreamListenerTest(OrderListener.class)
@ContextConfiguration(classes = ShopApplication.class)
@Import(Ledger.class)
class StreamAssertTests {

	private final StreamTester tester;

	private final StreamTemplate streams;

	private final StringRedisTemplate redis;

	StreamAssertTests(@Autowired StreamTester tester, @Autowired StreamTemplate streams,
			@Autowired StringRedisTemplate redis) {
		this.tester = tester;
		this.streams = streams;
		this.redis = redis;
	}

	@BeforeEach
	void clean() {
		this.tester.clean("invoices");
	}

	private TestedStream orders() {
		return this.tester.stream("orders");
	}

	@Test
	void acceptsWhatIsSo() {
		this.streams.send("orders", new Order("ada", 500));
		this.streams.send("orders", new Order("ada", 1));
		this.tester.awaitDrained("orders");
		assertThat(orders()).isDrained()
			.hasLength(2)
			.hasLag(0)
			.hasPending(0)
			.hasNoPending()
			.hasDeadLetters(1)
			.hasScheduled(0);
		assertThat(this.tester.stream("invoices")).hasNoDeadLetters().entries().hasSize(1);
	}

	@Test
	void showsTheDeadLettersThatAreTooMany() {
		this.streams.send("orders", new Order("ada", 500));
		this.tester.awaitDrained("orders");
		assertFails(() -> assertThat(orders()).hasNoDeadLetters())
			.withMessageContaining("Expected number of dead letters: 0, but it is 1")
			.withMessageContaining("of stream 'orders', group 'shop' (listener 'orders')")
			.withMessageMatching("(?s).*newest dead letters:\\s+\\d+-0, delivered once: There are no 500 "
					+ "\\(TooManyException\\).*");
	}

	@Test
	void showsTheEntriesOfAStreamOfAnotherLength() {
		this.streams.send("orders", new Order("ada", 1));
		assertFails(() -> assertThat(orders()).hasLength(3))
			.withMessageContaining("Expected number of entries: 3, but it is 1")
			.withMessageMatching(
					"(?s).*newest entries:\\s+\\d+-0 \\{payload=\\{\"customer\":\"ada\",\"quantity\":1}}.*");
	}

	@Test
	void showsOnlyTheBeginningOfLongEntries() {
		this.streams.send("orders", new Order("a".repeat(10_000), 1));
		assertFails(() -> assertThat(orders()).hasLength(3))
			.satisfies((failure) -> assertThat(failure.getMessage()).hasSizeLessThan(1_000));
	}

	@Test
	void showsWhatIsNotDrained() {
		this.streams.sendAfter("orders", new Order("ada", 1), Duration.ofHours(1));
		assertFails(() -> assertThat(orders()).isDrained()).withMessageContaining("lag 0, pending 0, scheduled 1");
		assertFails(() -> assertThat(orders()).hasScheduled(0))
			.withMessageContaining("Expected number of scheduled entries: 0, but it is 1");
	}

	@Test
	void showsPendingAndLag() {
		assertFails(() -> assertThat(orders()).hasPending(1))
			.withMessageContaining("Expected number of pending entries: 1, but it is 0");
		assertFails(() -> assertThat(orders()).hasLag(1))
			.withMessageContaining("Expected number of entries that the group has still to be given: 1, but it is 0");
	}

	@Test
	@SuppressWarnings("unchecked")
	void countsAsManyAsThereAre() {
		this.tester.clean("audits");
		StreamOperations<String, String, String> operations = this.redis.opsForStream();
		for (int i = 0; i < 1001; i++) {
			operations.add("audits", Map.of("payload", "x"));
			operations.add("{audits}:dlq", Map.of("payload", "x"));
		}
		operations.createGroup("audits", ReadOffset.from("0"), "shop");
		operations.read(Consumer.from("shop", "one"), StreamReadOptions.empty().count(1001),
				StreamOffset.create("audits", ReadOffset.lastConsumed()));
		assertThat(this.tester.stream("audits", "shop")).hasPending(1001).hasDeadLetters(1001);
	}

	@Test
	void saysWhatWasAssertedOn() {
		this.streams.send("orders", new Order("ada", 500));
		this.tester.awaitDrained("orders");
		assertFails(
				() -> assertThat(orders()).deadLetters().extracting(DeadLetterEntry::reason).containsExactly("Another"))
			.withMessageContaining("dead letters of stream 'orders'")
			.withMessageContaining("There are no 500");
		assertFails(() -> assertThat(this.tester.stream("invoices")).as("No invoices").hasLength(1))
			.withMessageContaining("[No invoices]");
	}

	private static ThrowableAssertAlternative<AssertionError> assertFails(ThrowingCallable assertion) {
		return assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion);
	}

}
