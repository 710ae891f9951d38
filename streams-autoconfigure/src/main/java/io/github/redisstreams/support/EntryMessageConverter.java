package io.github.redisstreams.support;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.redisstreams.redis.StreamEntry;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.BeanUtils;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.converter.SmartMessageConverter;

/**
 * Turns stream entries into messages, and their content into what a handler asks for.
 * Accepts what anyone wrote: with a {@code payload} field its content is the payload,
 * otherwise all fields together are.
 * <ul>
 * <li>{@code String} and {@code byte[]} get a payload as it is; without a payload field
 * they get the fields as a JSON object.</li>
 * <li>A {@code Map} gets the payload as a JSON object, or the fields as they are.</li>
 * <li>Any other type is read by Jackson: from the payload as JSON, or from the fields,
 * whose names may be paths as the hash mappers of Spring Data Redis write them.</li>
 * </ul>
 * The type comes from the handler alone; class names in an entry are ignored. What cannot
 * be converted is a {@link MessageConversionException}.
 */
public final class EntryMessageConverter implements SmartMessageConverter {

	private static final byte[] PAYLOAD_NAME = StreamHeaders.PAYLOAD_FIELD.getBytes(StandardCharsets.UTF_8);

	private final JsonMapper jsonMapper;

	private final JsonMapper fieldMapper;

	private final Map<MethodParameter, Target> parameters = new ConcurrentHashMap<>();

	private final Map<ResolvableType, Target> targets = new ConcurrentHashMap<>();

	/**
	 * Create a new converter.
	 * @param jsonMapper reads payloads
	 */
	public EntryMessageConverter(JsonMapper jsonMapper) {
		this.jsonMapper = jsonMapper;
		this.fieldMapper = jsonMapper.rebuild().addHandler(new HashMapperBooleans()).build();
	}

	/**
	 * An entry as a message whose headers are the given ones and the entry's fields but
	 * for the payload: as text, or as bytes where they are not UTF-8. The given headers
	 * win.
	 * @param entry the entry, which is the message's payload
	 * @param headers tells where it comes from, and is asked when somebody looks at a
	 * header
	 * @return the message
	 */
	public Message<StreamEntry> toMessage(StreamEntry entry, Supplier<Map<String, Object>> headers) {
		return new EntryMessage(entry, headers);
	}

	@Override
	public @Nullable Object fromMessage(Message<?> message, Class<?> targetClass) {
		return fromMessage(message, targetClass, null);
	}

	@Override
	public @Nullable Object fromMessage(Message<?> message, Class<?> targetClass, @Nullable Object conversionHint) {
		if (!(message.getPayload() instanceof StreamEntry entry)) {
			return null;
		}
		try {
			return convert(entry, target(targetClass, conversionHint));
		}
		catch (MessageConversionException ex) {
			throw new MessageConversionException(message, ex.getMessage(), ex.getCause());
		}
	}

	private Target target(Class<?> targetClass, @Nullable Object conversionHint) {
		if (!(conversionHint instanceof MethodParameter parameter)) {
			return target(ResolvableType.forClass(targetClass));
		}
		Target known = this.parameters.get(parameter);
		return (known != null) ? known : this.parameters.computeIfAbsent(parameter, (unknown) -> {
			ResolvableType type = ResolvableType.forMethodParameter(unknown);
			return target(Message.class.isAssignableFrom(type.toClass()) ? type.as(Message.class).getGeneric() : type);
		});
	}

	private Target target(ResolvableType type) {
		Target known = this.targets.get(type);
		return (known != null) ? known : this.targets.computeIfAbsent(type, this::createTarget);
	}

	private Target createTarget(ResolvableType type) {
		return new Target(type, type.toClass(), javaType(type), BeanUtils.isSimpleValueType(type.toClass()),
				takesFieldsAsTheyAre(type));
	}

	private static boolean takesFieldsAsTheyAre(ResolvableType type) {
		return type.toClass() == Map.class && type.getGeneric(0).toClass().isAssignableFrom(String.class)
				&& type.getGeneric(1).toClass().isAssignableFrom(String.class);
	}

	@Override
	public @Nullable Message<?> toMessage(Object payload, @Nullable MessageHeaders headers) {
		return null;
	}

	@Override
	public @Nullable Message<?> toMessage(Object payload, @Nullable MessageHeaders headers,
			@Nullable Object conversionHint) {
		return null;
	}

	/**
	 * The content of an entry as the given type.
	 * @param entry the entry
	 * @param type what to convert to
	 * @return the converted content, {@code null} for a JSON {@code null}
	 * @throws MessageConversionException if the content is no such thing
	 */
	public @Nullable Object convert(StreamEntry entry, ResolvableType type) {
		return convert(entry, target(type));
	}

	private @Nullable Object convert(StreamEntry entry, Target target) {
		if (target.type() == StreamEntry.class) {
			return entry;
		}
		byte[] payload = entry.value(StreamHeaders.PAYLOAD_FIELD);
		try {
			return (payload != null) ? fromPayload(entry, payload, target) : fromFields(entry, target);
		}
		catch (JacksonException ex) {
			throw new MessageConversionException("The " + ((payload != null) ? "payload" : "fields") + " of entry "
					+ entry.id() + " cannot be read as " + target.declared() + ": " + ex.getOriginalMessage(), ex);
		}
	}

	private @Nullable Object fromPayload(StreamEntry entry, byte[] payload, Target target) {
		if (target.type() == byte[].class) {
			return payload;
		}
		if (target.type() == String.class) {
			return text(entry, StreamHeaders.PAYLOAD_FIELD, payload);
		}
		if (target.simple() && !startsWithQuote(payload)) {
			return this.jsonMapper.convertValue(text(entry, StreamHeaders.PAYLOAD_FIELD, payload), target.javaType());
		}
		return this.jsonMapper.readValue(payload, target.javaType());
	}

	private static boolean startsWithQuote(byte[] payload) {
		return payload.length > 0 && payload[0] == '"';
	}

	private @Nullable Object fromFields(StreamEntry entry, Target target) {
		Map<String, String> fields = fields(entry);
		if (target.fieldsAsTheyAre()) {
			return fields;
		}
		if (target.type() == byte[].class) {
			return this.jsonMapper.writeValueAsBytes(fields);
		}
		if (target.type() == String.class) {
			return this.jsonMapper.writeValueAsString(fields);
		}
		Object content = Map.class.isAssignableFrom(target.type()) ? fields : FlatFields.toTree(fields);
		return this.fieldMapper.convertValue(content, target.javaType());
	}

	// Not type.getType(), whose variables mean nothing to Jackson
	private JavaType javaType(ResolvableType type) {
		if (type.isArray()) {
			return this.jsonMapper.getTypeFactory().constructArrayType(javaType(type.getComponentType()));
		}
		if (!type.hasGenerics()) {
			return this.jsonMapper.constructType(type.toClass());
		}
		if (type.hasUnresolvableGenerics()) {
			return this.jsonMapper.constructType(type.getType());
		}
		JavaType[] generics = Arrays.stream(type.getGenerics()).map(this::javaType).toArray(JavaType[]::new);
		return this.jsonMapper.getTypeFactory().constructParametricType(type.toClass(), generics);
	}

	/**
	 * The fields of an entry as text, in its order; of a repeated name the last value.
	 * @param entry the entry
	 * @return names and values
	 * @throws MessageConversionException if a name or value is not UTF-8
	 */
	public Map<String, String> fields(StreamEntry entry) {
		Map<String, String> fields = new LinkedHashMap<>();
		entry.forEachField((nameBytes, value) -> {
			String name = text(entry, "a name", nameBytes);
			fields.put(name, text(entry, name, value));
		});
		return fields;
	}

	private static String text(StreamEntry entry, String field, byte[] bytes) {
		String text = FieldText.of(bytes);
		if (text == null) {
			throw new MessageConversionException("Field '" + field + "' of entry " + entry.id()
					+ " is not UTF-8 text; take it as byte[] or as a StreamEntry");
		}
		return text;
	}

	/**
	 * The content and headers of a message as fields to write: the payload as it is if it
	 * is text or bytes, otherwise as JSON, and each header as text. Headers that Spring
	 * adds to every message, and those of {@link StreamHeaders}, are left out.
	 * @param payload what to write
	 * @param headers further fields
	 * @return names and values in turn
	 * @throws MessageConversionException if Jackson cannot write the payload
	 */
	public List<byte[]> toFields(Object payload, Map<String, ?> headers) {
		Map<String, ?> written = (headers instanceof MessageHeaders own) ? withoutSprings(own) : headers;
		List<byte[]> fields = new ArrayList<>(2 + 2 * written.size());
		fields.add(PAYLOAD_NAME);
		fields.add(toBytes(payload));
		written.forEach((name, value) -> {
			if (value != null && !StreamHeaders.isOwn(name) && !name.equals(StreamHeaders.PAYLOAD_FIELD)) {
				fields.add(name.getBytes(StandardCharsets.UTF_8));
				fields.add((value instanceof byte[] bytes) ? bytes : value.toString().getBytes(StandardCharsets.UTF_8));
			}
		});
		return fields;
	}

	/**
	 * The headers of a message without those that Spring adds to every one.
	 * @param headers the message's headers
	 * @return those that somebody has set, for the caller to change
	 */
	public static Map<String, Object> withoutSprings(MessageHeaders headers) {
		Map<String, Object> own = new LinkedHashMap<>(headers);
		own.entrySet().removeIf((header) -> isSprings(header.getKey(), header.getValue()));
		return own;
	}

	// A writer's own field of that name is text
	private static boolean isSprings(String name, Object value) {
		return value instanceof MessageChannel || (name.equals(MessageHeaders.ID) && value instanceof UUID)
				|| (name.equals(MessageHeaders.TIMESTAMP) && value instanceof Long);
	}

	private byte[] toBytes(Object payload) {
		if (payload instanceof byte[] bytes) {
			return bytes;
		}
		if (payload instanceof String text) {
			return text.getBytes(StandardCharsets.UTF_8);
		}
		try {
			return this.jsonMapper.writeValueAsBytes(payload);
		}
		catch (JacksonException ex) {
			throw new MessageConversionException("A payload of type " + payload.getClass().getName()
					+ " cannot be written as JSON: " + ex.getOriginalMessage(), ex);
		}
	}

	/**
	 * What content is converted to. Found out once for each type, since asking Java for
	 * generics takes longer than to convert an entry.
	 */
	private record Target(ResolvableType declared, Class<?> type, JavaType javaType, boolean simple,
			boolean fieldsAsTheyAre) {
	}

	/**
	 * Spring Data Redis writes booleans as 1 and 0.
	 */
	private static final class HashMapperBooleans extends DeserializationProblemHandler {

		@Override
		public Object handleWeirdStringValue(DeserializationContext context, Class<?> targetType, String value,
				String failure) throws JacksonException {
			if (targetType == boolean.class || targetType == Boolean.class) {
				if (value.equals("1")) {
					return true;
				}
				if (value.equals("0")) {
					return false;
				}
			}
			return NOT_HANDLED;
		}

	}

}
