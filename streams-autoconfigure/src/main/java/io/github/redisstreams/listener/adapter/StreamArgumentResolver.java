package io.github.redisstreams.listener.adapter;

import java.util.List;

import io.github.redisstreams.listener.Acknowledgment;
import io.github.redisstreams.redis.StreamEntry;
import io.github.redisstreams.support.StreamHeaders;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.connection.stream.RecordId;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;

/**
 * Resolves the argument types that only stream listeners have.
 */
final class StreamArgumentResolver implements HandlerMethodArgumentResolver {

	private final DeliveryMessages messages;

	StreamArgumentResolver(DeliveryMessages messages) {
		this.messages = messages;
	}

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		Class<?> type = parameter.getParameterType();
		return type == MapRecord.class || type == RecordId.class || type == Acknowledgment.class || type == List.class;
	}

	@Override
	public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message) {
		Class<?> type = parameter.getParameterType();
		if (type == Acknowledgment.class) {
			return message.getHeaders().get(StreamHeaders.ACKNOWLEDGMENT);
		}
		if (type == RecordId.class) {
			return message.getHeaders().get(StreamHeaders.ID);
		}
		if (type == List.class) {
			return message.getPayload();
		}
		String stream = message.getHeaders().get(StreamHeaders.STREAM, String.class);
		return this.messages.mapRecord(String.valueOf(stream), (StreamEntry) message.getPayload());
	}

}
