package io.github.redisstreams.test.autoconfigure;

import java.time.Duration;

import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetterEntry;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.test.EmbeddedRedis;
import io.github.redisstreams.test.StreamTester;
import io.github.redisstreams.test.shop.Ledger;
import io.github.redisstreams.test.shop.Order;
import io.github.redisstreams.test.shop.OrderListener;
import io.github.redisstreams.test.shop.ShopApplication;
import io.github.redisstreams.test.shop.TeaListener;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.mockito.BDDMockito.then;

class StreamListenerTestTests {

	@Nested
	@StreamListenerTest
	@ContextConfiguration(classes = ShopApplication.class)
	@Import(Ledger.class)
	class AllListeners {

		@Autowired
		private StreamTemplate streams;

		@Autowired
		private StreamTester tester;

		@Autowired
		private Ledger ledger;

		@BeforeEach
		void clean() {
			this.tester.clean("invoices");
			this.ledger.booked().clear();
		}

		@Test
		void handlesEntriesThatWereSent() {
			this.streams.send("orders", new Order("ada", 2));
			this.tester.awaitDrained("orders");
			assertThat(this.ledger.booked()).containsExactly(new Order("ada", 2));
			assertThat(this.tester.stream("orders")).hasLength(1).hasLag(0).hasNoPending().hasNoDeadLetters();
			assertThat(this.tester.stream("invoices")).payloads(String.class).containsExactly("Invoice for ada");
		}

		@Test
		void retriesWithinTheTimeThatATestHas() {
			this.streams.send("orders", new Order("ada", -1));
			this.tester.awaitDrained("orders");
			assertThat(this.ledger.booked()).containsExactly(new Order("ada", -1));
		}

		@Test
		void movesWhatTheApplicationsFailureHandlerRefusesToTheDeadLetters() {
			this.streams.send("orders", new Order("ada", 500));
			this.tester.awaitDrained("orders");
			assertThat(this.tester.stream("orders")).hasDeadLetters(1)
				.deadLetters()
				.extracting(DeadLetterEntry::reason, DeadLetterEntry::deliveryCount)
				.containsExactly(tuple("There are no 500", 1L));
		}

		@Test
		void validatesPayloads() {
			this.streams.send("orders", new Order("", 1));
			this.tester.awaitDrained("orders");
			assertThat(this.tester.stream("orders")).hasDeadLetters(1);
			assertThat(this.ledger.booked()).isEmpty();
		}

		@Test
		void hasAllListenersInheritedOnesIncluded(@Autowired StreamListenerRegistry registry) {
			assertThat(registry.getContainers()).extracting(StreamListenerContainer::getId)
				.containsExactlyInAnyOrder("orders", "stock", "audit");
		}

		@Test
		void isQuickToStopAndToRetry(@Autowired StreamListenerRegistry registry) {
			assertThat(registry.getContainers()).allSatisfy((listener) -> {
				assertThat(listener.getOptions().shutdownTimeout()).hasSeconds(2);
				assertThat(listener.getOptions().retry().initialInterval()).hasMillis(50);
			});
		}

	}

	@Nested
	@StreamListenerTest(OrderListener.class)
	@ContextConfiguration(classes = ShopApplication.class)
	@TestPropertySource(properties = "redis.streams.listeners.orders.retry.initial-interval=20ms")
	class OneListener {

		@Autowired
		private ApplicationContext context;

		@MockitoBean
		private Ledger ledger;

		@Test
		void hasNoOther(@Autowired StreamListenerRegistry registry) {
			assertThat(registry.getContainers()).extracting(StreamListenerContainer::getId).containsExactly("orders");
			assertThat(this.context.getBeanNamesForType(TeaListener.class)).isEmpty();
		}

		@Test
		void takesMocksForWhatItNeeds(@Autowired StreamTemplate streams, @Autowired StreamTester tester) {
			streams.send("orders", new Order("ada", 2));
			tester.awaitDrained("orders");
			then(this.ledger).should().book(new Order("ada", 2));
		}

		@Test
		void winsOverTheQuickDefaults(@Autowired StreamListenerRegistry registry) {
			assertThat(registry.getContainers()).first()
				.extracting((listener) -> listener.getOptions().retry().initialInterval())
				.isEqualTo(Duration.ofMillis(20));
		}

		@Test
		void hasARedisOfItsOwn() {
			assertThat(this.context.getBean(EmbeddedRedis.class).isRunning()).isTrue();
		}

	}

}
