package io.github.redisstreams.autoconfigure.diagnostics;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.listener.failure.Failure;
import io.github.redisstreams.listener.failure.FailureHandler;
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
			"shutdown-timeout,-1s,0 or more", "max-deliveries,0,1 or more", "consumer-expiry,-1s,0 (for never) or more",
			"idle-event-interval,-1s,0 (for never) or more", "retry.multiplier,0.5,1 or more",
			"retry.jitter,2,a number from 0 to 1", "retry.max-interval,1ms,at least as long as retry.initial-interval",
			"dead-letter.max-length,0,1 or more", "dead-letter.stream,events,another key",
			"circuit.failure-rate,0,above 0", "circuit.max-pause,1ms,at least as long as circuit.initial-pause" })
	void anImpossibleOptionIsReportedWithItsProperty(String property, String value, String mend,
			CapturedOutput output) {
		startFails(Application.class, "spring.application.name=billing",
				"redis.streams.listener." + property + "=" + value);
		assertThat(output).contains("Listener 'events' (")
			.contains("redis.streams.listeners.events." + property)
			.contains("redis.streams.listener." + property)
			.contains(mend);
	}

	@Test
	void severalFailureHandlersAreReported(CapturedOutput output) {
		startFails(SeveralFailureHandlers.class, "spring.application.name=billing");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("names no failure-handler, and there are several FailureHandler beans: first, second.")
			.contains("Mark one of them @Primary, or name one with redis.streams.listeners.events.failure-handler, ");
	}

	@Test
	void aFailureHandlerThatDoesNotExistIsReported(CapturedOutput output) {
		startFails(SeveralFailureHandlers.class, "spring.application.name=billing",
				"redis.streams.listener.failure-handler=third");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("The property redis.streams.listener.failure-handler names the bean 'third', which does not "
					+ "exist.")
			.contains("Name one of the FailureHandler beans: first, second.");
	}

	@Test
	void aDeadLetterStreamInAnotherSlotIsReported(CapturedOutput output) {
		startFails(Application.class, "spring.application.name=billing", "spring.data.redis.cluster.nodes=localhost:1",
				"redis.streams.listener.dead-letter.stream=dead");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("cannot work with the dead-letter.stream 'dead', which is not in the same slot of the cluster")
			.contains("a key with the stream's hash tag, such as '{events}:dlq', which is the default.");
	}

	@Test
	void anExceptionThatDoesNotExistIsReported(CapturedOutput output) {
		startFails(Application.class, "spring.application.name=billing",
				"redis.streams.listener.retry.includes=com.example.Misspelt");
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("redis.streams.listener.retry.includes")
			.contains("com.example.Misspelt");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class SeveralFailureHandlers {

		@Bean
		FailureHandler first() {
			return Failure::defaultOutcome;
		}

		@Bean
		FailureHandler second() {
			return Failure::defaultOutcome;
		}

		@StreamListener("events")
		void handle(String payload) {
		}

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
