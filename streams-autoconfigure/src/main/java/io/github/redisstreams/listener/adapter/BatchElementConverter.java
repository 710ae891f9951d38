package io.github.redisstreams.listener.adapter;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.util.ArrayList;
import java.util.List;

import io.github.redisstreams.listener.Delivery;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.support.EntryMessageConverter;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.handler.annotation.support.PayloadMethodArgumentResolver;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.validation.Validator;

/**
 * Converts deliveries to the {@code T} of a {@code List<T>} parameter: a payload type, a
 * {@code Message}, a {@code MapRecord} or a {@code RecordId}. Validates payloads where
 * the parameter or its type argument says {@code @Valid}.
 */
final class BatchElementConverter {

	private final MethodParameter parameter;

	private final ResolvableType elementType;

	private final EntryMessageConverter converter;

	private final DeliveryMessages messages;

	private final PayloadValidator validator;

	BatchElementConverter(MethodParameter parameter, EntryMessageConverter converter, @Nullable Validator validator) {
		this.parameter = new ElementParameter(parameter);
		this.elementType = ResolvableType.forMethodParameter(parameter).getGeneric();
		this.converter = converter;
		this.messages = new DeliveryMessages(converter);
		this.validator = new PayloadValidator(converter, validator);
	}

	Object convert(Delivery delivery) {
		Class<?> type = this.elementType.toClass();
		if (type == RecordId.class) {
			return delivery.entry().id().toRecordId();
		}
		if (type == MapRecord.class) {
			return this.messages.mapRecord(delivery.stream(), delivery.entry());
		}
		Message<StreamEntry> message = this.messages.of(delivery);
		if (type == Message.class) {
			Object payload = payload(message, this.elementType.getGeneric());
			return new GenericMessage<>(payload, message.getHeaders());
		}
		return payload(message, this.elementType);
	}

	private Object payload(Message<StreamEntry> message, ResolvableType type) {
		Object payload = this.converter.convert(message.getPayload(), type);
		if (payload == null) {
			throw new MessageConversionException(message, "Entry " + message.getPayload().id() + " has a null payload");
		}
		this.validator.validate(message, this.parameter, payload);
		return payload;
	}

	/**
	 * The list parameter with the annotations of its type arguments:
	 * {@code List<@Valid T>} says the same as {@code @Valid List<T>}.
	 */
	private static final class ElementParameter extends MethodParameter {

		private final Annotation[] annotations;

		ElementParameter(MethodParameter list) {
			super(list);
			List<Annotation> annotations = new ArrayList<>(List.of(list.getParameterAnnotations()));
			AnnotatedType type = list.getParameter().getAnnotatedType();
			while (type instanceof AnnotatedParameterizedType parameterized) {
				type = parameterized.getAnnotatedActualTypeArguments()[0];
				annotations.addAll(List.of(type.getAnnotations()));
			}
			this.annotations = annotations.toArray(Annotation[]::new);
		}

		@Override
		public Annotation[] getParameterAnnotations() {
			return this.annotations;
		}

	}

	/**
	 * Opens Spring's payload validation to the elements of a batch.
	 */
	private static final class PayloadValidator extends PayloadMethodArgumentResolver {

		PayloadValidator(EntryMessageConverter converter, @Nullable Validator validator) {
			super(converter, validator);
		}

		@Override
		protected void validate(Message<?> message, MethodParameter parameter, Object target) {
			super.validate(message, parameter, target);
		}

	}

}
