package io.github.redisstreams.annotation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.config.FailureHandlers;
import io.github.redisstreams.listener.AckMode;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.OnSuccess;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.annotation.AnnotationUtils;
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
		List<Consumer<ListenerOptions.Builder>> options = new ArrayList<>();
		AnnotationUtils.getAnnotationAttributes(annotation).forEach((attribute, value) -> {
			if (value instanceof String text && !attribute.equals("id")) {
				String resolved = resolve(attribute, text, source).trim();
				if (StringUtils.hasLength(resolved)) {
					options.add(option(attribute, text, resolved, source));
				}
			}
		});
		List<Class<? extends Throwable>> includes = List.of(annotation.retryIncludes());
		if (!includes.isEmpty()) {
			options.add((builder) -> builder.retry((retry) -> retry.includes(includes)));
		}
		List<Class<? extends Throwable>> excludes = List.of(annotation.retryExcludes());
		if (!excludes.isEmpty()) {
			options.add((builder) -> builder.retry((retry) -> retry.excludes(excludes)));
		}
		return (builder) -> options.forEach((option) -> option.accept(builder));
	}

	private Consumer<ListenerOptions.Builder> option(String attribute, String text, String value, String source) {
		try {
			return switch (attribute) {
				case "group" -> with(value, ListenerOptions.Builder::group);
				case "consumer" -> with(value, ListenerOptions.Builder::consumer);
				case "startFrom" -> with(value, ListenerOptions.Builder::startFrom);
				case "autoStartup" -> with(parseBoolean(value), ListenerOptions.Builder::autoStartup);
				case "concurrency" -> with(Integer.valueOf(value), ListenerOptions.Builder::concurrency);
				case "batchSize" -> with(Integer.valueOf(value), ListenerOptions.Builder::batchSize);
				case "pollTimeout" -> with(parseDuration(value), ListenerOptions.Builder::pollTimeout);
				case "minIdle" -> with(parseDuration(value), ListenerOptions.Builder::minIdle);
				case "claimInterval" -> with(parseDuration(value), ListenerOptions.Builder::claimInterval);
				case "maxDeliveries" -> with(Integer.valueOf(value), ListenerOptions.Builder::maxDeliveries);
				case "ackMode" -> with(parseEnum(AckMode.class, value), ListenerOptions.Builder::ackMode);
				case "onSuccess" -> with(parseEnum(OnSuccess.class, value), ListenerOptions.Builder::onSuccess);
				case "shutdownTimeout" -> with(parseDuration(value), ListenerOptions.Builder::shutdownTimeout);
				case "failureHandler" -> with(
						this.failureHandlers.named(value,
								"The attribute failureHandler of the annotation on " + source),
						ListenerOptions.Builder::failureHandler);
				case "deadLetterStream" ->
					with(value, (options, stream) -> options.deadLetter((deadLetter) -> deadLetter.stream(stream)));
				default -> throw new IllegalStateException("There is no such option");
			};
		}
		// Says what is wrong and how to mend it by itself
		catch (StreamsConfigurationException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw invalid(attribute, text, source, ex);
		}
	}

	private static <T> Consumer<ListenerOptions.Builder> with(T value,
			BiFunction<ListenerOptions.Builder, T, ListenerOptions.Builder> setter) {
		return (options) -> setter.apply(options, value);
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

	private static boolean parseBoolean(String value) {
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

}
