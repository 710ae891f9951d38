package io.github.redisstreams.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connection factories as an application would have them, destroyed together.
 */
public final class LettuceFactories implements AutoCloseable {

	private final List<LettuceConnectionFactory> factories = new ArrayList<>();

	/**
	 * A factory with Spring Data's defaults.
	 */
	public LettuceConnectionFactory to(int port) {
		return to(port, (server) -> {
		}, (client) -> {
		});
	}

	/**
	 * A factory with what the application has configured.
	 */
	public LettuceConnectionFactory to(int port, Consumer<RedisStandaloneConfiguration> server,
			Consumer<LettuceClientConfigurationBuilder> client) {
		RedisStandaloneConfiguration serverConfiguration = new RedisStandaloneConfiguration("127.0.0.1", port);
		server.accept(serverConfiguration);
		return to(serverConfiguration, client);
	}

	/**
	 * A factory for servers of any arrangement.
	 */
	public LettuceConnectionFactory to(RedisConfiguration servers, Consumer<LettuceClientConfigurationBuilder> client) {
		LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
			.shutdownQuietPeriod(Duration.ZERO);
		client.accept(builder);
		// As an application would call it: the kind decides on the constructor
		LettuceConnectionFactory factory = (servers instanceof RedisStandaloneConfiguration standalone)
				? new LettuceConnectionFactory(standalone, builder.build())
				: new LettuceConnectionFactory(servers, builder.build());
		factory.afterPropertiesSet();
		factory.start();
		this.factories.add(factory);
		return factory;
	}

	@Override
	public void close() {
		this.factories.forEach(LettuceConnectionFactory::destroy);
		this.factories.clear();
	}

}
