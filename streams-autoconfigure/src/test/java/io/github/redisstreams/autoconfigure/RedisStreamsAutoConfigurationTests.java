package io.github.redisstreams.autoconfigure;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.annotation.EnableStreamListeners;
import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.autoconfigure.metrics.RedisStreamsMetricsAutoConfiguration;
import io.github.redisstreams.config.ListenerSettings;
import io.github.redisstreams.config.StreamContainerCustomizer;
import io.github.redisstreams.config.StreamListenerContainerFactory;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.deadletter.DeadLetters;
import io.github.redisstreams.event.ListenerEventPublisher;
import io.github.redisstreams.listener.AckMode;
import io.github.redisstreams.listener.ContainerEvents;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.OnSuccess;
import io.github.redisstreams.listener.failure.Failure;
import io.github.redisstreams.listener.failure.FailureHandler;
import io.github.redisstreams.listener.failure.Outcome;
import io.github.redisstreams.publish.DelayedPromoter;
import io.github.redisstreams.publish.PublishEvents;
import io.github.redisstreams.publish.PublisherSettings;
import io.github.redisstreams.publish.StreamTasks;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.redis.Added;
import io.github.redisstreams.redis.LettuceStreamCommands;
import io.github.redisstreams.redis.PublishCommands;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.TaskCommands;
import io.github.redisstreams.redis.TrimMode;
import io.github.redisstreams.support.EntryMessageConverter;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

/**
 * Each condition of the auto-configuration. No test here connects to Redis.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisStreamsAutoConfigurationTests {

	private static final FailureHandler QUOTA_AWARE = (failure) -> new Outcome.Leave();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class,
				RedisStreamsAutoConfiguration.class, RedisStreamsMetricsAutoConfiguration.class))
		.withPropertyValues("spring.application.name=billing", "redis.streams.listener.auto-startup=false");

	@Test
	void setsUpListenersAndPublisher() {
		this.runner.withUserConfiguration(Listeners.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LettuceStreamCommands.class)
				.hasSingleBean(EntryMessageConverter.class)
				.hasSingleBean(ListenerSettings.class)
				.hasSingleBean(PublisherSettings.class)
				.hasSingleBean(StreamTemplate.class)
				.hasSingleBean(StreamTasks.class)
				.hasSingleBean(DelayedPromoter.class)
				.hasSingleBean(DeadLetters.class)
				.hasSingleBean(ListenerEventPublisher.class)
				.hasSingleBean(StreamListenerContainerFactory.class)
				.hasSingleBean(StreamListenerRegistry.class)
				.getBean(StreamListenerRegistry.class)
				.satisfies((registry) -> assertThat(registry.getContainer("events")).isNotNull()));
	}

	@Test
	void createsWhatOnlyPublishersAndOperatorsUseAtFirstUse() {
		this.runner.withUserConfiguration(Listeners.class).run((context) -> {
			for (Class<?> type : List.of(StreamTemplate.class, StreamTasks.class, DeadLetters.class)) {
				String name = context.getBeanNamesForType(type)[0];
				assertThat(context.getSourceApplicationContext().getBeanFactory().containsSingleton(name)).isFalse();
				assertThat(context.getBean(name)).isInstanceOf(type);
			}
		});
	}

	@Test
	void tellsTheContainerEventsOfTheApplicationInsteadOfPublishing() {
		this.runner.withBean(ContainerEvents.class, () -> ContainerEvents.NONE)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(ListenerEventPublisher.class)
				.hasSingleBean(StreamListenerContainerFactory.class));
	}

	@Test
	void isSwitchedOffByProperty() {
		this.runner.withUserConfiguration(Listeners.class)
			.withPropertyValues("redis.streams.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(StreamCommands.class)
				.doesNotHaveBean(PublisherSettings.class)
				.doesNotHaveBean(StreamTemplate.class)
				.doesNotHaveBean(StreamTasks.class)
				.doesNotHaveBean(DelayedPromoter.class)
				.doesNotHaveBean(DeadLetters.class)
				.doesNotHaveBean(StreamListenerRegistry.class)
				.doesNotHaveBean(RedisStreamsProperties.class));
	}

	@Test
	void switchedOffItAsksForNoConnectionFactory() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RedisStreamsAutoConfiguration.class))
			.withPropertyValues("redis.streams.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void staysOutOfTheWayWithoutLettuce() {
		this.runner.withClassLoader(new FilteredClassLoader(RedisClient.class))
			.withPropertyValues("spring.data.redis.client-type=jedis")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(StreamListenerRegistry.class));
	}

	@Test
	void refusesJedisWithAMend() {
		this.runner.withPropertyValues("spring.data.redis.client-type=jedis")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(StreamsConfigurationException.class)
				.hasMessageContaining("JedisConnectionFactory")
				.extracting("action")
				.asString()
				.contains("spring.data.redis.client-type", "lettuce"));
	}

	@Test
	void saysThatThereIsNoConnectionFactory() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RedisStreamsAutoConfiguration.class))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(StreamsConfigurationException.class)
				.hasMessageContaining("RedisConnectionFactory")
				.extracting("action")
				.asString()
				.contains("spring.data.redis.host"));
	}

	@Test
	void saysThatThereAreSeveralConnectionFactories() {
		this.runner.withBean("first", LettuceConnectionFactory.class, LettuceConnectionFactory::new)
			.withBean("second", LettuceConnectionFactory.class, LettuceConnectionFactory::new)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(Exception.class, (failure) -> assertThat(failure)
					.hasStackTraceContaining("there are several: [first, second]")));
	}

	@Test
	void takesThePrimaryOfSeveralConnectionFactories() {
		this.runner.withBean("first", LettuceConnectionFactory.class, LettuceConnectionFactory::new)
			.withBean("second", LettuceConnectionFactory.class, LettuceConnectionFactory::new,
					(definition) -> definition.setPrimary(true))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(StreamCommands.class));
	}

	@Test
	void leavesTheUsersStreamCommandsInPlace() {
		StreamCommands own = mock(StreamCommands.class);
		this.runner.withBean(StreamCommands.class, () -> own)
			.run((context) -> assertThat(context).getBean(StreamCommands.class).isSameAs(own));
	}

	@Test
	void leavesTheUsersConverterInPlace() {
		EntryMessageConverter own = new EntryMessageConverter(JsonMapper.shared());
		this.runner.withBean(EntryMessageConverter.class, () -> own)
			.run((context) -> assertThat(context).getBean(EntryMessageConverter.class).isSameAs(own));
	}

	@Test
	void leavesTheUsersSettingsInPlace() {
		ListenerSettings own = new ListenerSettings() {

			@Override
			public void applyDefaults(ListenerOptions.Builder options) {
				options.group("own-group").consumer("own-consumer").autoStartup(false);
			}

		};
		this.runner.withUserConfiguration(Listeners.class)
			.withBean(ListenerSettings.class, () -> own)
			.run((context) -> assertThat(options(context.getBean(StreamListenerRegistry.class)).group())
				.isEqualTo("own-group"));
	}

	@Test
	void leavesTheUsersTemplateInPlace() {
		StreamTemplate own = mock(StreamTemplate.class);
		this.runner.withBean(StreamTemplate.class, () -> own)
			.run((context) -> assertThat(context).getBean(StreamTemplate.class).isSameAs(own));
	}

	@Test
	void leavesTheUsersTasksInPlace() {
		StreamTasks own = mock(StreamTasks.class);
		this.runner.withBean(StreamTasks.class, () -> own)
			.run((context) -> assertThat(context).getBean(StreamTasks.class).isSameAs(own));
	}

	@Test
	void leavesTheUsersPromoterInPlace() {
		DelayedPromoter own = mock(DelayedPromoter.class);
		this.runner.withBean(DelayedPromoter.class, () -> own)
			.run((context) -> assertThat(context).getBean(DelayedPromoter.class).isSameAs(own));
	}

	@Test
	void theUsersPublisherSettingsAreThoseOfTemplateAndTasks() {
		PublisherSettings own = new PublisherSettings() {

			@Override
			public String streamKey(String name) {
				return "own:" + name;
			}

		};
		StreamCommands commands = mock(StreamCommands.class);
		PublishCommands publishing = mock(PublishCommands.class);
		TaskCommands tasks = mock(TaskCommands.class);
		given(commands.publishing()).willReturn(publishing);
		given(commands.tasks()).willReturn(tasks);
		given(publishing.cancel("own:events", "7")).willReturn(CompletableFuture.completedFuture(true));
		this.runner.withBean(PublisherSettings.class, () -> own)
			.withBean(StreamCommands.class, () -> commands)
			.run((context) -> {
				assertThat(context).getBean(PublisherSettings.class).isSameAs(own);
				assertThat(context.getBean(StreamTemplate.class).cancel("events", "7")).isTrue();
				context.getBean(StreamTasks.class).find("events", "7");
				verify(tasks).find("own:events", "7");
			});
	}

	@Test
	void aMistakeInThePublishersPropertiesIsAnErrorThatNamesTheProperty() {
		this.runner.withPropertyValues("redis.streams.publisher.streams.events.max-length=-1")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(StreamsConfigurationException.class)
				.hasMessage("The property redis.streams.publisher.streams.events.max-length is -1"));
	}

	@Test
	void aPublisherIsNamedAfterTheApplicationAndItsStreamsAsListenersNameThem() {
		this.runner
			.withPropertyValues("redis.streams.listeners.events.stream=app:events",
					"redis.streams.publisher.streams.events.trim=strict", "redis.streams.publisher.after-commit=true")
			.run((context) -> {
				PublisherSettings settings = context.getBean(PublisherSettings.class);
				assertThat(settings.producer()).isEqualTo("billing");
				assertThat(settings.afterCommit()).isTrue();
				assertThat(settings.options("app:events").trimming().mode()).isEqualTo(TrimMode.STRICT);
				assertThat(settings.options("events").trimming().mode()).isEqualTo(TrimMode.FINISHED);
			});
	}

	@Test
	void allBeansAreToldOfEventsThoughOneOfThemFails(CapturedOutput output) {
		StreamCommands commands = mock(StreamCommands.class);
		PublishCommands publishing = mock(PublishCommands.class);
		given(commands.publishing()).willReturn(publishing);
		given(publishing.schedule(any(), any(), any(), any()))
			.willReturn(CompletableFuture.completedFuture(new Added(null, Duration.ofSeconds(9), null, 0)));
		PublishEvents failing = mock(PublishEvents.class, "failing");
		PublishEvents own = mock(PublishEvents.class);
		willThrow(new IllegalStateException("not now")).given(failing).scheduled(any(), any());
		this.runner.withBean(StreamCommands.class, () -> commands)
			.withBean("first", PublishEvents.class, () -> failing)
			.withBean("second", PublishEvents.class, () -> own)
			.run((context) -> {
				context.getBean(StreamTemplate.class).sendAfter("events", "x", Duration.ofSeconds(9));
				verify(failing).scheduled("events", Duration.ofSeconds(9));
				verify(own).scheduled("events", Duration.ofSeconds(9));
			});
		assertThat(output).contains("The PublishEvents bean failing failed").contains("not now");
	}

	@Test
	void aBeanThatIsToldOfEventsMaySendItself() {
		this.runner.withUserConfiguration(SendingEvents.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(SendingEvents.class));
	}

	@Test
	void leavesAnOwnDeadLettersBeanAlone() {
		DeadLetters own = mock(DeadLetters.class);
		this.runner.withBean(DeadLetters.class, () -> own)
			.run((context) -> assertThat(context).getBean(DeadLetters.class).isSameAs(own));
	}

	@Test
	void findsTheDeadLettersOfAName() {
		StreamCommands commands = mock(StreamCommands.class);
		this.runner.withBean(StreamCommands.class, () -> commands)
			.withPropertyValues("redis.streams.listeners.events.stream=app:events")
			.run((context) -> {
				DeadLetters deadLetters = context.getBean(DeadLetters.class);
				deadLetters.count("events");
				verify(commands).length("{app:events}:dlq");
				deadLetters.count("other");
				verify(commands).length("{other}:dlq");
			});
	}

	@Test
	void findsTheDeadLettersWhereTheSettingsSay() {
		StreamCommands commands = mock(StreamCommands.class);
		ListenerSettings settings = new ListenerSettings() {

			@Override
			public String deadLetterStream(String name) {
				return "letters-of-" + name;
			}

		};
		this.runner.withBean(StreamCommands.class, () -> commands)
			.withBean(ListenerSettings.class, () -> settings)
			.run((context) -> {
				context.getBean(DeadLetters.class).count("events");
				verify(commands).length("letters-of-events");
			});
	}

	@Test
	void leavesTheUsersContainerFactoryInPlace() {
		StreamListenerContainerFactory own = new StreamListenerContainerFactory(mock(StreamCommands.class));
		this.runner.withBean(StreamListenerContainerFactory.class, () -> own)
			.run((context) -> assertThat(context).getBean(StreamListenerContainerFactory.class).isSameAs(own));
	}

	@Test
	void leavesListenersThatTheUserHasEnabledInPlace() {
		this.runner.withUserConfiguration(Listeners.class, EnabledByUser.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(StreamListenerRegistry.class));
	}

	@Test
	void nothingIsABeanThatSwitchesOffBootsTaskScheduling() {
		this.runner.run((context) -> assertThat(context).doesNotHaveBean(ScheduledExecutorService.class)
			.doesNotHaveBean(TaskScheduler.class)
			.doesNotHaveBean(Executor.class));
	}

	@Test
	void registryAndProcessorAreInfrastructure() {
		this.runner.run((context) -> {
			for (String name : List.of("streamListenerRegistry", "streamListenerProcessor")) {
				assertThat(context.getBeanFactory().getBeanDefinition(name).getRole()).as(name)
					.isEqualTo(BeanDefinition.ROLE_INFRASTRUCTURE);
			}
		});
	}

	@Test
	void bindsEveryPropertyOfAListener() {
		this.runner.withUserConfiguration(Listeners.class)
			.withPropertyValues("redis.streams.consumer=host-1", "redis.streams.listener.group=from-defaults",
					"redis.streams.listener.concurrency=2", "redis.streams.listener.batch-size=10",
					"redis.streams.listeners.events.stream=app:events",
					"redis.streams.listeners.events.group=from-listener",
					"redis.streams.listeners.events.consumer=host-2",
					"redis.streams.listeners.events.start-from=latest", "redis.streams.listeners.events.concurrency=3",
					"redis.streams.listeners.events.poll-timeout=1500ms", "redis.streams.listeners.events.min-idle=30s",
					"redis.streams.listeners.events.claim-interval=2s",
					"redis.streams.listeners.events.ack-mode=always",
					"redis.streams.listeners.events.shutdown-timeout=5s")
			.run((context) -> assertThat(options(context.getBean(StreamListenerRegistry.class)))
				.isEqualTo(ListenerOptions.builder()
					.stream("app:events")
					.group("from-listener")
					.consumer("host-2")
					.startFrom("latest")
					.autoStartup(false)
					.concurrency(3)
					.batchSize(10)
					.pollTimeout(Duration.ofMillis(1500))
					.minIdle(Duration.ofSeconds(30))
					.claimInterval(Duration.ofSeconds(2))
					.ackMode(AckMode.ALWAYS)
					.shutdownTimeout(Duration.ofSeconds(5))
					.build("events", "this test")));
	}

	@Test
	void bindsEveryPropertyOfRetriesDeadLettersAndCircuit() {
		this.runner.withUserConfiguration(Listeners.class)
			.withBean("quotaAware", FailureHandler.class, () -> QUOTA_AWARE)
			.withPropertyValues("redis.streams.consumer=host-1", "redis.streams.listener.max-deliveries=2",
					"redis.streams.listener.retry.initial-interval=10ms",
					"redis.streams.listener.retry.includes[0]=java.io.IOException",
					"redis.streams.listeners.events.max-deliveries=3",
					"redis.streams.listeners.events.on-success=delete",
					"redis.streams.listeners.events.consumer-expiry=2h",
					"redis.streams.listeners.events.idle-event-interval=3h",
					"redis.streams.listeners.events.failure-handler=quotaAware",
					"redis.streams.listeners.events.retry.multiplier=1.5",
					"redis.streams.listeners.events.retry.max-interval=7s",
					"redis.streams.listeners.events.retry.jitter=0.1",
					"redis.streams.listeners.events.retry.excludes=java.io.FileNotFoundException, "
							+ "java.lang.IllegalStateException",
					"redis.streams.listener.dead-letter.enabled=false",
					"redis.streams.listeners.events.dead-letter.enabled=true",
					"redis.streams.listeners.events.dead-letter.stream=dead",
					"redis.streams.listeners.events.dead-letter.max-length=9",
					"redis.streams.listeners.events.dead-letter.stack-trace=false",
					"redis.streams.listeners.events.circuit.enabled=false",
					"redis.streams.listeners.events.circuit.window=1m",
					"redis.streams.listeners.events.circuit.minimum-failures=4",
					"redis.streams.listeners.events.circuit.failure-rate=0.5",
					"redis.streams.listeners.events.circuit.initial-pause=2s",
					"redis.streams.listeners.events.circuit.max-pause=3s")
			.run((context) -> assertThat(options(context.getBean(StreamListenerRegistry.class)))
				.isEqualTo(ListenerOptions.builder()
					.stream("events")
					.group("billing")
					.consumer("host-1")
					.autoStartup(false)
					.maxDeliveries(3)
					.onSuccess(OnSuccess.DELETE)
					.consumerExpiry(Duration.ofHours(2))
					.idleEventInterval(Duration.ofHours(3))
					.failureHandler(QUOTA_AWARE)
					.retry((retry) -> retry.initialInterval(Duration.ofMillis(10))
						.multiplier(1.5)
						.maxInterval(Duration.ofSeconds(7))
						.jitter(0.1)
						.includes(List.of(IOException.class))
						.excludes(List.of(FileNotFoundException.class, IllegalStateException.class)))
					.deadLetter((letters) -> letters.enabled(true).stream("dead").maxLength(9).stackTrace(false))
					.circuit((circuit) -> circuit.enabled(false)
						.window(Duration.ofMinutes(1))
						.minimumFailures(4)
						.failureRate(0.5)
						.initialPause(Duration.ofSeconds(2))
						.maxPause(Duration.ofSeconds(3)))
					.build("events", "this test")));
	}

	@Test
	void theOnlyFailureHandlerIsForAllListeners() {
		this.runner.withUserConfiguration(Listeners.class)
			.withBean("quotaAware", FailureHandler.class, () -> QUOTA_AWARE)
			.run((context) -> assertThat(options(context.getBean(StreamListenerRegistry.class)).failureHandler())
				.isSameAs(QUOTA_AWARE));
	}

	@Test
	void withoutFailureHandlerNobodyDecidesOtherwise() {
		this.runner.withUserConfiguration(Listeners.class)
			.run((context) -> assertThat(options(context.getBean(StreamListenerRegistry.class)).failureHandler())
				.isNull());
	}

	@Test
	void thePrimaryOfSeveralFailureHandlersIsForAllListeners() {
		this.runner.withUserConfiguration(Listeners.class)
			.withBean("other", FailureHandler.class, () -> Failure::defaultOutcome)
			.withBean("quotaAware", FailureHandler.class, () -> QUOTA_AWARE,
					(definition) -> definition.setPrimary(true))
			.run((context) -> assertThat(options(context.getBean(StreamListenerRegistry.class)).failureHandler())
				.isSameAs(QUOTA_AWARE));
	}

	@Test
	void severalFailureHandlersAreAnErrorForAListenerThatNamesNone() {
		severalFailureHandlers().run((context) -> assertThat(context).getFailure()
			.isInstanceOf(StreamsConfigurationException.class)
			.hasMessageContaining("Listener 'events' (")
			.hasMessageContaining("Listeners.handle(String)")
			.hasMessageContaining("several FailureHandler beans: other, quotaAware")
			.extracting("action")
			.asString()
			.contains("@Primary", "redis.streams.listeners.events.failure-handler",
					"redis.streams.listener.failure-handler", "attribute failureHandler"));
	}

	@Test
	void severalFailureHandlersAreNoneIfEachListenerNamesOne() {
		for (String property : List.of("listener.failure-handler", "listeners.events.failure-handler")) {
			severalFailureHandlers().withPropertyValues("redis.streams." + property + "=quotaAware")
				.run((context) -> assertThat(options(context.getBean(StreamListenerRegistry.class)).failureHandler())
					.isSameAs(QUOTA_AWARE));
		}
		severalFailureHandlers()
			.withBean(StreamContainerCustomizer.class, () -> (endpoint, options) -> options.failureHandler(QUOTA_AWARE))
			.run((context) -> assertThat(options(context.getBean(StreamListenerRegistry.class)).failureHandler())
				.isSameAs(QUOTA_AWARE));
	}

	private ApplicationContextRunner severalFailureHandlers() {
		return this.runner.withUserConfiguration(Listeners.class)
			.withBean("other", FailureHandler.class, () -> Failure::defaultOutcome)
			.withBean("quotaAware", FailureHandler.class, () -> QUOTA_AWARE);
	}

	@Test
	void severalFailureHandlersWithoutListenersAreNoError() {
		this.runner.withBean("other", FailureHandler.class, () -> Failure::defaultOutcome)
			.withBean("quotaAware", FailureHandler.class, () -> QUOTA_AWARE)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aFailureHandlerMayNeedPublisherAndRegistry() {
		this.runner.withUserConfiguration(Listeners.class, NeedyFailureHandler.class)
			.run((context) -> assertThat(options(context.getBean(StreamListenerRegistry.class)).failureHandler())
				.isSameAs(context.getBean(FailureHandler.class)));
	}

	@Test
	void aFailureHandlerThatDoesNotExistIsAnErrorThatNamesThePropertyAndTheBeansThereAre() {
		severalFailureHandlers().withPropertyValues("redis.streams.listener.failure-handler=quoteAware")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(StreamsConfigurationException.class)
				.hasMessage("The property redis.streams.listener.failure-handler names the bean 'quoteAware', which "
						+ "does not exist")
				.extracting("action")
				.isEqualTo("Name one of the FailureHandler beans: other, quotaAware."));
	}

	@Test
	void aBeanThatIsNoFailureHandlerIsAnErrorThatNamesThePropertyAndItsType() {
		this.runner.withUserConfiguration(Listeners.class)
			.withBean("quotaAware", String.class, () -> "")
			.withPropertyValues("redis.streams.listeners.events.failure-handler=quotaAware")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(StreamsConfigurationException.class)
				.hasMessage("The property redis.streams.listeners.events.failure-handler names the bean 'quotaAware', "
						+ "which is no FailureHandler but a java.lang.String"));
	}

	@Test
	void aClassThatIsNoExceptionIsAnErrorThatNamesTheProperty() {
		for (String property : List.of("redis.streams.listener.retry.includes",
				"redis.streams.listeners.events.retry.excludes")) {
			this.runner.withUserConfiguration(Listeners.class)
				.withPropertyValues(property + "=java.io.IOException,java.lang.String")
				.run((context) -> assertThat(context).getFailure()
					.isInstanceOf(StreamsConfigurationException.class)
					.hasMessage("The property " + property + " names java.lang.String, which is no exception"));
		}
	}

	@Test
	void deadLettersGoWhereTheListenersNameOrTheDefaultsSay() {
		this.runner
			.withPropertyValues("redis.streams.listeners.events.stream=app:events",
					"redis.streams.listeners.orders.dead-letter.stream=orders:failed")
			.run((context) -> {
				ListenerSettings settings = context.getBean(ListenerSettings.class);
				assertThat(settings.deadLetterStream("events")).isEqualTo("{app:events}:dlq");
				assertThat(settings.deadLetterStream("orders")).isEqualTo("orders:failed");
				assertThat(settings.deadLetterStream("other")).isEqualTo("{other}:dlq");
			});
		this.runner
			.withPropertyValues("redis.streams.listener.dead-letter.stream=all:failed",
					"redis.streams.listeners.events.stream=app:events",
					"redis.streams.listeners.orders.dead-letter.stream=")
			.run((context) -> {
				ListenerSettings settings = context.getBean(ListenerSettings.class);
				assertThat(settings.deadLetterStream("events")).isEqualTo("all:failed");
				assertThat(settings.deadLetterStream("orders")).isEqualTo("{orders}:dlq");
				assertThat(settings.deadLetterStream("other")).isEqualTo("all:failed");
			});
	}

	@Test
	void deadLettersInAnotherSlotOfAClusterAreAnErrorBeforeAnythingConnects() {
		ApplicationContextRunner cluster = this.runner.withUserConfiguration(Listeners.class)
			.withPropertyValues("spring.data.redis.cluster.nodes=localhost:1");
		cluster.withPropertyValues("redis.streams.listener.dead-letter.stream=dead")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(StreamsConfigurationException.class)
				.hasMessageContaining("dead-letter.stream 'dead'")
				.extracting("action")
				.asString()
				.contains("redis.streams.listener.dead-letter.stream", "'{events}:dlq'"));
		cluster.withPropertyValues("redis.streams.listener.dead-letter.stream={events}:dead")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void oneStreamForAllDeadLettersIsFineWithoutACluster() {
		this.runner.withUserConfiguration(Listeners.class)
			.withPropertyValues("redis.streams.listener.dead-letter.stream=dead", "spring.data.redis.port=1")
			.run((context) -> assertThat(options(context.getBean(StreamListenerRegistry.class)).deadLetterStream())
				.isEqualTo("dead"));
	}

	@Test
	void aShutdownTimeoutLongerThanAPhaseOfTheShutdownIsWarnedOf(CapturedOutput output) {
		this.runner.withUserConfiguration(Listeners.class)
			.withPropertyValues("redis.streams.listener.shutdown-timeout=31s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("Listener 'events' has a shutdown-timeout of 31000 ms, which is longer "
				+ "than the 30000 ms of spring.lifecycle.timeout-per-shutdown-phase and is not cut short by it. "
				+ "Set that to more, or redis.streams.listeners.events.shutdown-timeout to less");
	}

	@Test
	void aShutdownTimeoutWithinAPhaseOfTheShutdownIsNotWarnedOf(CapturedOutput output) {
		this.runner.withUserConfiguration(Listeners.class)
			.withPropertyValues("redis.streams.listener.shutdown-timeout=31s",
					"spring.lifecycle.timeout-per-shutdown-phase=31s")
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner.withUserConfiguration(Listeners.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("has a shutdown-timeout");
	}

	@Test
	void theGroupIsNamedAfterTheApplication() {
		this.runner.withUserConfiguration(Listeners.class)
			.run((context) -> assertThat(options(context.getBean(StreamListenerRegistry.class)).group())
				.isEqualTo("billing"));
	}

	@Test
	void customizersHaveTheLastWord() {
		this.runner.withUserConfiguration(Listeners.class)
			.withPropertyValues("redis.streams.listeners.events.group=from-listener")
			.withBean(StreamContainerCustomizer.class,
					() -> (endpoint, options) -> options.group("customized-" + endpoint.id()))
			.run((context) -> assertThat(options(context.getBean(StreamListenerRegistry.class)).group())
				.isEqualTo("customized-events"));
	}

	@Test
	void publishesToTheStreamThatAListenersNameStandsFor() {
		this.runner.withPropertyValues("redis.streams.listeners.events.stream=app:events").run((context) -> {
			ListenerSettings settings = context.getBean(ListenerSettings.class);
			assertThat(settings.streamKey("events")).isEqualTo("app:events");
			assertThat(settings.streamKey("other")).isEqualTo("other");
		});
	}

	private static ListenerOptions options(StreamListenerRegistry registry) {
		return registry.getContainers().iterator().next().getOptions();
	}

	@Component
	static class SendingEvents implements PublishEvents {

		SendingEvents(StreamTemplate template, DelayedPromoter promoter) {
			assertThat(template).isNotNull();
			assertThat(promoter).isNotNull();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		@StreamListener("events")
		void handle(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NeedyFailureHandler {

		@Bean
		FailureHandler needy(StreamTemplate template, StreamListenerRegistry registry) {
			return Failure::defaultOutcome;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableStreamListeners
	static class EnabledByUser {

		@Bean
		String anything() {
			return "";
		}

	}

}
