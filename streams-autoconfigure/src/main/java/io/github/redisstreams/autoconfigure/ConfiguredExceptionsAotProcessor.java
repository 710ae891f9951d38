package io.github.redisstreams.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redisstreams.autoconfigure.RedisStreamsProperties.ListenerProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;

/**
 * Keeps the exceptions that properties name, so that a native image finds them by their
 * names.
 */
class ConfiguredExceptionsAotProcessor implements BeanFactoryInitializationAotProcessor {

	@Override
	public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
			ConfigurableListableBeanFactory beanFactory) {
		if (beanFactory.getBeanNamesForType(RedisStreamsProperties.class, true, false).length == 0) {
			return null;
		}
		Environment environment = beanFactory.getBean(ConfigurableApplicationContext.ENVIRONMENT_BEAN_NAME,
				Environment.class);
		RedisStreamsProperties properties = Binder.get(environment)
			.bindOrCreate("redis.streams", RedisStreamsProperties.class);
		Set<Class<?>> exceptions = Stream
			.concat(Stream.of(properties.getListener()), properties.getListeners().values().stream())
			.flatMap(ConfiguredExceptionsAotProcessor::exceptions)
			.collect(Collectors.toSet());
		return exceptions.isEmpty() ? null : (generation, initialization) -> exceptions
			.forEach((type) -> generation.getRuntimeHints().reflection().registerType(type));
	}

	private static Stream<Class<?>> exceptions(ListenerProperties listener) {
		ListenerProperties.Retry retry = listener.getRetry();
		List<Class<?>> named = new ArrayList<>();
		addIfPresent(named, retry.getIncludes());
		addIfPresent(named, retry.getExcludes());
		return named.stream();
	}

	private static void addIfPresent(List<Class<?>> named,
			@Nullable Collection<Class<? extends Throwable>> exceptions) {
		if (exceptions != null) {
			named.addAll(exceptions);
		}
	}

}
