package io.github.redisstreams.annotation;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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
	 * Set the options that an annotation has.
	 */
	void apply(StreamListener annotation, String source, ListenerOptions.Builder options) {
		AnnotationUtils.getAnnotationAttributes(annotation).forEach((attribute, value) -> {
			if (value instanceof String text) {
				String resolved = resolve(attribute, text, source).trim();
				if (StringUtils.hasLength(resolved)) {
					try {
						set(options, attribute, resolved, source);
					}
					// Says what is wrong and how to mend it by itself
					catch (StreamsConfigurationException ex) {
						throw ex;
					}
					catch (RuntimeException ex) {
						throw invalid(attribute, text, source, ex);
					}
				}
			}
		});
		options.retry((retry) -> {
			if (annotation.retryIncludes().length > 0) {
				retry.includes(List.of(annotation.retryIncludes()));
			}
			if (annotation.retryExcludes().length > 0) {
				retry.excludes(List.of(annotation.retryExcludes()));
			}
		});
	}

	private void set(ListenerOptions.Builder options, String attribute, String value, String source) {
		switch (attribute) {
			case "id" -> {
				// No option
			}
			case "group" -> options.group(value);
			case "consumer" -> options.consumer(value);
			case "startFrom" -> options.startFrom(value);
			case "autoStartup" -> options.autoStartup(parseBoolean(value));
			case "concurrency" -> options.concurrency(Integer.parseInt(value));
			case "batchSize" -> options.batchSize(Integer.parseInt(value));
			case "pollTimeout" -> options.pollTimeout(parseDuration(value));
			case "minIdle" -> options.minIdle(parseDuration(value));
			case "claimInterval" -> options.claimInterval(parseDuration(value));
			case "maxDeliveries" -> options.maxDeliveries(Integer.parseInt(value));
			case "ackMode" -> options.ackMode(parseEnum(AckMode.class, value));
			case "onSuccess" -> options.onSuccess(parseEnum(OnSuccess.class, value));
			case "shutdownTimeout" -> options.shutdownTimeout(parseDuration(value));
			case "failureHandler" -> options.failureHandler(
					this.failureHandlers.named(value, "The attribute failureHandler of the annotation on " + source));
			case "deadLetterStream" -> options.deadLetter((deadLetter) -> deadLetter.stream(value));
			default -> throw new IllegalStateException("No option for the attribute " + attribute);
		}
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
