package io.github.redisstreams.annotation;

import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.listener.AckMode;
import io.github.redisstreams.listener.ListenerOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;

/**
 * Resolves <code>${}</code> and <code>#{}</code> in the attributes of an annotation and
 * converts them to option values.
 */
class AttributeResolver {

	private final ConfigurableBeanFactory beanFactory;

	AttributeResolver(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
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
		attributes.add("ackMode", annotation.ackMode(), AttributeResolver::parseAckMode,
				ListenerOptions.Builder::ackMode);
		attributes.add("shutdownTimeout", annotation.shutdownTimeout(), AttributeResolver::parseDuration,
				ListenerOptions.Builder::shutdownTimeout);
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

	private static AckMode parseAckMode(String value) {
		for (AckMode mode : AckMode.values()) {
			if (mode.name().replace('_', '-').equalsIgnoreCase(value.replace('_', '-'))) {
				return mode;
			}
		}
		throw new IllegalArgumentException("'" + value + "' is none of on-success, always and manual");
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
			catch (RuntimeException ex) {
				throw invalid(attribute, value, this.source, ex);
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
