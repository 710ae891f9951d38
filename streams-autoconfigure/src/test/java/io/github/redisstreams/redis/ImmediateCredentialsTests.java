package io.github.redisstreams.redis;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.mockito.Mockito.mock;

class ImmediateCredentialsTests {

	private final ImmediateCredentials factory = new ImmediateCredentials();

	private static RedisCredentials now(RedisCredentialsProvider provider) {
		return assertThat(provider).asInstanceOf(type(ImmediateRedisCredentialsProvider.class))
			.actual()
			.resolveCredentialsNow();
	}

	@Test
	void areTheConfiguredUserAndPassword() {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration();
		configuration.setUsername("app");
		configuration.setPassword("secret");
		RedisCredentials credentials = now(this.factory.createCredentialsProvider(configuration));
		assertThat(credentials.getUsername()).isEqualTo("app");
		assertThat(credentials.getPassword()).containsExactly("secret".toCharArray());
	}

	@Test
	void mayBeAPasswordAlone() {
		RedisSocketConfiguration configuration = new RedisSocketConfiguration();
		configuration.setPassword("secret");
		RedisCredentials credentials = now(this.factory.createCredentialsProvider(configuration));
		assertThat(credentials.hasUsername()).isFalse();
		assertThat(credentials.getPassword()).containsExactly("secret".toCharArray());
	}

	@Test
	void mayBeAUserWithoutPasswordUnlessThereAreSentinels() {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration();
		configuration.setUsername("app");
		RedisCredentials credentials = now(this.factory.createCredentialsProvider(configuration));
		assertThat(credentials.getUsername()).isEqualTo("app");
		assertThat(credentials.getPassword()).isEmpty();
		RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration();
		sentinels.setUsername("app");
		assertThat(now(this.factory.createCredentialsProvider(sentinels)).hasUsername()).isFalse();
	}

	@Test
	void mayBeNone() {
		RedisCredentials credentials = now(this.factory.createCredentialsProvider(new RedisStandaloneConfiguration()));
		assertThat(credentials.hasUsername()).isFalse();
		assertThat(credentials.hasPassword()).isFalse();
		assertThat(now(this.factory.createCredentialsProvider(mock(RedisConfiguration.class))).hasPassword()).isFalse();
	}

	@Test
	void areOthersForSentinels() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration();
		configuration.setPassword("secret");
		configuration.setSentinelUsername("watcher");
		configuration.setSentinelPassword(RedisPassword.of("other"));
		RedisCredentials credentials = now(this.factory.createSentinelCredentialsProvider(configuration));
		assertThat(credentials.getUsername()).isEqualTo("watcher");
		assertThat(credentials.getPassword()).containsExactly("other".toCharArray());
	}

}
