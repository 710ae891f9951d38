package io.github.redisstreams.test;

import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Keeps the servers of {@link RealRedis} tests. They are closed with the context that
 * they belong to.
 */
class RealRedisExtension implements BeforeEachCallback, ParameterResolver {

	private static final Namespace NAMESPACE = Namespace.create(RealRedisExtension.class);

	@Override
	public void beforeEach(ExtensionContext context) {
		RedisServer server = server(context).start();
		server.command("FLUSHALL");
		server.command("SCRIPT", "FLUSH");
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == RedisServer.class;
	}

	@Override
	public RedisServer resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return server(context).start();
	}

	private static RedisServer server(ExtensionContext context) {
		RealRedis annotation = annotation(context);
		if (annotation.own()) {
			ExtensionContext classContext = context;
			while (classContext.getParent().flatMap(ExtensionContext::getTestClass).isPresent()) {
				classContext = classContext.getParent().get();
			}
			return server(classContext.getStore(NAMESPACE), annotation.arguments());
		}
		return server(context.getRoot().getStore(NAMESPACE));
	}

	private static RedisServer server(Store store, String... arguments) {
		return store.computeIfAbsent(RedisServer.class, (key) -> RedisServer.started(arguments), RedisServer.class);
	}

	private static RealRedis annotation(ExtensionContext context) {
		Class<?> testClass = context.getRequiredTestClass();
		while (testClass != null) {
			RealRedis annotation = AnnotatedElementUtils.findMergedAnnotation(testClass, RealRedis.class);
			if (annotation != null) {
				return annotation;
			}
			testClass = testClass.getEnclosingClass();
		}
		throw new IllegalStateException(context.getRequiredTestClass() + " is not annotated with @RealRedis");
	}

}
