package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.autoconfigure.RedisStreamsProperties.ListenerProperties;
import io.github.redisstreams.autoconfigure.RedisStreamsProperties.NamedListenerProperties;
import io.github.redisstreams.config.FailureHandlers;
import io.github.redisstreams.config.ListenerSettings;
import io.github.redisstreams.config.StreamListenerEndpoint;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.failure.Failure;
import io.github.redisstreams.listener.failure.FailureHandler;
import io.github.redisstreams.listener.failure.Outcome;
import io.github.redisstreams.support.ConsumerNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.util.StringUtils;

/**
 * {@link ListenerSettings} from the {@code redis.streams} properties, and from the
 * {@link FailureHandler} beans that they name.
 */
class PropertiesListenerSettings implements ListenerSettings {

	private static final Log logger = LogFactory.getLog(PropertiesListenerSettings.class);

	private static final String DEFAULTS = "redis.streams.listener.";

	private final RedisStreamsProperties properties;

	private final @Nullable String applicationName;

	private final Duration shutdownPhase;

	private final FailureHandlers failureHandlers;

	/**
	 * Create new settings.
	 * @param properties the properties
	 * @param applicationName the default group
	 * @param shutdownPhase how long Spring waits for a phase of the shutdown
	 * @param failureHandlers the beans that properties may name
	 */
	PropertiesListenerSettings(RedisStreamsProperties properties, @Nullable String applicationName,
			Duration shutdownPhase, FailureHandlers failureHandlers) {
		this.properties = properties;
		this.applicationName = applicationName;
		this.shutdownPhase = shutdownPhase;
		this.failureHandlers = failureHandlers;
	}

	@Override
	public void applyDefaults(ListenerOptions.Builder options) {
		String consumer = this.properties.getConsumer();
		options.consumer((consumer != null) ? consumer : ConsumerNames.ofHost());
		PropertyMapper.get().from(this.applicationName).to(options::group);
		ListenerProperties defaults = this.properties.getListener();
		if (!StringUtils.hasText(defaults.getFailureHandler())) {
			PropertyMapper.get().from(this::defaultFailureHandler).to(options::failureHandler);
		}
		apply((option) -> DEFAULTS + option, defaults, options);
	}

	// Where there are several, each listener may name one, so it is too early to refuse
	private @Nullable FailureHandler defaultFailureHandler() {
		try {
			return this.failureHandlers.byDefault();
		}
		catch (NoUniqueBeanDefinitionException ex) {
			return new OneOfSeveral(Objects.requireNonNullElse(ex.getBeanNamesFound(), List.of()));
		}
	}

	@Override
	public void applyOverrides(String nameOrId, ListenerOptions.Builder options) {
		NamedListenerProperties named = this.properties.getListeners().get(nameOrId);
		if (named != null) {
			PropertyMapper map = PropertyMapper.get();
			map.from(named.getStream()).to(options::stream);
			map.from(named.getConsumer()).to(options::consumer);
			apply((option) -> StreamListenerEndpoint.property(nameOrId, option), named, options);
		}
	}

	@Override
	public void check(StreamListenerEndpoint endpoint, ListenerOptions options) {
		if (options.failureHandler() instanceof OneOfSeveral several) {
			throw new StreamsConfigurationException(
					"Listener '" + endpoint.id() + "' (" + endpoint.source()
							+ ") names no failure-handler, and there are several FailureHandler beans: "
							+ String.join(", ", several.names()),
					"Mark one of them @Primary, or name one with " + endpoint.property("failure-handler") + ", "
							+ DEFAULTS + "failure-handler or the annotation's attribute failureHandler.");
		}
		if (options.shutdownTimeout().compareTo(this.shutdownPhase) > 0) {
			logger.warn("Listener '" + endpoint.id() + "' has a shutdown-timeout of "
					+ options.shutdownTimeout().toMillis() + " ms, which is longer than the "
					+ this.shutdownPhase.toMillis() + " ms of spring.lifecycle.timeout-per-shutdown-phase and is not "
					+ "cut short by it. Set that to more, or " + endpoint.property("shutdown-timeout") + " to less");
		}
	}

	@Override
	public String streamKey(String name) {
		NamedListenerProperties named = this.properties.getListeners().get(name);
		String stream = (named != null) ? named.getStream() : null;
		return (stream != null) ? stream : name;
	}

	@Override
	public String deadLetterStream(String name) {
		return Stream.of(this.properties.getListeners().get(name), this.properties.getListener())
			.filter(Objects::nonNull)
			.map((listener) -> listener.getDeadLetter().getStream())
			.filter(Objects::nonNull)
			.findFirst()
			.filter(StringUtils::hasLength)
			.orElseGet(() -> ListenerSettings.super.deadLetterStream(name));
	}

	private void apply(UnaryOperator<String> property, ListenerProperties listener, ListenerOptions.Builder options) {
		PropertyMapper map = PropertyMapper.get();
		map.from(listener.getGroup()).to(options::group);
		map.from(listener.getStartFrom()).to(options::startFrom);
		map.from(listener.getAutoStartup()).to(options::autoStartup);
		map.from(listener.getConcurrency()).to(options::concurrency);
		map.from(listener.getBatchSize()).to(options::batchSize);
		map.from(listener.getPollTimeout()).to(options::pollTimeout);
		map.from(listener.getMinIdle()).to(options::minIdle);
		map.from(listener.getClaimInterval()).to(options::claimInterval);
		map.from(listener.getMaxDeliveries()).to(options::maxDeliveries);
		map.from(listener.getAckMode()).to(options::ackMode);
		map.from(listener.getOnSuccess()).to(options::onSuccess);
		map.from(listener.getShutdownTimeout()).to(options::shutdownTimeout);
		map.from(listener.getConsumerExpiry()).to(options::consumerExpiry);
		map.from(listener.getIdleEventInterval()).to(options::idleEventInterval);
		options.retry((retry) -> {
			ListenerProperties.Retry set = listener.getRetry();
			map.from(set.getInitialInterval()).to(retry::initialInterval);
			map.from(set.getMultiplier()).to(retry::multiplier);
			map.from(set.getMaxInterval()).to(retry::maxInterval);
			map.from(set.getJitter()).to(retry::jitter);
			map.from(set.getIncludes())
				.to((types) -> retry.includes(exceptions(types, property.apply("retry.includes"))));
			map.from(set.getExcludes())
				.to((types) -> retry.excludes(exceptions(types, property.apply("retry.excludes"))));
		});
		options.deadLetter((deadLetter) -> {
			ListenerProperties.DeadLetter set = listener.getDeadLetter();
			map.from(set.getEnabled()).to(deadLetter::enabled);
			map.from(set.getStream()).to(deadLetter::stream);
			map.from(set.getMaxLength()).to(deadLetter::maxLength);
			map.from(set.getStackTrace()).to(deadLetter::stackTrace);
		});
		options.circuit((circuit) -> {
			ListenerProperties.Circuit set = listener.getCircuit();
			map.from(set.getEnabled()).to(circuit::enabled);
			map.from(set.getWindow()).to(circuit::window);
			map.from(set.getMinimumFailures()).to(circuit::minimumFailures);
			map.from(set.getFailureRate()).to(circuit::failureRate);
			map.from(set.getInitialPause()).to(circuit::initialPause);
			map.from(set.getMaxPause()).to(circuit::maxPause);
		});
		map.from(listener.getFailureHandler())
			.whenHasText()
			.as((name) -> this.failureHandlers.named(name, "The property " + property.apply("failure-handler")))
			.to(options::failureHandler);
	}

	// Binding takes any class, whatever the type of the property says
	private static List<Class<? extends Throwable>> exceptions(List<Class<? extends Throwable>> types,
			String property) {
		for (Class<?> type : types) {
			if (!Throwable.class.isAssignableFrom(type)) {
				throw new StreamsConfigurationException(
						"The property " + property + " names " + type.getName() + ", which is no exception",
						"Name classes of exceptions.");
			}
		}
		return types;
	}

	/**
	 * Stands for a choice that is still to be made.
	 *
	 * @param names the beans to choose from
	 */
	private record OneOfSeveral(Collection<String> names) implements FailureHandler {

		@Override
		public Outcome handle(Failure failure) {
			return failure.defaultOutcome();
		}

	}

}
