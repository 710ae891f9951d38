package io.github.redisstreams.test.autoconfigure;

import io.github.redisstreams.autoconfigure.RedisStreamsAutoConfiguration;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.test.shop.Order;
import io.github.redisstreams.test.shop.OrderListener;
import io.github.redisstreams.test.shop.ShopApplication;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.redis.test.autoconfigure.DataRedisTest;
import org.springframework.context.ApplicationContext;
import org.springframework.data.domain.Range;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.ContextConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That Spring Boot's slice has what this project auto-configures.
 */
@DataRedisTest(properties = "spring.jackson.property-naming-strategy=UPPER_SNAKE_CASE")
@AutoConfigureEmbeddedRedis
@ContextConfiguration(classes = ShopApplication.class)
class DataRedisTestTests {

	private final ApplicationContext context;

	DataRedisTestTests(@Autowired ApplicationContext context) {
		this.context = context;
	}

	@Test
	void sendsEntriesInTheJsonOfTheApplication(@Autowired StreamTemplate streams,
			@Autowired StringRedisTemplate redis) {
		streams.send("orders", new Order("ada", 2));
		assertThat(redis.opsForStream().range("orders", Range.unbounded())).singleElement()
			.satisfies((entry) -> assertThat(entry.getValue()).containsEntry("payload",
					"{\"CUSTOMER\":\"ada\",\"QUANTITY\":2}"));
	}

	@Test
	void hasNoneOfTheApplicationsListeners(@Autowired StreamListenerRegistry registry) {
		assertThat(registry.getContainers()).isEmpty();
		assertThat(this.context.getBeanNamesForType(OrderListener.class)).isEmpty();
		assertThat(this.context.getBeanNamesForType(RedisStreamsAutoConfiguration.class)).hasSize(1);
	}

}
