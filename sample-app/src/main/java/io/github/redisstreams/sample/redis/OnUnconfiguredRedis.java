package io.github.redisstreams.sample.redis;

import java.util.List;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.StringUtils;

/**
 * Matches where no {@code spring.data.redis} property says where Redis is.
 */
class OnUnconfiguredRedis extends SpringBootCondition {

	private static final List<String> ADDRESSES = List.of("spring.data.redis.url", "spring.data.redis.host",
			"spring.data.redis.port", "spring.data.redis.sentinel.nodes", "spring.data.redis.cluster.nodes",
			"spring.data.redis.masterreplica.nodes");

	private static final Bindable<List<String>> STRINGS = Bindable.listOf(String.class);

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		List<String> configured = configuredIn(context.getEnvironment());
		ConditionMessage.Builder message = ConditionMessage.forCondition("Unconfigured Redis");
		return configured.isEmpty() ? ConditionOutcome.match(message.didNotFind("address").items(ADDRESSES))
				: ConditionOutcome.noMatch(message.found("address").items(configured));
	}

	/**
	 * The properties that say where Redis is.
	 */
	static List<String> configuredIn(Environment environment) {
		Binder binder = Binder.get(environment);
		return ADDRESSES.stream().filter((name) -> isSet(binder, name)).toList();
	}

	// As a list, so that nodes[0] counts as well as nodes
	private static boolean isSet(Binder binder, String name) {
		return binder.bind(name, STRINGS).orElse(List.of()).stream().anyMatch(StringUtils::hasText);
	}

}
