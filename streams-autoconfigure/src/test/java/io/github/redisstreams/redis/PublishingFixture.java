package io.github.redisstreams.redis;

import io.github.redisstreams.test.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What tests of {@link PublishCommands} and {@link TaskCommands} begin and end with.
 */
abstract class PublishingFixture {

	RedisServer redis;

	Publishing publishing;

	@BeforeEach
	void open(RedisServer redis) {
		this.redis = redis;
		this.publishing = Publishing.to(redis);
	}

	@AfterEach
	void close() {
		this.redis.command("ACL", "DELUSER", "app");
		this.publishing.close();
	}

}
