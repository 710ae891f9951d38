package io.github.redisstreams.annotation;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redisstreams.test.Entries;
import io.github.redisstreams.test.RecordingContainerFactory;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.DefaultAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.CustomScopeConfigurer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.samples.SampleConfiguration;
import org.springframework.samples.SampleListener;
import org.springframework.samples.SampleService;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the sorts of beans and methods that can be listeners.
 */
class ListenerBeansTests {

	private static final List<String> handled = new CopyOnWriteArrayList<>();

	private static final List<String> advised = new CopyOnWriteArrayList<>();

	ListenerBeansTests() {
		handled.clear();
		advised.clear();
	}

	private static void assertThatOneListenerHandles(ApplicationContextRunner runner) {
		runner.run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(listeners.ids()).containsExactly("events");
			listeners.handle("events", Entries.payload("first"));
			assertThat(handled).containsExactly("first");
		});
	}

	@Test
	void aPackagePrivateMethodOfAPackagePrivateClassListens() {
		assertThatOneListenerHandles(ListenerContexts.with(PackagePrivate.class));
	}

	@Test
	void aProtectedMethodListens() {
		assertThatOneListenerHandles(ListenerContexts.with(Protected.class));
	}

	@Test
	void aLazyBeanListens() {
		assertThatOneListenerHandles(ListenerContexts.with(LazyBean.class));
	}

	@Test
	void aMethodOfAConfigurationClassWithProxiedBeanMethodsListens() {
		assertThatOneListenerHandles(ListenerContexts.with(ProxiedConfiguration.class));
	}

	@ParameterizedTest
	@ValueSource(classes = { SampleService.class, SampleConfiguration.class })
	void aComponentInAPackageOfSpringListens(Class<?> component) {
		ListenerContexts.with(component)
			.run((context) -> assertThat(ListenerContexts.listeners(context).ids()).containsExactly("events"));
	}

	@Test
	void aClassOfSpringThatIsNoComponentIsNotLookedAt() {
		ListenerContexts.with()
			.withBean(SampleListener.class)
			.run((context) -> assertThat(ListenerContexts.listeners(context).ids()).isEmpty());
	}

	@Test
	void aMethodInheritedFromASuperclassListens() {
		assertThatOneListenerHandles(ListenerContexts.with(Inheriting.class));
	}

	@Test
	void anOverriddenMethodListensOnceAndIsTheOneThatIsCalled() {
		assertThatOneListenerHandles(ListenerContexts.with(Overriding.class));
	}

	@Test
	void aMethodAnnotatedOnAnInterfaceListens() {
		assertThatOneListenerHandles(ListenerContexts.with(Implementing.class));
	}

	@Test
	void aDefaultMethodOfAnInterfaceListens() {
		assertThatOneListenerHandles(ListenerContexts.with(DefaultMethod.class));
	}

	@Test
	void aMethodThatImplementsAGenericOneListensOnce() {
		assertThatOneListenerHandles(ListenerContexts.with(GenericImplementation.class));
	}

	@Test
	void aGenericMethodAnnotatedOnTheInterfaceListensOnceAndGetsTheImplementationsType() {
		ListenerContexts.with(GenericContract.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(listeners.ids()).containsExactly("events");
			listeners.handle("events", Entries.payload("{\"number\":7}"));
			assertThat(handled).containsExactly("7");
		});
	}

	@Test
	void aGenericMethodInheritedFromASuperclassGetsTheSubclassesType() {
		ListenerContexts.with(OrderHandler.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(listeners.ids()).containsExactlyInAnyOrder("one", "many");
			listeners.handle("one", Entries.payload("{\"number\":7}"));
			listeners.handle("one", Entries.entry("number", "8"));
			listeners.handle("many", Entries.payload("{\"number\":9}"), Entries.entry(1, "number", "10"));
			assertThat(handled).containsExactly("7", "8", "9", "10");
		});
	}

	@Test
	void aGenericMethodOfAProxiedSubclassGetsTheSubclassesType() {
		ListenerContexts.with(Advice.class, OrderHandler.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(AopUtils.isCglibProxy(context.getBean(OrderHandler.class))).isTrue();
			listeners.handle("one", Entries.payload("{\"number\":7}"));
			listeners.handle("many", Entries.payload("{\"number\":9}"), Entries.entry(1, "number", "10"));
			assertThat(handled).containsExactly("7", "9", "10");
			assertThat(advised).containsExactly("handle", "handleAll");
		});
	}

	@Test
	void theAdviceOfAClassProxyIsAppliedToPublicAndPackagePrivateMethods() {
		ListenerContexts.with(Advice.class, TwoMethods.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(AopUtils.isCglibProxy(context.getBean(TwoMethods.class))).isTrue();
			listeners.handle("public", Entries.payload("first"));
			listeners.handle("package-private", Entries.payload("second"));
			assertThat(handled).containsExactly("first by dependency", "second by dependency");
			assertThat(advised).containsExactly("handle", "handleWithin");
		});
	}

	@Test
	void theAdviceOfAnInterfaceProxyIsApplied() {
		ListenerContexts.with(Advice.class, BehindInterface.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Handling.class))).isTrue();
			assertThat(listeners.ids()).containsExactly("events");
			listeners.handle("events", Entries.payload("first", "priority", "3"));
			assertThat(handled).containsExactly("first 3");
			assertThat(advised).containsExactly("handle");
		});
	}

	@Test
	void aLazyBeanBehindAnInterfaceProxyListens() {
		ListenerContexts.with(Advice.class, LazyBehindInterface.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			listeners.handle("events", Entries.payload("first", "priority", "3"));
			assertThat(handled).containsExactly("first 3");
			assertThat(advised).containsExactly("handle");
		});
	}

	@Test
	void aBeanWhoseProxyWasMadeByHandListens() {
		ListenerContexts.with(ProxyByHand.class).run((context) -> {
			ListenerContexts.listeners(context).handle("events", Entries.payload("first", "priority", "3"));
			assertThat(handled).containsExactly("first 3");
			assertThat(advised).containsExactly("handle");
		});
	}

	@Test
	void aPrototypeIsOneListenerAndHandlesEachEntryWithAFreshInstance() {
		ListenerContexts.with(Prototype.class).run((context) -> {
			RecordingContainerFactory listeners = ListenerContexts.listeners(context);
			assertThat(listeners.ids()).containsExactly("events");
			context.getBean(Prototype.class);
			listeners.handle("events", Entries.payload("first"));
			listeners.handle("events", Entries.payload("second"));
			assertThat(listeners.ids()).containsExactly("events");
			assertThat(handled).containsExactly("first, call 1", "second, call 1");
		});
	}

	@Test
	void aBeanBehindAScopedProxyIsOneListenerAndHandlesWithTheInstanceOfTheScope() {
		ListenerContexts.with(ThreadScope.class, ScopedProxied.class)
			.run((context) -> assertThatEachThreadHasItsInstance(ListenerContexts.listeners(context)));
	}

	@Test
	void aBeanOfACustomScopeWithoutProxyHandlesWithTheInstanceOfTheScope() {
		ListenerContexts.with(ThreadScope.class, Scoped.class)
			.run((context) -> assertThatEachThreadHasItsInstance(ListenerContexts.listeners(context)));
	}

	private static void assertThatEachThreadHasItsInstance(RecordingContainerFactory listeners) throws Exception {
		assertThat(listeners.ids()).containsExactly("events");
		listeners.handle("events", Entries.payload("first"));
		listeners.handle("events", Entries.payload("second"));
		Thread other = new Thread(() -> {
			try {
				listeners.handle("events", Entries.payload("third"));
			}
			catch (Exception ex) {
				handled.add(ex.toString());
			}
		});
		other.start();
		other.join();
		assertThat(handled).containsExactly("first, call 1", "second, call 2", "third, call 1");
	}

	@Test
	void theProductOfAFactoryBeanListens() {
		assertThatOneListenerHandles(ListenerContexts.with(Factory.class));
	}

	@Test
	void theProductOfALazyFactoryBeanListens() {
		assertThatOneListenerHandles(ListenerContexts.with(LazyFactory.class));
	}

	@Test
	void aBeanMethodThatReturnsAnInterfaceTypeMakesAListener() {
		assertThatOneListenerHandles(ListenerContexts.with(InterfaceTyped.class));
	}

	@Test
	void beansWithoutListenersStayUntouched() {
		ListenerContexts.with(LazyUnrelated.class, PackagePrivate.class).run((context) -> {
			assertThat(ListenerContexts.listeners(context).ids()).containsExactly("events");
			assertThat(context.getSourceApplicationContext().getBeanFactory().containsSingleton("lazyUnrelated"))
				.isFalse();
		});
	}

	record Order(int number) {

	}

	static class PackagePrivate {

		@StreamListener("events")
		void handle(String payload) {
			handled.add(payload);
		}

	}

	static class Protected {

		@StreamListener("events")
		protected void handle(String payload) {
			handled.add(payload);
		}

	}

	@Lazy
	static class LazyBean extends PackagePrivate {

	}

	@Configuration
	static class ProxiedConfiguration {

		@StreamListener("events")
		void handle(String payload) {
			handled.add(payload);
		}

	}

	static class Inheriting extends PackagePrivate {

		void unrelated() {
		}

	}

	static class Overriding extends PackagePrivate {

		@Override
		void handle(String payload) {
			super.handle(payload);
		}

	}

	interface Contract {

		@StreamListener("events")
		void handle(String payload);

	}

	static class Implementing implements Contract {

		@Override
		public void handle(String payload) {
			handled.add(payload);
		}

	}

	interface WithDefaultMethod {

		@StreamListener("events")
		default void handle(String payload) {
			handled.add(payload);
		}

	}

	static class DefaultMethod implements WithDefaultMethod {

	}

	interface GenericHandling<T> {

		void handle(T payload);

	}

	static class GenericImplementation implements GenericHandling<String> {

		@Override
		@StreamListener("events")
		public void handle(String payload) {
			handled.add(payload);
		}

	}

	interface GenericListening<T> {

		@StreamListener("events")
		void handle(T payload);

	}

	static class GenericContract implements GenericListening<Order> {

		@Override
		public void handle(Order order) {
			handled.add("" + order.number());
		}

	}

	abstract static class GenericBase<T> {

		@StreamListener("one")
		void handle(T payload) {
			process(payload);
		}

		@StreamListener("many")
		void handleAll(List<T> payloads) {
			payloads.forEach(this::process);
		}

		abstract void process(T payload);

	}

	static class OrderHandler extends GenericBase<Order> {

		@Override
		void process(Order order) {
			handled.add("" + order.number());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Advice {

		@Bean
		static DefaultAdvisorAutoProxyCreator autoProxyCreator() {
			return new DefaultAdvisorAutoProxyCreator();
		}

		@Bean
		static NameMatchMethodPointcutAdvisor advisor() {
			NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(noting());
			advisor.setMappedName("handle*");
			advisor
				.setClassFilter((type) -> type.getEnclosingClass() == ListenerBeansTests.class && type != Advice.class);
			return advisor;
		}

	}

	private static MethodInterceptor noting() {
		return (invocation) -> {
			advised.add(invocation.getMethod().getName());
			return invocation.proceed();
		};
	}

	@Component
	static class TwoMethods {

		private final String dependency;

		TwoMethods() {
			this.dependency = "dependency";
		}

		@StreamListener("public")
		public void handle(String payload) {
			handled.add(payload + " by " + this.dependency);
		}

		@StreamListener("package-private")
		void handleWithin(String payload) {
			handled.add(payload + " by " + this.dependency);
		}

	}

	interface Handling {

		void handle(String payload, @Header("priority") int priority);

	}

	static class BehindInterface implements Handling {

		@Override
		@StreamListener("events")
		public void handle(String payload, int priority) {
			handled.add(payload + " " + priority);
		}

	}

	@Lazy
	static class LazyBehindInterface extends BehindInterface {

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxyByHand {

		@Bean
		Handling handling() {
			ProxyFactory factory = new ProxyFactory(new BehindInterface());
			factory.addAdvice(noting());
			return (Handling) factory.getProxy();
		}

	}

	abstract static class Counting {

		private int calls;

		@StreamListener("events")
		void handle(String payload) {
			handled.add(payload + ", call " + ++this.calls);
		}

	}

	@Scope("prototype")
	static class Prototype extends Counting {

	}

	@Configuration(proxyBeanMethods = false)
	static class ThreadScope {

		@Bean
		static CustomScopeConfigurer threadScope() {
			CustomScopeConfigurer configurer = new CustomScopeConfigurer();
			configurer.addScope("thread", new SimpleThreadScope());
			return configurer;
		}

	}

	@Scope(scopeName = "thread", proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class ScopedProxied extends Counting {

	}

	@Scope("thread")
	static class Scoped extends Counting {

	}

	static class Factory implements FactoryBean<PackagePrivate> {

		@Override
		public PackagePrivate getObject() {
			return new PackagePrivate();
		}

		@Override
		public Class<?> getObjectType() {
			return PackagePrivate.class;
		}

	}

	@Lazy
	static class LazyFactory extends Factory {

	}

	@Configuration(proxyBeanMethods = false)
	static class InterfaceTyped {

		@Bean
		GenericHandling<String> handling() {
			return new GenericImplementation();
		}

	}

	@Lazy
	@Component("lazyUnrelated")
	static class LazyUnrelated {

		void handle(String payload) {
			handled.add(payload);
		}

	}

}
