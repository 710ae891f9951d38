package io.github.redisstreams.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.config.StreamListenerConfigurer;
import io.github.redisstreams.config.StreamListenerContainerFactory;
import io.github.redisstreams.config.StreamListenerEndpoint;
import io.github.redisstreams.config.StreamListenerRegistrar;
import io.github.redisstreams.config.StreamListenerRegistry;
import io.github.redisstreams.listener.EntryHandler;
import io.github.redisstreams.listener.ListenerOptions;
import io.github.redisstreams.listener.adapter.MethodHandlerFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.data.redis.stream.StreamMessageListenerContainer;
import org.springframework.data.redis.stream.Subscription;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.stereotype.Component;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds {@link StreamListener} methods and registers an endpoint for each. Looks through
 * the bean definitions once all singletons exist, as Spring does for
 * {@code @EventListener}, rather than at beans as they are created: so lazy beans listen
 * too, and a prototype is not registered once per instance. As there, classes of Spring
 * itself are passed over, recognised by their package and by not being components.
 */
class StreamListenerProcessor implements SmartInitializingSingleton {

	private static final Set<String> WEB_SCOPES = Set.of("request", "session");

	private final ConfigurableListableBeanFactory beanFactory;

	private final StreamListenerRegistry registry;

	private final StreamListenerContainerFactory containerFactory;

	private final MethodHandlerFactory handlers;

	private final List<StreamListenerConfigurer> configurers;

	private final AttributeResolver attributes;

	StreamListenerProcessor(ConfigurableListableBeanFactory beanFactory, StreamListenerRegistry registry,
			StreamListenerContainerFactory containerFactory, MethodHandlerFactory handlers,
			List<StreamListenerConfigurer> configurers) {
		this.beanFactory = beanFactory;
		this.registry = registry;
		this.containerFactory = containerFactory;
		this.handlers = handlers;
		this.configurers = configurers;
		this.attributes = new AttributeResolver(beanFactory);
	}

	@Override
	public void afterSingletonsInstantiated() {
		for (String beanName : this.beanFactory.getBeanNamesForType(Object.class, true, false)) {
			if (!ScopedProxyUtils.isScopedTarget(beanName)) {
				Class<?> type = targetClass(beanName);
				if (type != null) {
					registerListenersOf(beanName, type);
				}
			}
		}
		StreamListenerRegistrar registrar = new StreamListenerRegistrar();
		this.configurers.forEach((configurer) -> configurer.registerEndpoints(registrar));
		registrar.getEndpoints().forEach(this::register);
	}

	private void register(StreamListenerEndpoint endpoint) {
		this.registry.register(endpoint, this.containerFactory);
	}

	private @Nullable Class<?> targetClass(String beanName) {
		try {
			Object singleton = this.beanFactory.containsSingleton(beanName) ? this.beanFactory.getSingleton(beanName)
					: null;
			Class<?> type = (singleton != null && !(singleton instanceof FactoryBean))
					? AopProxyUtils.ultimateTargetClass(singleton)
					: AutoProxyUtils.determineTargetClass(this.beanFactory, beanName);
			if (type != null && ScopedObject.class.isAssignableFrom(type)) {
				type = AutoProxyUtils.determineTargetClass(this.beanFactory,
						ScopedProxyUtils.getTargetBeanName(beanName));
			}
			return type;
		}
		// A lazy bean whose class cannot be told or loaded is no concern of ours
		catch (RuntimeException | LinkageError ex) {
			return null;
		}
	}

	private void registerListenersOf(String beanName, Class<?> type) {
		Map<Method, Set<StreamListener>> methods = findMethods(type);
		if (methods.isEmpty()) {
			rejectMistakenInterface(beanName, type);
		}
		methods.forEach((method, annotations) -> {
			String source = describe(method);
			checkMethod(method, source);
			EntryHandler handler = handler(beanName, type, method, source);
			annotations.forEach((annotation) -> registerEndpoints(annotation, source, handler));
		});
	}

	private static Map<Method, Set<StreamListener>> findMethods(Class<?> type) {
		if (isOfSpring(type) || !AnnotationUtils.isCandidateClass(type, StreamListener.class)) {
			return Map.of();
		}
		return MethodIntrospector.selectMethods(type,
				(MethodIntrospector.MetadataLookup<Set<StreamListener>>) (method) -> {
					Set<StreamListener> annotations = AnnotatedElementUtils.findMergedRepeatableAnnotations(method,
							StreamListener.class, StreamListeners.class);
					return annotations.isEmpty() ? null : annotations;
				});
	}

	// Looking at each method of Spring's many beans took longer than all the rest here
	private static boolean isOfSpring(Class<?> type) {
		return type.getName().startsWith("org.springframework.")
				&& !AnnotatedElementUtils.isAnnotated(ClassUtils.getUserClass(type), Component.class);
	}

	private void registerEndpoints(StreamListener annotation, String source, EntryHandler handler) {
		List<String> names = Arrays.stream(annotation.value())
			.map((name) -> this.attributes.resolve("value", name, source))
			.toList();
		if (names.isEmpty() || !names.stream().allMatch(StringUtils::hasText)) {
			throw new StreamsConfigurationException("@StreamListener on " + source + " names no stream",
					"Give it the stream's key or the name of an entry under redis.streams.listeners, such as "
							+ "@StreamListener(\"events\").");
		}
		String id = this.attributes.resolve("id", annotation.id(), source);
		Consumer<ListenerOptions.Builder> options = this.attributes.options(annotation, source);
		for (String name : names) {
			String ownId = (names.size() > 1) ? id + "-" + name : id;
			register(
					new StreamListenerEndpoint(StringUtils.hasText(id) ? ownId : name, name, source, handler, options));
		}
	}

	private EntryHandler handler(String beanName, Class<?> type, Method method, String source) {
		checkScope(beanName, source);
		Supplier<Object> bean = () -> this.beanFactory.getBean(beanName);
		Object example = bean.get();
		if (this.beanFactory.isSingleton(beanName)) {
			bean = () -> example;
		}
		Method invocable = invocableMethod(method, example, source);
		return this.handlers.createHandler(bean, type, invocable, replyStreams(method, source));
	}

	private static Method invocableMethod(Method method, Object bean, String source) {
		try {
			Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
			if (Modifier.isFinal(method.getModifiers()) && AopUtils.isCglibProxy(bean)) {
				throw new IllegalStateException("The method is final and so passes by the bean's proxy");
			}
			return invocable;
		}
		catch (IllegalStateException ex) {
			throw new StreamsConfigurationException(
					"@StreamListener method " + source + " cannot be called through the bean's proxy: "
							+ ex.getMessage(),
					"Declare the method in an interface of the bean, or proxy the class (proxyTargetClass = true) and "
							+ "make the method neither private nor final.",
					ex);
		}
	}

	private static void checkMethod(Method method, String source) {
		if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
			throw new StreamsConfigurationException(
					"@StreamListener method " + source + " is "
							+ (Modifier.isStatic(method.getModifiers()) ? "static" : "private"),
					"Make it an instance method that is not private.");
		}
	}

	private void checkScope(String beanName, String source) {
		String target = ScopedProxyUtils.getTargetBeanName(beanName);
		String scoped = this.beanFactory.containsBeanDefinition(target) ? target : beanName;
		String scope = this.beanFactory.containsBeanDefinition(scoped)
				? this.beanFactory.getMergedBeanDefinition(scoped).getScope() : null;
		if (scope != null && WEB_SCOPES.contains(scope)) {
			throw new StreamsConfigurationException("@StreamListener method " + source + " is in bean '" + beanName
					+ "' of scope " + scope + ", but entries arrive outside any web request",
					"Move the method to a singleton bean.");
		}
	}

	private List<String> replyStreams(Method method, String source) {
		SendTo sendTo = AnnotatedElementUtils.findMergedAnnotation(method, SendTo.class);
		if (sendTo == null) {
			sendTo = AnnotatedElementUtils.findMergedAnnotation(method.getDeclaringClass(), SendTo.class);
		}
		if (sendTo == null) {
			return List.of();
		}
		if (sendTo.value().length == 0) {
			throw new StreamsConfigurationException("@SendTo on " + source + " names no stream",
					"Give it the name of the stream to send results to, such as @SendTo(\"results\").");
		}
		return Arrays.stream(sendTo.value()).map((name) -> this.attributes.resolve("@SendTo", name, source)).toList();
	}

	// Where a container of Spring Data Redis is around, its listeners are none of ours
	private void rejectMistakenInterface(String beanName, Class<?> type) {
		if (org.springframework.data.redis.stream.StreamListener.class.isAssignableFrom(type)
				&& !hasBean(StreamMessageListenerContainer.class) && !hasBean(Subscription.class)) {
			throw new StreamsConfigurationException(
					"Bean '" + beanName + "' implements the StreamListener interface of Spring Data Redis, whose "
							+ "method " + type.getName() + ".onMessage nothing calls",
					"Annotate a method with @" + StreamListener.class.getName() + " and drop the interface, or define "
							+ "the StreamMessageListenerContainer or the Subscription that serves it as a bean.");
		}
	}

	private boolean hasBean(Class<?> type) {
		return this.beanFactory.getBeanNamesForType(type, true, false).length > 0;
	}

	private static String describe(Method method) {
		return ClassUtils.getQualifiedMethodName(method) + Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.toList()
			.toString()
			.replace('[', '(')
			.replace(']', ')');
	}

}
