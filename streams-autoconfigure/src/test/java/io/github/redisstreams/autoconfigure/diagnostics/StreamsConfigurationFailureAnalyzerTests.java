package io.github.redisstreams.autoconfigure.diagnostics;

import io.github.redisstreams.annotation.StreamListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

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
	static class Application {

		@StreamListener("events")
		void handle(String payload) {
		}

	}

}
