package io.github.redisstreams.test.autoconfigure;

import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.test.EmbeddedRedis;
import io.github.redisstreams.test.StreamTester;
import io.github.redisstreams.test.shop.Ledger;
import io.github.redisstreams.test.shop.Order;
import io.github.redisstreams.test.shop.ShopApplication;
import org.junit.jupiter.api.Test;

import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestContextManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How listeners fare in contexts that Spring keeps for later tests.
 */
class CachedContextsTests {

	private final TestContextManager first = new TestContextManager(FirstTest.class);

	private final TestContextManager second = new TestContextManager(SecondTest.class);

	@Test
	void restWhileATestWithAnotherContextRunsAndGoOnAfterwards() {
		ApplicationContext context = this.first.getTestContext().getApplicationContext();
		handleAnOrder(context);
		this.first.getTestContext().markApplicationContextUnused();
		handleAnOrder(this.second.getTestContext().getApplicationContext());
		assertThat(context.getBean(StreamListenerRegistry.class).isRunning()).isFalse();
		this.second.getTestContext().markApplicationContextUnused();
		assertThat(this.first.getTestContext().getApplicationContext()).isSameAs(context);
		handleAnOrder(context);
	}

	@Test
	void haveEachARedisOfTheirOwnThatEndsWithThem() {
		EmbeddedRedis redis = this.first.getTestContext().getApplicationContext().getBean(EmbeddedRedis.class);
		EmbeddedRedis other = this.second.getTestContext().getApplicationContext().getBean(EmbeddedRedis.class);
		assertThat(redis.port()).isNotEqualTo(other.port());
		this.first.getTestContext().markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
		assertThat(redis.isRunning()).isFalse();
		assertThat(other.isRunning()).isTrue();
	}

	private static void handleAnOrder(ApplicationContext context) {
		Ledger ledger = context.getBean(Ledger.class);
		int before = ledger.booked().size();
		context.getBean(StreamTemplate.class).send("orders", new Order("ada", 1));
		context.getBean(StreamTester.class).awaitDrained("orders");
		assertThat(ledger.booked()).hasSize(before + 1);
	}

	@StreamListenerTest(properties = "first=true")
	@ContextConfiguration(classes = ShopApplication.class)
	@Import(Ledger.class)
	static class FirstTest {

	}

	@StreamListenerTest(properties = "second=true")
	@ContextConfiguration(classes = ShopApplication.class)
	@Import(Ledger.class)
	static class SecondTest {

	}

}
