package io.github.redisstreams.listener.adapter;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.redisstreams.StreamsConfigurationException;
import io.github.redisstreams.listener.Acknowledgment;
import io.github.redisstreams.listener.EntryHandler;
import io.github.redisstreams.publish.StreamTemplate;
import io.github.redisstreams.support.EntryMessageConverter;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.core.convert.ConversionService;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.Record;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.messaging.handler.annotation.support.MessageHandlerMethodFactory;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.validation.Validator;

/**
 * Adapts methods to {@link EntryHandler}s. Arguments are those of Spring messaging
 * ({@code @Payload}, {@code @Header}, {@code @Headers}, {@code Message}) and
 * {@code MapRecord}, {@code RecordId} and {@link Acknowledgment}; a {@code List}
 * parameter makes it a batch handler. A {@code CompletionStage} or a reactive type that
 * the method returns is waited for.
 */
public final class MethodHandlerFactory {

	private final EntryMessageConverter converter;

	private final Supplier<@Nullable StreamTemplate> templates;

	private final @Nullable Validator validator;

	private final MessageHandlerMethodFactory methods;

	/**
	 * Create a new factory.
	 * @param converter converts entries to arguments
	 * @param templates gives what results are sent with; asked for by each method with
	 * {@code @SendTo}
	 * @param validator validates payloads marked {@code @Valid}
	 * @param argumentResolvers resolve further arguments
	 * @param beanFactory resolves placeholders in header names and default values
	 */
	public MethodHandlerFactory(EntryMessageConverter converter, Supplier<@Nullable StreamTemplate> templates,
			@Nullable Validator validator, List<HandlerMethodArgumentResolver> argumentResolvers,
			BeanFactory beanFactory) {
		this.converter = converter;
		this.templates = templates;
		this.validator = validator;
		List<HandlerMethodArgumentResolver> resolvers = new ArrayList<>(argumentResolvers);
		resolvers.add(new StreamArgumentResolver(new DeliveryMessages(converter)));
		DefaultMessageHandlerMethodFactory methods = new DefaultMessageHandlerMethodFactory();
		methods.setMessageConverter(converter);
		methods.setCustomArgumentResolvers(resolvers);
		methods.setConversionService(headerConversions());
		methods.setBeanFactory(beanFactory);
		if (validator != null) {
			methods.setValidator(validator);
		}
		methods.afterPropertiesSet();
		this.methods = methods;
	}

	// A field is text if its bytes happen to be UTF-8, whatever its writer meant. Spring
	// itself would convert between a list of numbers and the array
	private static ConversionService headerConversions() {
		DefaultFormattingConversionService conversions = new DefaultFormattingConversionService();
		conversions.addConverter(String.class, byte[].class, (text) -> text.getBytes(StandardCharsets.UTF_8));
		conversions.addConverter(byte[].class, String.class, (bytes) -> {
			throw new IllegalArgumentException("The field is not UTF-8 text; take it as byte[]");
		});
		return conversions;
	}

	/**
	 * Adapt a method.
	 * @param bean gives the bean for each call
	 * @param beanType the bean's class, which tells what type variables stand for
	 * @param method the method, as it can be invoked on the bean
	 * @param replyStreams names of the streams to send results to
	 * @return the handler
	 * @throws StreamsConfigurationException if the method's parameters cannot be served
	 */
	public EntryHandler createHandler(Supplier<Object> bean, Class<?> beanType, Method method,
			List<String> replyStreams) {
		StreamTemplate template = replyStreams.isEmpty() ? null : requireTemplate(method);
		HandlerMethodInvoker invoker = new HandlerMethodInvoker(this.methods, bean, method, template, replyStreams);
		MethodParameter list = null;
		for (int i = 0; i < method.getParameterCount(); i++) {
			MethodParameter parameter = new SynthesizingMethodParameter(method, i).withContainingClass(beanType);
			checkRecord(parameter);
			if (parameter.getParameterType() == List.class && !isHeader(parameter)) {
				list = parameter;
			}
		}
		if (list == null) {
			return new MethodEntryHandler(new DeliveryMessages(this.converter), invoker);
		}
		checkBatchParameters(method, list);
		return new BatchMethodHandler(new BatchElementConverter(list, this.converter, this.validator), invoker);
	}

	private StreamTemplate requireTemplate(Method method) {
		StreamTemplate template = this.templates.get();
		if (template == null) {
			throw new StreamsConfigurationException("@SendTo on " + method + " has no StreamTemplate to send with",
					"Define a StreamTemplate bean.");
		}
		return template;
	}

	private static boolean isHeader(MethodParameter parameter) {
		return parameter.hasParameterAnnotation(Header.class) || parameter.hasParameterAnnotation(Headers.class);
	}

	private static void checkRecord(MethodParameter parameter) {
		ResolvableType type = ResolvableType.forMethodParameter(parameter);
		ResolvableType record = (type.toClass() == List.class) ? type.getGeneric() : type;
		if (Record.class.isAssignableFrom(record.toClass())
				&& !(record.toClass() == MapRecord.class && takesText(record, 1) && takesText(record, 2))) {
			throw new StreamsConfigurationException(
					"The parameter " + type + " of " + parameter.getExecutable() + " cannot be served",
					"Take the payload's type itself, MapRecord<String, String, String>, or StreamEntry for the bytes as "
							+ "they are.");
		}
	}

	private static boolean takesText(ResolvableType type, int index) {
		return type.getGeneric(index).toClass().isAssignableFrom(String.class);
	}

	private static void checkBatchParameters(Method method, MethodParameter list) {
		for (int i = 0; i < method.getParameterCount(); i++) {
			Class<?> type = method.getParameterTypes()[i];
			if (i != list.getParameterIndex() && type != Acknowledgment.class) {
				throw new StreamsConfigurationException(
						"The batch listener " + method + " has a parameter of type " + type.getName()
								+ ", which no batch has",
						"Beside its List take only an Acknowledgment. For headers take List<Message<T>>.");
			}
		}
	}

}
