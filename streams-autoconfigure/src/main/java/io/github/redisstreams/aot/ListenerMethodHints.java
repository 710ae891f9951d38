package io.github.redisstreams.aot;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.github.redisstreams.listener.Acknowledgment;
import io.github.redisstreams.redis.StreamEntry;
import org.reactivestreams.Publisher;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.data.redis.connection.stream.Record;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.messaging.support.MessageHeaderAccessor;
import org.springframework.util.ClassUtils;

/**
 * The hints for listener methods of one class: that they are called, what they take the
 * content of an entry as, and what of their results {@code @SendTo} writes.
 */
final class ListenerMethodHints {

	/** What is made of an entry without Jackson. */
	private static final List<Class<?>> NOT_CONVERTED = List.of(Acknowledgment.class, Record.class, RecordId.class,
			StreamEntry.class, MessageHeaders.class, MessageHeaderAccessor.class);

	/** What only carries the content of an entry. */
	private static final List<Class<?>> CARRIERS = List.of(Message.class, CompletionStage.class, Publisher.class);

	/** What has further types in it, which subclasses may tell where they extend it. */
	private static final List<Class<?>> CONTAINERS = List.of(Message.class, CompletionStage.class, Publisher.class,
			Collection.class, Map.class);

	private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

	private final ReflectionHints hints;

	private final Class<?> type;

	private final Set<ResolvableType> seen = new HashSet<>();

	/**
	 * Create a new instance.
	 * @param hints where to register
	 * @param type the bean's class, which tells what type variables stand for
	 */
	ListenerMethodHints(ReflectionHints hints, Class<?> type) {
		this.hints = hints;
		this.type = type;
	}

	void register(Method method) {
		this.hints.registerMethod(method, ExecutableMode.INVOKE);
		// Called instead where the bean has a proxy of its interfaces
		this.hints.registerMethod(ClassUtils.getInterfaceMethodIfPossible(method, this.type), ExecutableMode.INVOKE);
		for (int i = 0; i < method.getParameterCount(); i++) {
			MethodParameter parameter = new SynthesizingMethodParameter(method, i).withContainingClass(this.type);
			if (!parameter.hasParameterAnnotation(Header.class) && !parameter.hasParameterAnnotation(Headers.class)) {
				registerContent(ResolvableType.forMethodParameter(parameter));
			}
		}
		if (AnnotatedElementUtils.hasAnnotation(method, SendTo.class)
				|| AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), SendTo.class)) {
			registerContent(ResolvableType.forMethodReturnType(method, this.type));
		}
	}

	// Class by class, since the type variables of a superclass mean nothing to whoever is
	// given the generic type
	private void registerContent(ResolvableType content) {
		if (content.isArray()) {
			registerContent(content.getComponentType());
			return;
		}
		Class<?> raw = content.toClass();
		if (isAny(NOT_CONVERTED, raw) || !this.seen.add(content)) {
			return;
		}
		if (!isAny(CARRIERS, raw)) {
			this.binding.registerReflectionHints(this.hints, raw);
		}
		Stream.concat(Stream.of(content), CONTAINERS.stream().map(content::as))
			.flatMap((type) -> Stream.of(type.getGenerics()))
			.forEach(this::registerContent);
	}

	private static boolean isAny(List<Class<?>> types, Class<?> candidate) {
		return types.stream().anyMatch((type) -> type.isAssignableFrom(candidate));
	}

}
