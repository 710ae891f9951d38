package io.github.redisstreams.annotation;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.config.FailureHandlers;
import io.github.redisstreams.listener.AckMode;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.OnSuccess;
import io.github.redisstreams.listener.failure.RetryOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;

/**
 * Resolves <code>${}</code> and <code>#{}</code> in the attributes of an annotation and
 * converts them to option values.
 */
class AttributeResolver {

	private final ConfigurableBeanFactory beanFactory;

	private final FailureHandlers failureHandlers;

	AttributeResolver(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.failureHandlers = new FailureHandlers(beanFactory);
	}

	/**
	 * The options that an annotation sets, to be applied to a builder. All attributes are
	 * resolved here and now.
	 */
	Consumer<ListenerOptions.Builder> options(StreamListener annotation, String source) {
		Attributes attributes = new Attributes(source);
		attributes.add("group", annotation.group(), Function.identity(), ListenerOptions.Builder::group);
		attributes.add("consumer", annotation.consumer(), Function.identity(), ListenerOptions.Builder::consumer);
		attributes.add("startFrom", annotation.startFrom(), Function.identity(), ListenerOptions.Builder::startFrom);
		attributes.add("autoStartup", annotation.autoStartup(), AttributeResolver::parseBoolean,
				ListenerOptions.Builder::autoStartup);
		attributes.add("concurrency", annotation.concurrency(), Integer::valueOf, ListenerOptions.Builder::concurrency);
		attributes.add("batchSize", annotation.batchSize(), Integer::valueOf, ListenerOptions.Builder::batchSize);
		attributes.add("pollTimeout", annotation.pollTimeout(), AttributeResolver::parseDuration,
				ListenerOptions.Builder::pollTimeout);
		attributes.add("minIdle", annotation.minIdle(), AttributeResolver::parseDuration,
				ListenerOptions.Builder::minIdle);
		attributes.add("claimInterval", annotation.claimInterval(), AttributeResolver::parseDuration,
				ListenerOptions.Builder::claimInterval);
		attributes.add("maxDeliveries", annotation.maxDeliveries(), Integer::valueOf,
				ListenerOptions.Builder::maxDeliveries);
		attributes.add("ackMode", annotation.ackMode(), (text) -> parseEnum(AckMode.class, text),
				ListenerOptions.Builder::ackMode);
		attributes.add("onSuccess", annotation.onSuccess(), (text) -> parseEnum(OnSuccess.class, text),
				ListenerOptions.Builder::onSuccess);
		attributes.add("shutdownTimeout", annotation.shutdownTimeout(), AttributeResolver::parseDuration,
				ListenerOptions.Builder::shutdownTimeout);
		attributes.add("failureHandler", annotation.failureHandler(),
				(name) -> this.failureHandlers.named(name,
						"The attribute failureHandler of the annotation on " + source),
				ListenerOptions.Builder::failureHandler);
		attributes.add("deadLetterStream", annotation.deadLetterStream(), Function.identity(),
				(options, stream) -> options.deadLetter((deadLetter) -> deadLetter.stream(stream)));
		attributes.add(annotation.retryIncludes(), RetryOptions.Builder::includes);
		attributes.add(annotation.retryExcludes(), RetryOptions.Builder::excludes);
		return attributes.applied;
	}

	/**
	 * Resolve one attribute.
	 */
	String resolve(String attribute, String value, String source) {
		try {
			String resolved = resolvePlaceholders(value);
			BeanExpressionResolver expressions = this.beanFactory.getBeanExpressionResolver();
			Object result = (expressions != null && resolved != null)
					? expressions.evaluate(resolved, new BeanExpressionContext(this.beanFactory, null)) : resolved;
			return (result != null) ? result.toString() : "";
		}
		catch (RuntimeException ex) {
			throw invalid(attribute, value, source, ex);
		}
	}

	// Without a placeholder configurer, Spring leaves what it cannot resolve as it is
	private @Nullable String resolvePlaceholders(String value) {
		String resolved = this.beanFactory.resolveEmbeddedValue(value);
		if (resolved != null && resolved.contains("${")) {
			throw new IllegalArgumentException("Could not resolve the placeholder in '" + resolved + "'");
		}
		return resolved;
	}

	private static StreamsConfigurationException invalid(String attribute, String value, String source,
			RuntimeException cause) {
		return new StreamsConfigurationException(
				"The attribute " + attribute + " = \"" + value + "\" of the annotation on " + source
						+ " cannot be understood: " + NestedExceptionUtils.getMostSpecificCause(cause).getMessage(),
				"Correct the attribute, or set the property that it refers to.", cause);
	}

	private static Boolean parseBoolean(String value) {
		return switch (value.toLowerCase(Locale.ROOT)) {
			case "true" -> true;
			case "false" -> false;
			default -> throw new IllegalArgumentException("'" + value + "' is neither true nor false");
		};
	}

	private static Duration parseDuration(String value) {
		return DurationFormatterUtils.detectAndParse(value);
	}

	private static <E extends Enum<E>> E parseEnum(Class<E> type, String value) {
		for (E constant : type.getEnumConstants()) {
			if (kebab(constant).equalsIgnoreCase(value.replace('_', '-'))) {
				return constant;
			}
		}
		throw new IllegalArgumentException("'" + value + "' is none of "
				+ Arrays.stream(type.getEnumConstants())
					.map(AttributeResolver::kebab)
					.collect(Collectors.joining(", ")));
	}

	private static String kebab(Enum<?> constant) {
		return constant.name().replace('_', '-').toLowerCase(Locale.ROOT);
	}

	/**
	 * Collects the attributes that are set.
	 */
	private final class Attributes {

		private final String source;

		private Consumer<ListenerOptions.Builder> applied = (options) -> {
		};

		Attributes(String source) {
			this.source = source;
		}

		<T> void add(String attribute, String value, Function<String, T> parser, Setter<T> setter) {
			String resolved = resolve(attribute, value, this.source).trim();
			if (!StringUtils.hasLength(resolved)) {
				return;
			}
			try {
				T parsed = parser.apply(resolved);
				this.applied = this.applied.andThen((options) -> setter.set(options, parsed));
			}
			// Says what is wrong and how to mend it by itself
			catch (StreamsConfigurationException ex) {
				throw ex;
			}
			catch (RuntimeException ex) {
				throw invalid(attribute, value, this.source, ex);
			}
		}

		void add(Class<? extends Throwable>[] types,
				BiConsumer<RetryOptions.Builder, List<Class<? extends Throwable>>> setter) {
			if (types.length > 0) {
				this.applied = this.applied
					.andThen((options) -> options.retry((retry) -> setter.accept(retry, List.of(types))));
			}
		}

	}

	/**
	 * Sets one option.
	 *
	 * @param <T> the option's type
	 */
	private interface Setter<T> {

		ListenerOptions.Builder set(ListenerOptions.Builder options, T value);

	}

}
