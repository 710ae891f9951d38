package io.github.redisstreams.test.autoconfigure;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.test.EmbeddedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import redis.embedded.RedisExecProvider;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedRedisAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(EmbeddedRedisAutoConfiguration.class, DataRedisAutoConfiguration.class));

	@Test
	void startsRedisWhereNoneIsNamed() {
		this.runner.run((context) -> {
			StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
			redis.opsForValue().set("key", "value");
			assertThat(redis.opsForValue().get("key")).isEqualTo("value");
		});
	}

	@Test
	void replacesTheRedisOfTheConfigurationFiles() {
		this.runner.withInitializer(new ConfigDataApplicationContextInitializer()).run((context) -> {
			assertThat(context.getEnvironment().getProperty("spring.data.redis.host")).isEqualTo("redis.invalid");
			assertThat(context.getBean(StringRedisTemplate.class).hasKey("key")).isFalse();
		});
	}

	@Test
	void usesNoTlsThoughTheConfigurationFilesDo() {
		this.runner.withInitializer(new ConfigDataApplicationContextInitializer())
			.withPropertyValues("spring.config.import=classpath:tls.properties")
			.run((context) -> {
				assertThat(context.getEnvironment().getProperty("spring.data.redis.url")).startsWith("rediss:");
				assertThat(context.getBean(StringRedisTemplate.class).hasKey("key")).isFalse();
			});
	}

	@Test
	void replacesNoneWhereTheTestSaysSo() {
		this.runner.withInitializer(new ConfigDataApplicationContextInitializer())
			.withPropertyValues("redis.streams.test.embedded-redis.replace=NONE")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedRedis.class));
	}

	@Test
	void endsTheServerWithTheContext() {
		CompletableFuture<EmbeddedRedis> redis = new CompletableFuture<>();
		this.runner.run((context) -> redis.complete(context.getBean(EmbeddedRedis.class)));
		assertThat(redis.join().isRunning()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.data.redis.host=redis.example.com", "spring.data.redis.port=6379",
			"spring.data.redis.url=redis://redis.example.com:6379", "spring.data.redis.cluster.nodes=one:6379,two:6379",
			"spring.data.redis.cluster.nodes[0]=one:6379", "spring.data.redis.masterreplica.nodes=one:6379,two:6379" })
	void startsNothingWhereAPropertyOfTheTestNamesARedis(String property) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedRedis.class));
	}

	@Test
	void startsNothingWhereAPropertyOfTheJvmNamesARedis() {
		this.runner.withInitializer(new ConfigDataApplicationContextInitializer())
			.withSystemProperties("spring.data.redis.port=6379")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedRedis.class));
	}

	@Test
	void startsNothingWhereAServiceConnectionSaysWhereRedisIs() {
		this.runner.withBean(DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of("redis.example.com", 6379);
			}

		}).run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedRedis.class));
	}

	@Test
	void startsNothingWhereTheApplicationHasAConnectionFactory() {
		this.runner
			.withBean(RedisConnectionFactory.class, () -> new LettuceConnectionFactory("redis.example.com", 6379))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedRedis.class));
	}

	@Test
	void startsTheServerThatAPropertyNames() throws Exception {
		Path server = RedisExecProvider.defaultProvider().get().toPath();
		this.runner.withClassLoader(new FilteredClassLoader("redis.embedded"))
			.withPropertyValues("redis.streams.test.embedded-redis.executable=" + server)
			.run((context) -> assertThat(context.getBean(EmbeddedRedis.class).isRunning()).isTrue());
	}

	@Test
	void saysWhatToDoWhereThereIsNoServer() {
		this.runner.withClassLoader(new FilteredClassLoader("redis.embedded"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(StreamsConfigurationException.class, (ex) -> assertThat(ex.getAction())
					.contains("org.signal:embedded-redis", "@ServiceConnection")));
	}

}
