package io.github.redisstreams.sample;

import com.redis.testcontainers.RedisContainer;
import io.github.redisstreams.publish.StreamTemplate;
import org.junit.jupiter.api.Test;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The service with the Redis of a container.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = { "sample.generator.enabled=false", "sample.failure-rate=0" })
@Testcontainers(disabledWithoutDocker = true)
class OrderServiceContainerTests {

	@Container
	@ServiceConnection
	static final RedisContainer redis = new RedisContainer("redis:8");

	@Test
	void handlesOrderFromTheContainerInsteadOfStartingRedis(@Autowired DataRedisConnectionDetails connection,
			@Autowired StreamTemplate streams, @Autowired OrderStats stats) {
		assertThat(connection.getStandalone()).isNotNull()
			.extracting(DataRedisConnectionDetails.Standalone::getPort)
			.isEqualTo(redis.getRedisPort());
		streams.send("events", new Order("ada", "tea", 2));
		await().untilAsserted(() -> assertThat(stats.counts().handled()).isEqualTo(1));
	}

}
