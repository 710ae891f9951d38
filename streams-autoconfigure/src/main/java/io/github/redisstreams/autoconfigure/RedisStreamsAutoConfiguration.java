package io.github.redisstreams.autoconfigure;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.annotation.EnableStreamListeners;
import io.github.redisstreams.config.FailureHandlers;
import io.github.redisstreams.config.ListenerSettings;
import io.github.redisstreams.config.StreamContainerCustomizer;
import io.github.redisstreams.config.StreamListenerContainerFactory;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetterStreams;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.deadletter.RedisDeadLetters;
import io.github.redisstreams.event.ListenerEventPublisher;
import io.github.redisstreams.listener.ContainerEvents;
import io.github.redisstreams.listener.ContainerObservers;
import io.github.redisstreams.listener.HandlerObserver;
import io.github.redisstreams.listener.StreamListenerContainer;
import io.github.redisstreams.publish.DefaultStreamTemplate;
import io.github.redisstreams.publish.DelayedPromoter;
import io.github.redisstreams.publish.PublishEvents;
import io.github.redisstreams.publish.PublisherSettings;
import io.github.redisstreams.publish.RedisStreamTasks;
import io.github.redisstreams.publish.SendObserver;
import io.github.redisstreams.publish.StreamTasks;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.EntryMessageConverter;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration for listeners and publisher of Redis Streams. What an application
 * that only listens does not use is created when somebody asks for it.
 */
@AutoConfiguration(after = { DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class },
		afterName = "org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration")
@ConditionalOnClass(value = RedisConnectionFactory.class, name = "io.lettuce.core.RedisClient")
@ConditionalOnBooleanProperty(name = "redis.streams.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RedisStreamsProperties.class)
public final class RedisStreamsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(StreamCommands.class)
	LettuceStreamCommands streamCommands(ObjectProvider<RedisConnectionFactory> connectionFactories) {
		return new LettuceStreamCommands(requireOne(connectionFactories));
	}

	private static RedisConnectionFactory requireOne(ObjectProvider<RedisConnectionFactory> connectionFactories) {
		try {
			RedisConnectionFactory connectionFactory = connectionFactories.getIfAvailable();
			if (connectionFactory != null) {
				return connectionFactory;
			}
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw new StreamsConfigurationException(
					"Redis Streams listeners need one RedisConnectionFactory, but there are several: "
							+ ex.getBeanNamesFound(),
					"Mark one of them @Primary, or define a StreamCommands bean with the one to use.", ex);
		}
		throw new StreamsConfigurationException(
				"Redis Streams listeners need a RedisConnectionFactory, but there is none",
				"Set spring.data.redis.host or spring.data.redis.url and do not exclude DataRedisAutoConfiguration, or "
						+ "define a LettuceConnectionFactory bean. To run without listeners set "
						+ "redis.streams.enabled=false.");
	}

	@Bean
	@ConditionalOnMissingBean
	EntryMessageConverter streamEntryMessageConverter(ObjectProvider<JsonMapper> jsonMapper) {
		return new EntryMessageConverter(jsonMapper.getIfUnique(JsonMapper::shared));
	}

	@Bean
	@ConditionalOnMissingBean
	ListenerSettings streamListenerSettings(RedisStreamsProperties properties, Environment environment,
			ListableBeanFactory beanFactory) {
		Duration shutdownPhase = Binder.get(environment)
			.bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
			.orElseGet(() -> new LifecycleProperties().getTimeoutPerShutdownPhase());
		return new PropertiesListenerSettings(properties, environment.getProperty("spring.application.name"),
				shutdownPhase, new FailureHandlers(beanFactory));
	}

	@Bean
	@ConditionalOnMissingBean
	PublisherSettings streamPublisherSettings(RedisStreamsProperties properties, ListenerSettings listenerSettings,
			Environment environment) {
		return new PropertiesPublisherSettings(properties.getPublisher(), listenerSettings::streamKey,
				environment.getProperty("spring.application.name"));
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	StreamTemplate streamTemplate(StreamCommands commands, EntryMessageConverter converter, PublisherSettings settings,
			ObjectProvider<PublishEvents> events, ObjectProvider<SendObserver> observers) {
		return new DefaultStreamTemplate(commands, converter, settings, new PublishEventsOfBeans(events),
				observers.orderedStream().toList());
	}

	@Bean
	@ConditionalOnMissingBean
	DelayedPromoter streamDelayedPromoter(StreamCommands commands, PublisherSettings settings,
			RedisStreamsProperties properties, StreamListenerRegistry registry, ObjectProvider<PublishEvents> events) {
		Stream<String> configured = properties.getPublisher().getPromote().stream().map(settings::streamKey);
		Set<String> promoted = configured.collect(Collectors.toUnmodifiableSet());
		return new DelayedPromoter(commands, settings, () -> {
			Set<String> streams = new HashSet<>(promoted);
			registry.getContainers()
				.stream()
				.filter(StreamListenerContainer::isRunning)
				.forEach((container) -> streams.add(container.getOptions().stream()));
			return streams;
		}, new PublishEventsOfBeans(events), StreamListenerRegistry.PHASE);
	}

	@Bean
	PublishEvents streamGroupsBeforeFirstWrite(ObjectProvider<StreamListenerRegistry> registries) {
		return new PublishEvents() {
			@Override
			public void firstWrite(String stream) {
				registries.ifAvailable((registry) -> registry.awaitGroups(stream));
			}
		};
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	StreamTasks streamTasks(StreamCommands commands, PublisherSettings settings) {
		return new RedisStreamTasks(commands, settings::streamKey);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	DeadLetters streamDeadLetters(StreamCommands commands, ListenerSettings settings,
			ObjectProvider<StreamListenerRegistry> registries) {
		return new RedisDeadLetters(commands, (name) -> {
			StreamListenerRegistry registry = registries.getIfAvailable();
			StreamListenerContainer container = (registry != null) ? registry.getContainer(name) : null;
			return (container != null)
					? new DeadLetterStreams(container.getOptions().stream(), container.getOptions().deadLetterStream())
					: new DeadLetterStreams(settings.streamKey(name), settings.deadLetterStream(name));
		});
	}

	@Bean
	@ConditionalOnMissingBean(ContainerEvents.class)
	ListenerEventPublisher streamListenerEventPublisher(ApplicationEventPublisher publisher) {
		return new ListenerEventPublisher(publisher, StreamListenerRegistry.PHASE - 1);
	}

	@Bean
	@ConditionalOnMissingBean
	StreamListenerContainerFactory streamListenerContainerFactory(StreamCommands commands, ListenerSettings settings,
			ObjectProvider<StreamContainerCustomizer> customizers, Environment environment, ContainerEvents events,
			ObjectProvider<HandlerObserver> observers) {
		return new StreamListenerContainerFactory(commands, settings, customizers.orderedStream().toList(),
				Threading.VIRTUAL.isActive(environment),
				new ContainerObservers(events, observers.orderedStream().toList()));
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(StreamListenerRegistry.class)
	@EnableStreamListeners
	static class EnableStreamListenersConfiguration {

	}

}
