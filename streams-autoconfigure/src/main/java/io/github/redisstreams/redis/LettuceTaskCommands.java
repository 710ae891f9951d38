package io.github.redisstreams.redis;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.data.redis.connection.stream.RecordId;

import static io.github.redisstreams.redis.LettuceStreamCommands.args;
import static io.github.redisstreams.redis.LettuceStreamCommands.bytes;
import static io.github.redisstreams.redis.LettuceStreamCommands.text;

/**
 * {@link TaskCommands} over Lettuce.
 */
final class LettuceTaskCommands implements TaskCommands {

	private static final LuaScript NOTE_ATTEMPTS = LuaScript.of("tasks.lua", "note-attempts.lua");

	private static final LuaScript FINISH_TASKS = LuaScript.of("groups.lua", "delete-unneeded.lua", "tasks.lua",
			"finish-tasks.lua");

	private final Supplier<CommandChannel> channel;

	private final ScriptRunner scripts;

	LettuceTaskCommands(Supplier<CommandChannel> channel, ScriptRunner scripts) {
		this.channel = channel;
		this.scripts = scripts;
	}

	@Override
	public CompletionStage<Void> note(StreamConsumer consumer, Collection<TaskAttempt> attempts) {
		if (attempts.isEmpty()) {
			return CompletableFuture.completedStage(null);
		}
		ScriptCall call = new ScriptCall(NOTE_ATTEMPTS, consumer.stream()).add(consumer.name())
			.add(StreamKeys.task(consumer.stream(), ""))
			.add(attempts.iterator().next().state().text());
		for (TaskAttempt attempt : attempts) {
			call.add(attempt.entry().toString()).add(attempt.id()).add(attempt.deliveryCount()).add(attempt.error());
		}
		return this.scripts.send(call, () -> new IntegerOutput<>(ByteArrayCodec.INSTANCE)).thenAccept((noted) -> {
		});
	}

	@Override
	public CompletionStage<Long> finish(StreamConsumer consumer, Collection<TaskAttempt> tasks, boolean delete) {
		ScriptCall call = new ScriptCall(FINISH_TASKS, consumer.stream()).add(consumer.group())
			.add(consumer.name())
			.add(delete ? 1 : 0)
			.add(StreamKeys.task(consumer.stream(), ""));
		for (TaskAttempt task : tasks) {
			call.add(task.entry().toString())
				.add(task.id())
				.add(task.state().text())
				.add(task.deliveryCount())
				.add(task.error());
		}
		return this.scripts.send(call, () -> new IntegerOutput<>(ByteArrayCodec.INSTANCE));
	}

	@Override
	public Optional<StreamTask> find(String stream, String id) {
		List<Object> reply = this.channel.get()
			.call(CommandType.HGETALL, stream, new ArrayOutput<>(ByteArrayCodec.INSTANCE),
					args().addKey(bytes(StreamKeys.task(stream, id))));
		Map<String, String> fields = new HashMap<>();
		for (int i = 0; i + 1 < reply.size(); i += 2) {
			fields.put(text(reply.get(i)), text(reply.get(i + 1)));
		}
		String state = fields.get("state");
		if (state == null) {
			return Optional.empty();
		}
		String entry = fields.get("entry");
		return Optional.of(new StreamTask(id, known(state, stream, id), (entry != null) ? RecordId.of(entry) : null,
				Long.parseLong(fields.getOrDefault("attempts", "0")), instant(fields.get("scheduled")),
				instant(fields.get("queued")), instant(fields.get("started")), instant(fields.get("finished")),
				fields.get("consumer"), fields.get("error")));
	}

	// 0 where the user may not ask for the time
	private static TaskState known(String state, String stream, String id) {
		try {
			return TaskState.of(state);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidDataAccessResourceUsageException("The record '" + StreamKeys.task(stream, id)
					+ "' has the state '" + state + "', which is none that a task can have", ex);
		}
	}

	private static @Nullable Instant instant(@Nullable String millis) {
		return (millis != null && !millis.equals("0")) ? Instant.ofEpochMilli(Long.parseLong(millis)) : null;
	}

}
