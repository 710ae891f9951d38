package io.github.redisstreams.annotation;

import java.util.Objects;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.test.RecordingContainerFactory;
import io.github.redisstreams.test.RecordingStreamTemplate;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Application contexts with listeners that are registered and not started.
 */
final class ListenerContexts {

	private ListenerContexts() {
	}

	/**
	 * Contexts with the given components, each under its class's name.
	 */
	static ApplicationContextRunner with(Class<?>... components) {
		ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(Infrastructure.class);
		return (components.length > 0) ? runner.withUserConfiguration(components) : runner;
	}

	static RecordingContainerFactory listeners(AssertableApplicationContext context) {
		assertThat(context).hasNotFailed();
		return context.getBean(RecordingContainerFactory.class);
	}

	/**
	 * The configuration error that ended the context's start.
	 */
	static StreamsConfigurationException failure(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		assertThat(context.getStartupFailure()).isInstanceOf(StreamsConfigurationException.class);
		return (StreamsConfigurationException) Objects.requireNonNull(context.getStartupFailure());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableStreamListeners
	static class Infrastructure {

		@Bean
		RecordingContainerFactory streamListenerContainerFactory() {
			return new RecordingContainerFactory();
		}

		@Bean
		RecordingStreamTemplate streamTemplate() {
			return new RecordingStreamTemplate();
		}

	}

}
