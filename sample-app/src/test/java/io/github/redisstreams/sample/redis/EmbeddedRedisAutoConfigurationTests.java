package io.github.redisstreams.sample.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;

import io.github.redisstreams.StreamsConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.embedded.RedisExecProvider;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class EmbeddedRedisAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(EmbeddedRedisAutoConfiguration.class, DataRedisAutoConfiguration.class));

	@Test
	void startsRedisWithoutPersistenceWhereNoneIsConfigured() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(DataRedisConnectionDetails.class);
			try (RedisConnection connection = context.getBean(RedisConnectionFactory.class).getConnection()) {
				assertThat(connection.serverCommands().info("server")).containsEntry("redis_version", "7.0.15");
				assertThat(connection.serverCommands().getConfig("save")).containsEntry("save", "");
				assertThat(connection.serverCommands().getConfig("appendonly")).containsEntry("appendonly", "no");
			}
		});
	}

	@Test
	void letsNoOtherMachineIn() {
		this.runner.run((context) -> {
			int port = context.getBean(EmbeddedRedis.class).getStandalone().getPort();
			for (InetAddress address : NetworkInterface.networkInterfaces()
				.flatMap(NetworkInterface::inetAddresses)
				.filter((address) -> !address.isLoopbackAddress())
				.toList()) {
				assertThatExceptionOfType(IOException.class).as("connect to %s", address)
					.isThrownBy(() -> new Socket(address, port).close());
			}
		});
	}

	@Test
	void endsTheServerWithTheContext() {
		CompletableFuture<ProcessHandle> server = new CompletableFuture<>();
		this.runner.run((context) -> {
			server.complete(context.getBean(EmbeddedRedis.class).server());
			assertThat(server.join().isAlive()).isTrue();
		});
		await().until(() -> !server.join().isAlive());
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.data.redis.host=redis.example.com", "spring.data.redis.port=6379",
			"spring.data.redis.url=redis://redis.example.com:6379", "spring.data.redis.cluster.nodes=one:6379,two:6379",
			"spring.data.redis.cluster.nodes[0]=one:6379", "spring.data.redis.masterreplica.nodes=one:6379,two:6379" })
	void startsNothingWhereAnAddressIsConfigured(String property) {
		this.runner.withPropertyValues(property).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(DataRedisConnectionDetails.class);
			assertThat(context).doesNotHaveBean(EmbeddedRedis.class);
		});
	}

	@Test
	void startsNothingWhereSentinelsAreConfigured() {
		this.runner
			.withPropertyValues("spring.data.redis.sentinel.master=main", "spring.data.redis.sentinel.nodes=one:26379")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedRedis.class));
	}

	@Test
	void startsNothingWhereABeanSaysWhereRedisIs() {
		this.runner.withUserConfiguration(OwnConnectionDetails.class)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedRedis.class));
	}

	@Test
	void startsNothingWhereTheApplicationHasAConnectionFactory() {
		this.runner.withUserConfiguration(OwnConnectionFactory.class)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedRedis.class));
	}

	@Test
	void startsRedisWhereTheHostIsLeftEmpty() {
		this.runner.withPropertyValues("spring.data.redis.host=")
			.run((context) -> assertThat(context).hasSingleBean(EmbeddedRedis.class));
	}

	@Test
	void saysThatAnAddressComesTooLateWhereItWasProcessedAheadOfTime() {
		MockEnvironment environment = new MockEnvironment().withProperty("spring.data.redis.host", "redis.example.com");
		assertThatExceptionOfType(StreamsConfigurationException.class)
			.isThrownBy(() -> new EmbeddedRedisAutoConfiguration().embeddedRedis(environment))
			.withMessageContaining("[spring.data.redis.host]");
	}

	@Test
	void hasTheServersInANativeImage() throws IOException {
		RuntimeHints hints = new RuntimeHints();
		new EmbeddedRedisAutoConfiguration.ServerHints().registerHints(hints, null);
		String server = RedisExecProvider.defaultProvider().get().getName();
		assertThat(RuntimeHintsPredicates.resource().forResource(server)).accepts(hints);
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnConnectionDetails {

		@Bean
		DataRedisConnectionDetails ownConnectionDetails() {
			return new DataRedisConnectionDetails() {

				@Override
				public Standalone getStandalone() {
					return Standalone.of("redis.example.com", 6379);
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnConnectionFactory {

		@Bean
		LettuceConnectionFactory ownConnectionFactory() {
			return new LettuceConnectionFactory("redis.example.com", 6379);
		}

	}

}
