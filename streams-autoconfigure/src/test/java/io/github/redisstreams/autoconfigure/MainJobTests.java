package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.test.RealRedis;
import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The main job, end to end on a real server.
 */
@RealRedis
class MainJobTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				RedisStreamsAutoConfiguration.class))
		.withPropertyValues("spring.application.name=billing", "redis.streams.consumer=one");

	private ApplicationContextRunner on(RedisServer redis) {
		return this.runner.withPropertyValues("spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + redis.port());
	}

	@Test
	void handlesEachOfTenThousandEntriesOfThreeShapesOnce(RedisServer redis) {
		redis.addPipelined("events", 10_000, (n) -> switch (n % 3) {
			case 0 -> new String[] { "number", "" + n, "item", "plain" };
			case 1 -> new String[] { "payload", "{\"number\":" + n + ",\"item\":\"json\"}" };
			default -> new String[] { "_class", "com.example.Order", "number", "" + n, "item", "hash" };
		});
		on(redis).withUserConfiguration(OrderCounter.class).run((context) -> {
			Map<Integer, AtomicInteger> handled = context.getBean(OrderCounter.class).handled;
			await().atMost(Duration.ofSeconds(30)).until(() -> handled.size() == 10_000);
			await().until(() -> redis.pending("events", "billing") == 0);
			assertThat(handled.values()).allMatch((count) -> count.get() == 1);
			assertThat(lag(redis)).isZero();
		});
	}

	private static long lag(RedisServer redis) {
		List<?> group = (List<?>) redis.list("XINFO", "GROUPS", "events").get(0);
		return (Long) group.get(group.indexOf("lag") + 1);
	}

	@Configuration(proxyBeanMethods = false)
	static class OrderCounter {

		final Map<Integer, AtomicInteger> handled = new ConcurrentHashMap<>();

		final Queue<Order> orders = new ConcurrentLinkedQueue<>();

		@StreamListener("events")
		void handle(Order order) {
			this.orders.add(order);
			this.handled.computeIfAbsent(order.number(), (number) -> new AtomicInteger()).incrementAndGet();
		}

	}

	record Order(int number, String item) {

	}

}
