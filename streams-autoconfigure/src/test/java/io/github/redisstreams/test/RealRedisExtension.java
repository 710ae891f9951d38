package io.github.redisstreams.test;

import java.time.Duration;

import org.awaitility.Awaitility;
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

	static {
		Awaitility.setDefaultPollDelay(Duration.ZERO);
		Awaitility.setDefaultPollInterval(Duration.ofMillis(20));
	}

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
		Class<?> annotated = annotatedClass(context.getRequiredTestClass());
		RealRedis annotation = AnnotatedElementUtils.getMergedAnnotation(annotated, RealRedis.class);
		if (annotation != null && annotation.own()) {
			return server(outermostContext(context, annotated).getStore(NAMESPACE), annotated, annotation.arguments());
		}
		return server(context.getRoot().getStore(NAMESPACE), RealRedis.class);
	}

	// The key tells the servers apart, since a store also finds what its parents hold
	private static RedisServer server(Store store, Class<?> key, String... arguments) {
		return store.computeIfAbsent(key, (absent) -> RedisServer.started(arguments), RedisServer.class);
	}

	private static Class<?> annotatedClass(Class<?> testClass) {
		Class<?> candidate = testClass;
		while (!AnnotatedElementUtils.hasAnnotation(candidate, RealRedis.class)) {
			candidate = candidate.getEnclosingClass();
		}
		return candidate;
	}

	private static ExtensionContext outermostContext(ExtensionContext context, Class<?> testClass) {
		ExtensionContext found = context;
		ExtensionContext current = context;
		while (current.getTestClass().isPresent()) {
			if (current.getRequiredTestClass() == testClass) {
				found = current;
			}
			current = current.getParent().orElseThrow();
		}
		return found;
	}

}
