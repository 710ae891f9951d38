package io.github.redisstreams.test.autoconfigure;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.redisstreams.annotation.StreamListener;
import io.github.redisstreams.annotation.StreamListeners;
import io.github.redisstreams.config.StreamContainerCustomizer;
import io.github.redisstreams.config.StreamListenerConfigurer;
import io.github.redisstreams.listener.failure.FailureHandler;
import io.github.redisstreams.publish.PublishEvents;
import tools.jackson.databind.JacksonModule;

import org.springframework.boot.jackson.JacksonComponent;
import org.springframework.boot.jackson.JacksonMixin;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/**
 * Leaves out all components but listeners and what changes how they work.
 */
class StreamListenerTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<StreamListenerTest> {

	private static final Class<?>[] NO_LISTENERS = {};

	private static final Set<Class<?>> KNOWN_INCLUDES = Set.of(StreamListenerConfigurer.class,
			StreamContainerCustomizer.class, FailureHandler.class, PublishEvents.class,
			JsonMapperBuilderCustomizer.class, JacksonModule.class, JacksonComponent.class, JacksonMixin.class);

	private final Set<Class<?>> listeners;

	StreamListenerTypeExcludeFilter(Class<?> testClass) {
		super(testClass);
		Class<?>[] listeners = getAnnotation().getValue("listeners", Class[].class).orElse(NO_LISTENERS);
		this.listeners = new LinkedHashSet<>(List.of(listeners));
	}

	@Override
	protected Set<Class<?>> getKnownIncludes() {
		return KNOWN_INCLUDES;
	}

	@Override
	protected Set<Class<?>> getComponentIncludes() {
		return this.listeners;
	}

	@Override
	protected boolean defaultInclude(MetadataReader metadataReader, MetadataReaderFactory metadataReaderFactory)
			throws IOException {
		return super.defaultInclude(metadataReader, metadataReaderFactory)
				|| (this.listeners.isEmpty() && hasListeners(metadataReader, metadataReaderFactory));
	}

	// Methods that it inherits listen, too
	private static boolean hasListeners(MetadataReader reader, MetadataReaderFactory readers) throws IOException {
		AnnotationMetadata type = reader.getAnnotationMetadata();
		if (type.hasAnnotatedMethods(StreamListener.class.getName())
				|| type.hasAnnotatedMethods(StreamListeners.class.getName())) {
			return true;
		}
		String superclass = type.getSuperClassName();
		if (superclass != null && !superclass.startsWith("java.")
				&& hasListeners(readers.getMetadataReader(superclass), readers)) {
			return true;
		}
		for (String implemented : type.getInterfaceNames()) {
			if (!implemented.startsWith("java.") && hasListeners(readers.getMetadataReader(implemented), readers)) {
				return true;
			}
		}
		return false;
	}

}
