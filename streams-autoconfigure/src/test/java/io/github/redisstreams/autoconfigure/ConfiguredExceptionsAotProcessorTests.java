package io.github.redisstreams.autoconfigure;

import java.io.UncheckedIOException;
import java.net.SocketException;
import java.util.concurrent.CancellationException;

import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

class ConfiguredExceptionsAotProcessorTests {

	private static RuntimeHints process(String... properties) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		TestPropertyValues.of(properties).applyTo(context);
		context.register(Configurations
			.getClasses(AutoConfigurations.of(RedisStreamsAutoConfiguration.class, DataRedisAutoConfiguration.class)));
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get("io.github.redisstreams.autoconfigure", "Hints")),
				new InMemoryGeneratedFiles());
		new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		return generation.getRuntimeHints();
	}

	@Test
	void keepsTheExceptionsThatPropertiesName() {
		RuntimeHints hints = process("redis.streams.listener.retry.includes=java.io.UncheckedIOException",
				"redis.streams.listener.retry.excludes=java.util.concurrent.CancellationException",
				"redis.streams.listeners.events.retry.excludes=java.net.SocketException");
		assertThat(reflection().onType(UncheckedIOException.class)).accepts(hints);
		assertThat(reflection().onType(CancellationException.class)).accepts(hints);
		assertThat(reflection().onType(SocketException.class)).accepts(hints);
	}

	@Test
	void keepsNoneWhereNoneAreNamed() {
		assertThat(reflection().onType(UncheckedIOException.class)).rejects(process());
	}

	@Test
	void processesApplicationsWhereListenersAreOff() {
		assertThat(reflection().onType(UncheckedIOException.class)).rejects(process("redis.streams.enabled=false",
				"redis.streams.listener.retry.includes=java.io.UncheckedIOException"));
	}

}
