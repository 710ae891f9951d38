package io.github.redisstreams.annotation;

import java.util.List;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.config.StreamListenerContainerFactory;
import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.RecordingContainerFactory;
import io.github.redisstreams.test.StubCommands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.DebugInterceptor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.ObjectRecord;
import org.springframework.data.redis.connection.stream.Record;
import org.springframework.data.redis.stream.StreamMessageListenerContainer;
import org.springframework.data.redis.stream.Subscription;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.SendTo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for mistakes, each of which is to end the start with an error that names the
 * method and the mend.
 */
class ListenerMistakesTests {

	private static void assertThatStartFails(ApplicationContextRunner runner, List<String> description,
			List<String> action) {
		runner.run((context) -> {
			StreamsConfigurationException failure = ListenerContexts.failure(context);
			assertThat(failure.getMessage()).contains(description);
			assertThat(failure.getAction()).contains(action);
		});
	}

	@Test
	void aPrivateMethodIsAnError() {
		assertThatStartFails(ListenerContexts.with(Private.class),
				List.of("ListenerMistakesTests$Private.handle(String)", "private"),
				List.of("instance method that is not private"));
	}

	@Test
	void aStaticMethodIsAnError() {
		assertThatStartFails(ListenerContexts.with(Static.class),
				List.of("ListenerMistakesTests$Static.handle(String)", "static"),
				List.of("instance method that is not private"));
	}

	@Test
	void aMethodThatTheInterfaceProxyLacksIsAnError() {
		assertThatStartFails(ListenerContexts.with(InterfaceProxy.class),
				List.of("ListenerMistakesTests$BehindInterface.handle(String)", "proxy"),
				List.of("interface", "proxyTargetClass"));
	}

	@Test
	void aFinalMethodOfAClassProxyIsAnError() {
		assertThatStartFails(ListenerContexts.with(ClassProxy.class),
				List.of("ListenerMistakesTests$WithFinalMethod.handle(String)", "final", "proxy"),
				List.of("neither private nor final"));
	}

	@Test
	void aFinalMethodWithoutProxyListens() {
		ListenerContexts.with(WithFinalMethod.class)
			.run((context) -> assertThat(ListenerContexts.listeners(context).ids()).containsExactly("events"));
	}

	@ParameterizedTest
	@ValueSource(classes = { RequestScoped.class, SessionScoped.class, ProxiedRequestScoped.class })
	void aWebScopeIsAnError(Class<?> component) {
		assertThatStartFails(ListenerContexts.with(component),
				List.of("ListenerMistakesTests$" + component.getSimpleName() + ".handle(String)", "of scope "),
				List.of("singleton"));
	}

	@Test
	void twoListenersWithOneIdAreAnErrorThatNamesBothMethods() {
		assertThatStartFails(ListenerContexts.with(SameId.class),
				List.of("'events'", "SameId.first(String)", "SameId.second(String)"), List.of("id = \"events-2\""));
	}

	@Test
	void twoListenersOfOneStreamAndGroupAreAnErrorThatNamesBothMethods() {
		assertThatStartFails(
				ListenerContexts.with(SameStreamAndGroup.class), List.of("stream 'events'", "group 'workers'",
						"SameStreamAndGroup.first(String)", "SameStreamAndGroup.second(String)"),
				List.of("group of its own", "concurrency"));
	}

	@Test
	void twoListenersOfOneStreamInTwoGroupsAreNone() {
		ListenerContexts.with(TwoGroups.class)
			.run((context) -> assertThat(ListenerContexts.listeners(context).ids()).containsExactlyInAnyOrder("events",
					"audit"));
	}

	@Test
	void noGroupIsAnErrorThatNamesMethodPropertyAndMend() {
		ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(NothingConfigured.class,
				SameId.class);
		assertThatStartFails(runner, List.of("Listener 'events'", "SameId.", "(String)", "no group"),
				List.of("redis.streams.listeners.events.group", "annotation", "spring.application.name"));
	}

	@Test
	void aNumberOutOfRangeIsAnErrorThatNamesMethodAndProperty() {
		assertThatStartFails(ListenerContexts.with(NoConcurrency.class),
				List.of("NoConcurrency.handle(String)", "concurrency '0'"),
				List.of("redis.streams.listeners.events.concurrency", "1 or more"));
	}

	@Test
	void noDeliveryIsAnErrorThatNamesMethodAndProperty() {
		assertThatStartFails(ListenerContexts.with(NoDelivery.class),
				List.of("NoDelivery.handle(String)", "max-deliveries '0'"),
				List.of("redis.streams.listeners.events.max-deliveries", "annotation's attribute", "1 or more"));
	}

	@Test
	void theStreamItselfForItsDeadLettersIsAnErrorThatNamesMethodAndProperty() {
		assertThatStartFails(ListenerContexts.with(DeadLettersInItself.class),
				List.of("DeadLettersInItself.handle(String)", "dead-letter.stream 'events'"),
				List.of("redis.streams.listeners.events.dead-letter.stream", "annotation's attribute", "another key"));
	}

	@Test
	void deadLettersInAnotherSlotAreAnErrorThatNamesMethodPropertyAndHashTag() {
		assertThatStartFails(cluster(DeadLettersElsewhere.class),
				List.of("DeadLettersElsewhere.handle(String)", "dead-letter.stream 'dead'", "'app:events'", "slot"),
				List.of("redis.streams.listeners[app:events].dead-letter.stream",
						"redis.streams.listener.dead-letter.stream", "annotation's attribute", "hash tag",
						"'{app:events}:dlq'"));
	}

	@Test
	void deadLettersUnderTheDefaultKeyAreNone() {
		cluster(WithFinalMethod.class)
			.run((context) -> assertThat(context.getBean(RecordingContainerFactory.class).ids())
				.containsExactly("events"));
	}

	private static ApplicationContextRunner cluster(Class<?> component) {
		return new ApplicationContextRunner().withUserConfiguration(Cluster.class, component);
	}

	@Test
	void theInterfaceOfSpringDataRedisMistakenForTheAnnotationIsAnError() {
		assertThatStartFails(ListenerContexts.with(MistakenInterface.class),
				List.of("MistakenInterface.onMessage", "Spring Data Redis", "listenerMistakesTests.MistakenInterface"),
				List.of("@" + StreamListener.class.getName(), "StreamMessageListenerContainer"));
	}

	@Test
	void theInterfaceOfSpringDataRedisAsALambdaIsAnError() {
		assertThatStartFails(ListenerContexts.with(MistakenLambda.class), List.of("'mistakenLambdaBean'"),
				List.of("@" + StreamListener.class.getName()));
	}

	@Test
	void theInterfaceOfSpringDataRedisAsALazyBeanIsAnError() {
		assertThatStartFails(ListenerContexts.with(LazyMistakenLambda.class), List.of("'mistakenLambdaBean'"),
				List.of("@" + StreamListener.class.getName()));
	}

	@Test
	void theInterfaceOfSpringDataRedisBesideAContainerOfItIsNone() {
		ListenerContexts.with(MistakenInterface.class, SpringDataContainer.class)
			.run((context) -> assertThat(ListenerContexts.listeners(context).ids()).isEmpty());
	}

	@Test
	void theInterfaceOfSpringDataRedisBesideASubscriptionOfItIsNone() {
		ListenerContexts.with(MistakenInterface.class, SpringDataSubscription.class)
			.run((context) -> assertThat(ListenerContexts.listeners(context).ids()).isEmpty());
	}

	@Test
	void theInterfaceOfSpringDataRedisBesideASubscriptionLeavesOurOwnListenersAsTheyAre() {
		ListenerContexts.with(MistakenLambda.class, SpringDataSubscription.class, WithFinalMethod.class)
			.run((context) -> assertThat(ListenerContexts.listeners(context).ids()).containsExactly("events"));
	}

	@Test
	void theInterfaceOfSpringDataRedisBesideAnAnnotatedMethodIsNone() {
		ListenerContexts.with(Both.class).run((context) -> {
			assertThat(ListenerContexts.listeners(context).ids()).containsExactly("events");
			ListenerContexts.listeners(context).handle("events", Entries.payload("x"));
		});
	}

	@Test
	void aBatchMethodWithAForeignParameterIsAnError() {
		assertThatStartFails(ListenerContexts.with(BatchWithHeader.class),
				List.of("BatchWithHeader.handle", "java.lang.String"), List.of("List<Message<T>>", "Acknowledgment"));
	}

	@ParameterizedTest
	@ValueSource(classes = { BytesRecord.class, BytesRecords.class, PayloadRecord.class, PayloadRecords.class,
			AnyRecord.class })
	void aRecordOfSpringDataRedisOtherThanOfTextIsAnError(Class<?> component) {
		assertThatStartFails(ListenerContexts.with(component), List.of(component.getSimpleName() + ".handle"),
				List.of("payload's type", "MapRecord<String, String, String>", "StreamEntry"));
	}

	@Test
	void repliesWithoutATemplateAreAnError() {
		ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(NothingConfigured.class,
				Replying.class);
		assertThatStartFails(runner, List.of("@SendTo", "Replying.handle"), List.of("StreamTemplate bean"));
	}

	static class Private {

		@StreamListener("events")
		private void handle(String payload) {
		}

	}

	static class Static {

		@StreamListener("events")
		static void handle(String payload) {
		}

	}

	static class BehindInterface implements Runnable {

		@Override
		public void run() {
		}

		@StreamListener("events")
		public void handle(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InterfaceProxy {

		@Bean
		Runnable listener() {
			ProxyFactory factory = new ProxyFactory(new BehindInterface());
			factory.addAdvice(new DebugInterceptor());
			return (Runnable) factory.getProxy();
		}

	}

	static class WithFinalMethod {

		@StreamListener("events")
		final void handle(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ClassProxy {

		@Bean
		WithFinalMethod listener() {
			ProxyFactory factory = new ProxyFactory(new WithFinalMethod());
			factory.setProxyTargetClass(true);
			factory.addAdvice(new DebugInterceptor());
			return (WithFinalMethod) factory.getProxy();
		}

	}

	@Scope("request")
	static class RequestScoped {

		@StreamListener("events")
		void handle(String payload) {
		}

	}

	@Scope("session")
	static class SessionScoped {

		@StreamListener("events")
		void handle(String payload) {
		}

	}

	@Scope(scopeName = "request", proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class ProxiedRequestScoped {

		@StreamListener("events")
		void handle(String payload) {
		}

	}

	static class SameId {

		@StreamListener("events")
		void first(String payload) {
		}

		@StreamListener(value = "events", group = "second")
		void second(String payload) {
		}

	}

	static class SameStreamAndGroup {

		@StreamListener("events")
		void first(String payload) {
		}

		@StreamListener(value = "events", id = "second")
		void second(String payload) {
		}

	}

	static class TwoGroups {

		@StreamListener("events")
		void first(String payload) {
		}

		@StreamListener(value = "events", id = "audit", group = "audit")
		void second(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableStreamListeners
	static class NothingConfigured {

		@Bean
		StreamListenerContainerFactory streamListenerContainerFactory() {
			return new StreamListenerContainerFactory(mock(StreamCommands.class));
		}

	}

	static class NoConcurrency {

		@StreamListener(value = "events", concurrency = "0")
		void handle(String payload) {
		}

	}

	static class NoDelivery {

		@StreamListener(value = "events", maxDeliveries = "0")
		void handle(String payload) {
		}

	}

	static class DeadLettersInItself {

		@StreamListener(value = "events", deadLetterStream = "events")
		void handle(String payload) {
		}

	}

	static class DeadLettersElsewhere {

		@StreamListener(value = "app:events", deadLetterStream = "dead")
		void handle(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableStreamListeners
	static class Cluster {

		@Bean
		RecordingContainerFactory streamListenerContainerFactory() {
			return new RecordingContainerFactory(new StubCommands() {

				@Override
				public boolean areTogether(String first, String second) {
					return false;
				}

			});
		}

	}

	static class MistakenInterface
			implements org.springframework.data.redis.stream.StreamListener<String, MapRecord<String, String, String>> {

		@Override
		public void onMessage(MapRecord<String, String, String> message) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MistakenLambda {

		@Bean
		org.springframework.data.redis.stream.StreamListener<String, MapRecord<String, String, String>> mistakenLambdaBean() {
			return (message) -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyMistakenLambda {

		@Bean
		@Lazy
		org.springframework.data.redis.stream.StreamListener<String, MapRecord<String, String, String>> mistakenLambdaBean() {
			return (message) -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SpringDataContainer {

		@Bean
		@Lazy
		@SuppressWarnings("unchecked")
		StreamMessageListenerContainer<String, MapRecord<String, String, String>> container() {
			return mock(StreamMessageListenerContainer.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SpringDataSubscription {

		@Bean
		Subscription subscription() {
			return mock(Subscription.class);
		}

	}

	static class Both extends MistakenInterface {

		@Override
		@StreamListener("events")
		public void onMessage(MapRecord<String, String, String> message) {
			assertThat(message.getValue()).containsEntry("payload", "x");
		}

	}

	static class BatchWithHeader {

		@StreamListener("events")
		void handle(List<String> payloads, @Header("priority") String priority) {
		}

	}

	static class BytesRecord {

		@StreamListener("events")
		void handle(MapRecord<String, byte[], byte[]> entry) {
		}

	}

	static class BytesRecords {

		@StreamListener("events")
		void handle(List<MapRecord<String, String, byte[]>> entries) {
		}

	}

	static class PayloadRecord {

		@StreamListener("events")
		void handle(ObjectRecord<String, String> entry) {
		}

	}

	static class PayloadRecords {

		@StreamListener("events")
		void handle(List<ObjectRecord<String, String>> entries) {
		}

	}

	static class AnyRecord {

		@StreamListener("events")
		void handle(Record<String, String> entry) {
		}

	}

	static class Replying {

		@StreamListener(value = "events", group = "g")
		@SendTo("results")
		String handle(String payload) {
			return payload;
		}

	}

}
