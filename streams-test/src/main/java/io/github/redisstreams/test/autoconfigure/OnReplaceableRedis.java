package io.github.redisstreams.test.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.github.redisstreams.test.autoconfigure.AutoConfigureEmbeddedRedis.Replace;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.BoundPropertiesTrackingBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/**
 * Matches unless a {@code spring.data.redis} property names a Redis for the test, or none
 * is to be replaced. What stands in a configuration file is not for the test alone.
 */
class OnReplaceableRedis extends SpringBootCondition {

	private static final List<String> ADDRESSES = List.of("spring.data.redis.url", "spring.data.redis.host",
			"spring.data.redis.port", "spring.data.redis.sentinel.nodes", "spring.data.redis.cluster.nodes",
			"spring.data.redis.masterreplica.nodes");

	private static final Bindable<List<String>> STRINGS = Bindable.listOf(String.class);

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("Replaceable Redis");
		Environment environment = context.getEnvironment();
		if (environment.getProperty("redis.streams.test.embedded-redis.replace", Replace.class,
				Replace.NON_TEST) == Replace.NONE) {
			return ConditionOutcome.noMatch(message.because("none is to be replaced"));
		}
		List<String> forTheTest = ADDRESSES.stream().filter((name) -> isForTheTest(environment, name)).toList();
		return forTheTest.isEmpty() ? ConditionOutcome.match(message.because("none is named for the test"))
				: ConditionOutcome.noMatch(message.found("address").items(forTheTest));
	}

	// As a list, so that nodes[0] counts as well as nodes
	private static boolean isForTheTest(Environment environment, String name) {
		List<ConfigurationProperty> properties = new ArrayList<>();
		List<String> values = Binder.get(environment, new BoundPropertiesTrackingBindHandler(properties::add))
			.bind(name, STRINGS)
			.orElse(List.of());
		return values.stream().anyMatch(StringUtils::hasText)
				&& properties.stream().anyMatch((property) -> !isInFile(property));
	}

	private static boolean isInFile(ConfigurationProperty property) {
		Origin origin = property.getOrigin();
		return ((origin instanceof PropertySourceOrigin source) ? source.getOrigin()
				: origin) instanceof TextResourceOrigin;
	}

}
