package io.github.redisstreams.publish;

import java.util.Optional;
import java.util.function.UnaryOperator;

import io.github.redisstreams.redis.StreamCommands;
import io.github.redisstreams.redis.StreamTask;

/**
 * {@link StreamTasks} over {@link StreamCommands}.
 */
public class RedisStreamTasks implements StreamTasks {

	private final StreamCommands commands;

	private final UnaryOperator<String> streamKeys;

	/**
	 * Create a new instance.
	 * @param commands the port to Redis
	 * @param streamKeys gives the stream's key for a name
	 */
	public RedisStreamTasks(StreamCommands commands, UnaryOperator<String> streamKeys) {
		this.commands = commands;
		this.streamKeys = streamKeys;
	}

	@Override
	public Optional<StreamTask> find(String stream, String id) {
		return this.commands.tasks().find(this.streamKeys.apply(stream), id);
	}

}
