package io.github.redisstreams.aot;

import java.lang.reflect.Method;
import java.util.Set;

import io.github.redisstreams.annotation.StreamListener;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Finds the {@link StreamListener} methods of a bean, as {@code StreamListenerProcessor}
 * does when the application runs, and registers what calling them needs.
 */
class StreamListenerBeanRegistrationAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
		Set<Method> methods = listenerMethods(type);
		if (methods.isEmpty()) {
			return null;
		}
		return (generation, registration) -> {
			ListenerMethodHints hints = new ListenerMethodHints(generation.getRuntimeHints().reflection(), type);
			methods.forEach(hints::register);
		};
	}

	private static Set<Method> listenerMethods(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, StreamListener.class)) {
			return Set.of();
		}
		MetadataLookup<Boolean> isListener = (
				method) -> MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(StreamListener.class)
						? Boolean.TRUE : null;
		return MethodIntrospector.selectMethods(type, isListener).keySet();
	}

}
