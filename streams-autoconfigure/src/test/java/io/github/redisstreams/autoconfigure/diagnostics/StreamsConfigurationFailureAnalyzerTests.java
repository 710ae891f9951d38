package io.github.redisstreams.autoconfigure.diagnostics;

import io.github.redisstreams.annotation.StreamListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a user reads when an application does not start.
 */
@ExtendWith(OutputCaptureExtension.class)
class StreamsConfigurationFailureAnalyzerTests {

	private static void startFails(Class<?> application, String... properties) {
		SpringApplication spring = new SpringApplication(application);
		spring.setWebApplicationType(WebApplicationType.NONE);
		String[] arguments = new String[properties.length];
		for (int i = 0; i < properties.length; i++) {
			arguments[i] = "--" + properties[i];
		}
		assertThatThrownBy(() -> spring.run(arguments)).isNotNull();
	}

	@Test
	void aJedisFactoryIsReported(CapturedOutput output) {
		startFails(Application.class, "spring.application.name=billing", "spring.data.redis.client-type=jedis");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Redis Streams listeners need a LettuceConnectionFactory, but the RedisConnectionFactory is a "
					+ "org.springframework.data.redis.connection.jedis.JedisConnectionFactory")
			.contains("Action:")
			.contains("Remove spring.data.redis.client-type or set it to lettuce");
	}

	@Test
	void aMissingConnectionFactoryIsReported(CapturedOutput output) {
		startFails(Application.class, "spring.application.name=billing",
				"spring.autoconfigure.exclude=" + DataRedisAutoConfiguration.class.getName() + ","
						+ DataRedisReactiveAutoConfiguration.class.getName());
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Redis Streams listeners need a RedisConnectionFactory, but there is none.")
			.contains("Set spring.data.redis.host or spring.data.redis.url")
			.contains("redis.streams.enabled=false");
	}

	@Test
	void severalConnectionFactoriesAreReported(CapturedOutput output) {
		startFails(SeveralFactories.class, "spring.application.name=billing");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Redis Streams listeners need one RedisConnectionFactory, but there are several: "
					+ "[first, second].")
			.contains("Mark one of them @Primary, or define a StreamCommands bean with the one to use.");
	}

	@Test
	void aMissingGroupIsReported(CapturedOutput output) {
		startFails(Application.class);
		assertThat(output)
			.contains("Listener 'events' (" + Application.class.getName() + ".handle(String)) has no group")
			.contains("Set redis.streams.listeners.events.group")
			.contains("spring.application.name");
	}

	@ParameterizedTest
	@CsvSource({ "min-idle,1s,at least as long as poll-timeout", "concurrency,0,1 or more", "batch-size,0,1 or more",
			"poll-timeout,0s,between 1ms and 1m", "start-from,somewhere,earliest", "claim-interval,0s,1ms or more",
			"shutdown-timeout,-1s,0 or more" })
	void anImpossibleOptionIsReportedWithItsProperty(String property, String value, String mend,
			CapturedOutput output) {
		startFails(Application.class, "spring.application.name=billing",
				"redis.streams.listener." + property + "=" + value);
		assertThat(output).contains("Listener 'events' (")
			.contains("redis.streams.listeners.events." + property)
			.contains("redis.streams.listener." + property)
			.contains(mend);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class SeveralFactories {

		@Bean
		LettuceConnectionFactory first() {
			return new LettuceConnectionFactory();
		}

		@Bean
		LettuceConnectionFactory second() {
			return new LettuceConnectionFactory();
		}

		@StreamListener("events")
		void handle(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@StreamListener("events")
		void handle(String payload) {
		}

	}

}
