package io.github.redisstreams.publish;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;

import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.support.EntryMessageConverter;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.stream.RecordId;

/**
 * {@link StreamTemplate} over {@link StreamCommands}.
 */
public class DefaultStreamTemplate implements StreamTemplate {

	private final StreamCommands commands;

	private final EntryMessageConverter converter;

	private final UnaryOperator<String> streamKeys;

	/**
	 * Create a new template.
	 * @param commands the port to Redis
	 * @param converter writes payloads
	 * @param streamKeys gives the stream's key for a name
	 */
	public DefaultStreamTemplate(StreamCommands commands, EntryMessageConverter converter,
			UnaryOperator<String> streamKeys) {
		this.commands = commands;
		this.converter = converter;
		this.streamKeys = streamKeys;
	}

	@Override
	public RecordId send(String stream, Object payload, Map<String, ?> headers) {
		List<byte[]> fields = this.converter.toFields(payload, headers);
		try {
			return this.commands.add(this.streamKeys.apply(stream), fields).toCompletableFuture().join().toRecordId();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof DataAccessException failure) ? failure : ex;
		}
	}

}
