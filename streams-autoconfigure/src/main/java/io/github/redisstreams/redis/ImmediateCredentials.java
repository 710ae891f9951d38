package io.github.redisstreams.redis;

import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.StaticCredentialsProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.util.StringUtils;

/**
 * The configured user and password, for Lettuce to take at once. It asks any other
 * provider on another thread, also the one that it makes of a user and password by
 * itself, and then may hand out a connection a moment before that takes commands, or say
 * that the connection was closed rather than that the log-in was refused.
 */
final class ImmediateCredentials implements RedisCredentialsProviderFactory {

	private static final RedisCredentialsProvider NONE = new StaticCredentialsProvider(null, null);

	@Override
	public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
		if (!(configuration instanceof RedisConfiguration.WithAuthentication authentication)) {
			return NONE;
		}
		String username = authentication.getUsername();
		RedisPassword password = authentication.getPassword();
		// Spring Data has a user log in without a password, too, other than with
		// sentinels
		boolean withoutPassword = StringUtils.hasText(username) && !password.isPresent()
				&& !(configuration instanceof RedisConfiguration.SentinelConfiguration);
		return withoutPassword ? new StaticCredentialsProvider(username, new char[0]) : provider(username, password);
	}

	@Override
	public RedisCredentialsProvider createSentinelCredentialsProvider(RedisSentinelConfiguration configuration) {
		return provider(configuration.getSentinelUsername(), configuration.getSentinelPassword());
	}

	private static RedisCredentialsProvider provider(@Nullable String username, RedisPassword password) {
		return password.isPresent()
				? new StaticCredentialsProvider(StringUtils.hasText(username) ? username : null, password.get()) : NONE;
	}

}
