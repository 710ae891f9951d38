package io.github.redisstreams.annotation;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.AckMode;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.OnSuccess;
import io.github.redisstreams.listener.failure.Failure;
import io.github.redisstreams.listener.failure.FailureHandler;
import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.RecordingContainerFactory;
import io.github.redisstreams.test.RecordingStreamTemplate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.expression.StandardBeanExpressionResolver;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.messaging.handler.annotation.SendTo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for the attributes of {@link StreamListener}.
 */
class StreamListenerAttributesTests {

	@Test
	void theNameIsStreamAndIdUnlessSaidOtherwise() {
		ListenerContexts.with(OneName.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(listeners.ids()).containsExactly("events");
			assertThat(listeners.options("events").stream()).isEqualTo("events");
		});
	}

	@Test
	void severalNamesMakeOneListenerEach() {
		ListenerContexts.with(SeveralNames.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(listeners.ids()).containsExactlyInAnyOrder("orders", "returns", "audit-orders", "audit-returns");
			assertThat(listeners.options("returns").stream()).isEqualTo("returns");
			assertThat(listeners.options("audit-returns").stream()).isEqualTo("returns");
			assertThat(listeners.options("audit-orders").group()).isEqualTo("audit");
		});
	}

	@Test
	void severalNamesShareWhatAnExpressionGives() {
		ListenerContexts.with(NamedByAnExpression.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(listeners.options("orders").consumer()).startsWith("worker-")
				.isEqualTo(listeners.options("returns").consumer());
		});
	}

	@Test
	void aRepeatedAnnotationMakesOneListenerEach() {
		ListenerContexts.with(Repeated.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(listeners.ids()).containsExactlyInAnyOrder("fast", "slow", "held", "other");
			assertThat(listeners.options("fast").concurrency()).isEqualTo(8);
			assertThat(listeners.options("slow").concurrency()).isEqualTo(1);
			for (String id : listeners.ids()) {
				listeners.handle(id, Entries.payload(id));
			}
			assertThat(context.getBean(Repeated.class).handled).hasSize(4);
		});
	}

	@Test
	void anAnnotationOfOnesOwnCarriesAttributesThroughAliases() {
		ListenerContexts.with(Composed.class).run((context) -> {
			ListenerOptions options = ListenerContexts.listeners(context).options("orders");
			assertThat(options.stream()).isEqualTo("orders");
			assertThat(options.group()).isEqualTo("audit");
			assertThat(options.concurrency()).isEqualTo(3);
			assertThat(ListenerContexts.listeners(context).options("returns").concurrency()).isEqualTo(1);
		});
	}

	@Test
	void everyAttributeTakesPlaceholders() {
		ListenerContexts.with(Placeholders.class, QuotaAware.class)
			.withPropertyValues("app.stream=app:events", "app.id=my-id", "app.group=billing", "app.consumer=two",
					"app.from=latest", "app.auto=false", "app.concurrency=7", "app.batch=50", "app.poll=300ms",
					"app.idle=PT30S", "app.claim=1s", "app.ack=manual", "app.shutdown=1m", "app.out=results",
					"app.deliveries=3", "app.success=delete", "app.handler=quotaAware", "app.dead=app:dead")
			.run((context) -> {
				RecordingContainerFactory listeners = ListenerContexts.listeners(context);
				assertThat(listeners.options("my-id")).isEqualTo(expected(context));
				listeners.handle("my-id", Entries.payload("x"));
				assertThat(context.getBean(RecordingStreamTemplate.class).sent())
					.extracting(RecordingStreamTemplate.Sent::stream)
					.containsExactly("results", "copies");
			});
	}

	@Test
	void everyAttributeTakesExpressions() {
		ListenerContexts.with(Expressions.class, Values.class, QuotaAware.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(listeners.options("my-id")).isEqualTo(expected(context));
			listeners.handle("my-id", Entries.payload("x"));
			assertThat(context.getBean(RecordingStreamTemplate.class).sent())
				.extracting(RecordingStreamTemplate.Sent::stream)
				.containsExactly("results");
		});
	}

	private static ListenerOptions expected(ApplicationContext context) {
		return ListenerOptions.builder()
			.stream("app:events")
			.group("billing")
			.consumer("two")
			.startFrom("latest")
			.autoStartup(false)
			.concurrency(7)
			.batchSize(50)
			.pollTimeout(Duration.ofMillis(300))
			.minIdle(Duration.ofSeconds(30))
			.claimInterval(Duration.ofSeconds(1))
			.ackMode(AckMode.MANUAL)
			.shutdownTimeout(Duration.ofMinutes(1))
			.maxDeliveries(3)
			.onSuccess(OnSuccess.DELETE)
			.failureHandler(context.getBean(FailureHandler.class))
			.deadLetter((deadLetter) -> deadLetter.stream("app:dead"))
			.retry((retry) -> retry.includes(List.of(IOException.class, TimeoutException.class))
				.excludes(List.of(FileNotFoundException.class)))
			.build("my-id", "test");
	}

	@Test
	void aFailureHandlerIsUsedOnlyWhereItIsNamed() {
		ListenerContexts.with(Handled.class, QuotaAware.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(listeners.options("events").failureHandler())
				.isSameAs(context.getBean("quotaAware", FailureHandler.class));
			assertThat(listeners.options("others").failureHandler()).isNull();
		});
	}

	@Test
	void aFailureHandlerMayBeLazyAndMayNeedTheRegistry() {
		ListenerContexts.with(Handled.class, LazyQuotaAware.class)
			.run((context) -> assertThat(ListenerContexts.listeners(context).options("events").failureHandler())
				.isSameAs(context.getBean("quotaAware")));
	}

	@Test
	void aFailureHandlerThatDoesNotExistIsAnErrorThatListsThoseThatDo() {
		ListenerContexts.with(WronglyHandled.class, QuotaAware.class).run((context) -> {
			StreamsConfigurationException failure = ListenerContexts.failure(context);
			assertThat(failure).hasMessageContaining("WronglyHandled.handle(String)")
				.hasMessageContaining("attribute failureHandler")
				.hasMessageContaining("names the bean 'quoteAware', which does not exist");
			assertThat(failure.getAction()).isEqualTo("Name one of the FailureHandler beans: quotaAware.");
		});
	}

	@Test
	void aFailureHandlerWhereThereIsNoneIsAnErrorThatSaysSo() {
		ListenerContexts.with(WronglyHandled.class)
			.run((context) -> assertThat(ListenerContexts.failure(context).getAction())
				.isEqualTo("There is no FailureHandler bean at all: define one of that name, or name none."));
	}

	@Test
	void aBeanThatIsNoFailureHandlerIsAnErrorThatNamesItsType() {
		ListenerContexts.with(Handled.class, NoHandler.class).run((context) -> {
			StreamsConfigurationException failure = ListenerContexts.failure(context);
			assertThat(failure).hasMessageContaining("Handled.handle(String)")
				.hasMessageContaining("names the bean 'quotaAware', which is no FailureHandler but a java.lang.String");
		});
	}

	@Test
	void anAnnotationOfOnesOwnCarriesExceptionsAndDeadLetterStream() {
		ListenerContexts.with(ComposedRetries.class).run((context) -> {
			ListenerOptions options = ListenerContexts.listeners(context).options("orders");
			assertThat(options.retry().excludes()).containsExactly(IOException.class);
			assertThat(options.deadLetterStream()).isEqualTo("{orders}:failed");
		});
	}

	@Test
	void aPlaceholderThatResolvesToNothingLeavesTheDefault() {
		ListenerContexts.with(EmptyDefaults.class).run((context) -> {
			ListenerOptions options = ListenerContexts.listeners(context).options("events");
			assertThat(options.group()).isEqualTo("workers");
			assertThat(options.concurrency()).isEqualTo(1);
			assertThat(options.minIdle()).isEqualTo(Duration.ofSeconds(60));
		});
	}

	@ParameterizedTest
	@CsvSource({ "on-success, ON_SUCCESS", "ON_SUCCESS, ON_SUCCESS", "on_success, ON_SUCCESS", "always, ALWAYS",
			"Manual, MANUAL", "' manual ', MANUAL" })
	void ackModesAreReadAsPropertiesAre(String text, AckMode mode) {
		assertThat(options("ackMode", text).ackMode()).isEqualTo(mode);
	}

	@ParameterizedTest
	@CsvSource({ "keep, KEEP", "DELETE, DELETE", "' Delete ', DELETE" })
	void whatBecomesOfEntriesIsReadAsPropertiesAre(String text, OnSuccess onSuccess) {
		assertThat(options("onSuccess", text).onSuccess()).isEqualTo(onSuccess);
	}

	@Test
	void aWordThatIsNoneOfTheAllowedIsAnErrorThatNamesThem() {
		assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> options("ackMode", "sometimes"))
			.withMessageContaining("'sometimes' is none of on-success, always, manual");
		assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> options("onSuccess", "forget"))
			.withMessageContaining("'forget' is none of keep, delete");
	}

	@ParameterizedTest
	@CsvSource({ "3000, 3000", "2s, 2000", "PT2S, 2000", "' 1m ', 60000" })
	void durationsAreReadAsPropertiesAre(String text, long millis) {
		assertThat(options("pollTimeout", text).pollTimeout()).hasMillis(millis);
	}

	@ParameterizedTest
	@CsvSource({ "concurrency, many", "concurrency, 1.5", "concurrency, 99999999999", "batchSize, all",
			"pollTimeout, soon", "minIdle, 5 parsecs", "claimInterval, 1x", "shutdownTimeout, PT",
			"autoStartup, perhaps", "ackMode, sometimes", "maxDeliveries, often", "onSuccess, forget" })
	void aValueThatCannotBeReadIsAnErrorThatNamesMethodAttributeAndValue(String attribute, String value) {
		assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> options(attribute, value))
			.withMessageContaining("com.example.Orders.handle(Order)")
			.withMessageContaining(attribute + " = \"" + value + "\"")
			.satisfies((ex) -> assertThat(ex.getAction()).contains("Correct the attribute"));
	}

	private static Stream<String> attributes() {
		return Arrays.stream(StreamListener.class.getDeclaredMethods())
			.filter((attribute) -> attribute.getReturnType() == String.class)
			.map(Method::getName);
	}

	@ParameterizedTest
	@MethodSource("attributes")
	void everyAttributeStandsForAnOption(String attribute) {
		Throwable failure = catchThrowable(() -> options(attribute, "1"));
		if (failure != null) {
			assertThat(failure).hasMessageNotContaining("There is no such option");
		}
	}

	@ParameterizedTest
	@MethodSource("attributes")
	void aPlaceholderOrExpressionThatCannotBeResolvedIsAnErrorThatNamesMethodAndAttribute(String attribute) {
		for (String value : List.of("${no.such.property}", "#{noSuchBean.value}", "#{1 +}")) {
			assertThatExceptionOfType(StreamsConfigurationException.class).isThrownBy(() -> options(attribute, value))
				.withMessageContaining("com.example.Orders.handle(Order)")
				.withMessageContaining(attribute + " = \"" + value + "\"");
		}
	}

	@Test
	void anUnresolvableStreamNameIsAnErrorThatNamesMethodAndAttribute() {
		ListenerContexts.with(UnresolvableValue.class)
			.run((context) -> assertThat(ListenerContexts.failure(context))
				.hasMessageContaining("UnresolvableValue.handle(String)")
				.hasMessageContaining("value = \"${no.such.stream}\""));
	}

	@Test
	void anUnresolvableIdIsAnErrorThatNamesMethodAndAttribute() {
		ListenerContexts.with(UnresolvableId.class)
			.run((context) -> assertThat(ListenerContexts.failure(context))
				.hasMessageContaining("UnresolvableId.handle(String)")
				.hasMessageContaining("id = \"${no.such.id}\""));
	}

	@Test
	void anUnresolvableReplyStreamIsAnErrorThatNamesMethodAndAnnotation() {
		ListenerContexts.with(UnresolvableSendTo.class)
			.run((context) -> assertThat(ListenerContexts.failure(context))
				.hasMessageContaining("UnresolvableSendTo.handle(String)")
				.hasMessageContaining("@SendTo = \"#{noSuchBean}\"")
				.hasMessageContaining("'noSuchBean' cannot be found"));
	}

	@Test
	void anAnnotationWithoutStreamIsAnErrorThatNamesTheMethod() {
		for (Class<?> component : List.of(NoName.class, BlankName.class, NameThatResolvesToNothing.class)) {
			ListenerContexts.with(component).run((context) -> {
				StreamsConfigurationException failure = ListenerContexts.failure(context);
				assertThat(failure).hasMessageContaining(component.getSimpleName() + ".handle(String)")
					.hasMessageContaining("names no stream");
				assertThat(failure.getAction()).contains("redis.streams.listeners");
			});
		}
	}

	@Test
	void aReplyAnnotationWithoutStreamIsAnErrorThatNamesTheMethod() {
		ListenerContexts.with(EmptySendTo.class)
			.run((context) -> assertThat(ListenerContexts.failure(context))
				.hasMessageContaining("EmptySendTo.handle(String)")
				.hasMessageContaining("@SendTo"));
	}

	private static ListenerOptions options(String attribute, String value) {
		ListenerOptions.Builder builder = ListenerOptions.builder().stream("s").group("g").consumer("c");
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		beanFactory.setBeanExpressionResolver(new StandardBeanExpressionResolver());
		GenericApplicationContext context = new GenericApplicationContext(beanFactory);
		context.refresh();
		AttributeResolver resolver = new AttributeResolver(beanFactory);
		String source = "com.example.Orders.handle(Order)";
		if (attribute.equals("id")) {
			resolver.resolve(attribute, value, source);
		}
		StreamListener annotation = AnnotationUtils.synthesizeAnnotation(Map.of(attribute, value), StreamListener.class,
				null);
		resolver.options(annotation, source).accept(builder);
		return builder.build("s", "test");
	}

	static class OneName {

		@StreamListener("events")
		void handle(String payload) {
		}

	}

	static class SeveralNames {

		@StreamListener({ "orders", "returns" })
		void handle(String payload) {
		}

		@StreamListener(value = { "orders", "returns" }, id = "audit", group = "audit")
		void audit(String payload) {
		}

	}

	static class NamedByAnExpression {

		@StreamListener(value = { "orders", "returns" }, consumer = "worker-#{T(java.util.UUID).randomUUID()}")
		void handle(String payload) {
		}

	}

	static class Repeated {

		final List<String> handled = new CopyOnWriteArrayList<>();

		@StreamListener(value = "fast", concurrency = "8")
		@StreamListener("slow")
		void handle(String payload) {
			this.handled.add(payload);
		}

		@StreamListeners({ @StreamListener("held"), @StreamListener("other") })
		void handleHeld(String payload) {
			this.handled.add(payload);
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@StreamListener(group = "audit")
	@interface AuditListener {

		@AliasFor(annotation = StreamListener.class, attribute = "value")
		String[] stream();

		@AliasFor(annotation = StreamListener.class, attribute = "concurrency")
		String parallel() default "";

	}

	static class Composed {

		@AuditListener(stream = "orders", parallel = "3")
		void handle(String payload) {
		}

		@AuditListener(stream = "returns")
		void handleReturns(String payload) {
		}

	}

	static class Placeholders {

		@StreamListener(value = "${app.stream}", id = "${app.id}", group = "${app.group}", consumer = "${app.consumer}",
				startFrom = "${app.from}", autoStartup = "${app.auto}", concurrency = "${app.concurrency}",
				batchSize = "${app.batch}", pollTimeout = "${app.poll}", minIdle = "${app.idle}",
				claimInterval = "${app.claim}", ackMode = "${app.ack}", shutdownTimeout = "${app.shutdown}",
				maxDeliveries = "${app.deliveries}", onSuccess = "${app.success}", failureHandler = "${app.handler}",
				deadLetterStream = "${app.dead}", retryIncludes = { IOException.class, TimeoutException.class },
				retryExcludes = FileNotFoundException.class)
		@SendTo({ "${app.out}", "${app.copies:copies}" })
		String handle(String payload) {
			return payload;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Values {

		@Bean
		Map<String, Object> settings() {
			return Map.of("stream", "app:events", "dead", "app:dead", "concurrency", 7, "idle", Duration.ofSeconds(30),
					"ack", AckMode.MANUAL);
		}

	}

	static class Expressions {

		@StreamListener(value = "#{settings['stream']}", id = "#{'my' + '-id'}", group = "#{'BILLING'.toLowerCase()}",
				consumer = "#{'${no.such:two}'}", startFrom = "#{'latest'}", autoStartup = "#{1 > 2}",
				concurrency = "#{settings['concurrency']}", batchSize = "#{5 * 10}", pollTimeout = "#{300}ms",
				minIdle = "#{settings['idle']}", claimInterval = "#{1000}", ackMode = "#{settings['ack']}",
				shutdownTimeout = "#{1}m", maxDeliveries = "#{1 + 2}", onSuccess = "#{'delete'}",
				failureHandler = "#{'quota' + 'Aware'}", deadLetterStream = "#{settings['dead']}",
				retryIncludes = { IOException.class, TimeoutException.class },
				retryExcludes = FileNotFoundException.class)
		@SendTo("#{'result'}s")
		String handle(String payload) {
			return payload;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class QuotaAware {

		@Bean
		FailureHandler quotaAware() {
			return Failure::defaultOutcome;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyQuotaAware {

		@Bean
		@Lazy
		FailureHandler quotaAware(StreamListenerRegistry registry) {
			return Failure::defaultOutcome;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoHandler {

		@Bean
		String quotaAware() {
			return "";
		}

	}

	static class Handled {

		@StreamListener(value = "events", failureHandler = "quotaAware")
		void handle(String payload) {
		}

		@StreamListener("others")
		void handleOthers(String payload) {
		}

	}

	static class WronglyHandled {

		@StreamListener(value = "events", failureHandler = "quoteAware")
		void handle(String payload) {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@StreamListener(deadLetterStream = "{orders}:failed")
	@interface RetryingListener {

		@AliasFor(annotation = StreamListener.class, attribute = "value")
		String stream();

		@AliasFor(annotation = StreamListener.class, attribute = "retryExcludes")
		Class<? extends Throwable>[] never();

	}

	static class ComposedRetries {

		@RetryingListener(stream = "orders", never = IOException.class)
		void handle(String payload) {
		}

	}

	static class EmptyDefaults {

		@StreamListener(value = "events", group = "${no.such:}", concurrency = "${no.such:}", minIdle = "#{null}")
		void handle(String payload) {
		}

	}

	static class UnresolvableValue {

		@StreamListener("${no.such.stream}")
		void handle(String payload) {
		}

	}

	static class UnresolvableId {

		@StreamListener(value = "events", id = "${no.such.id}")
		void handle(String payload) {
		}

	}

	static class UnresolvableSendTo {

		@StreamListener("events")
		@SendTo("#{noSuchBean}")
		String handle(String payload) {
			return payload;
		}

	}

	static class NoName {

		@StreamListener(group = "g")
		void handle(String payload) {
		}

	}

	static class BlankName {

		@StreamListener({ "events", " " })
		void handle(String payload) {
		}

	}

	static class NameThatResolvesToNothing {

		@StreamListener("${no.such.stream:}")
		void handle(String payload) {
		}

	}

	static class EmptySendTo {

		@StreamListener("events")
		@SendTo
		String handle(String payload) {
			return payload;
		}

	}

}
