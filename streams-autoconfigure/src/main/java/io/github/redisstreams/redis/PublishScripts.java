package io.github.redisstreams.redis;

import java.util.List;
import java.util.function.Supplier;

import io.github.redisstreams.redis.NewEntry.IdempotencyKey;
import io.github.redisstreams.redis.ServerInfo.Capability;
import io.lettuce.core.protocol.CommandArgs;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import static io.github.redisstreams.redis.LettuceStreamCommands.args;
import static io.github.redisstreams.redis.LettuceStreamCommands.bytes;

/**
 * What is sent to write to streams: scripts with their keys and arguments, and what a
 * plain {@code XADD} takes.
 */
final class PublishScripts {

	private static final Log logger = LogFactory.getLog(PublishScripts.class);

	private static final LuaScript ADD = LuaScript.of("groups.lua", "tasks.lua", "trim.lua", "add.lua");

	private static final LuaScript SCHEDULE = LuaScript.of("groups.lua", "tasks.lua", "trim.lua", "schedule.lua");

	private static final LuaScript PROMOTE = LuaScript.of("groups.lua", "tasks.lua", "trim.lua", "promote.lua");

	private static final LuaScript CANCEL = LuaScript.of("tasks.lua", "cancel.lua");

	private static final LuaScript RESCHEDULE = LuaScript.of("tasks.lua", "reschedule.lua");

	/** About half a millisecond of the server's time. */
	private static final int MOST_PROMOTED = 50;

	private static final int MOST_PROMOTED_BYTES = 256 * 1024;

	/**
	 * Of a task, to which a dead letter adds some that its script has to pass on, too.
	 */
	static final int MOST_FIELDS = 3_800;

	private final Supplier<ServerInfo> serverInfo;

	private volatile boolean warnedOfIdempotency;

	PublishScripts(Supplier<ServerInfo> serverInfo) {
		this.serverInfo = serverInfo;
	}

	/**
	 * Whether it takes a script to add an entry. What is too much for one is added all
	 * the same: smaller entries, or others, trim.
	 */
	static boolean isNeededFor(NewEntry entry) {
		return entry.task() != null
				|| (entry.trimming().mode() != TrimMode.NONE && entry.namesAndValues().size() <= 2 * MOST_FIELDS);
	}

	/**
	 * {@link PublishCommands#add}.
	 */
	ScriptCall add(NewEntry entry) {
		NewTask task = entry.task();
		String id = (task != null && task.id() != null) ? task.id() : "";
		List<String> options = options(entry);
		// With braces that are no hash tag a stream has no other key in its slot
		ScriptCall keys = (task != null) ? new ScriptCall(ADD, entry.stream(), StreamKeys.delayed(entry.stream()))
				: new ScriptCall(ADD, entry.stream());
		ScriptCall call = withTask(withTrimming(keys, entry.trimming()), task, id)
			.add(StreamKeys.task(entry.stream(), ""))
			.add(options.size());
		options.forEach(call::add);
		return withFields(call, entry, id.isEmpty() ? NewTask.OWN_ID : id);
	}

	/**
	 * {@link PublishCommands#schedule}.
	 */
	ScriptCall schedule(NewEntry entry, String id, DueTime due) {
		String stream = entry.stream();
		ScriptCall call = withTask(withTrimming(new ScriptCall(SCHEDULE, stream, StreamKeys.delayed(stream),
				StreamKeys.parked(stream, id), StreamKeys.task(stream, id)), entry.trimming()), entry.task(), id)
			.add(due.kind())
			.add(due.millis());
		return withFields(call, entry, id);
	}

	/**
	 * {@link PublishCommands#promote}.
	 */
	ScriptCall promote(String stream, Trimming trimming) {
		return withTrimming(new ScriptCall(PROMOTE, stream, StreamKeys.delayed(stream)), trimming)
			.add(StreamKeys.parked(stream, ""))
			.add(StreamKeys.task(stream, ""))
			.add(MOST_PROMOTED)
			.add(MOST_PROMOTED_BYTES);
	}

	/**
	 * {@link PublishCommands#cancel}.
	 */
	static ScriptCall cancel(String stream, String id) {
		return new ScriptCall(CANCEL, stream, StreamKeys.delayed(stream), StreamKeys.parked(stream, id),
				StreamKeys.task(stream, id))
			.add(id);
	}

	/**
	 * {@link PublishCommands#reschedule}.
	 */
	static ScriptCall reschedule(String stream, String id, DueTime due) {
		return new ScriptCall(RESCHEDULE, stream, StreamKeys.delayed(stream), StreamKeys.task(stream, id)).add(id)
			.add(due.kind())
			.add(due.millis());
	}

	private ScriptCall withTrimming(ScriptCall call, Trimming trimming) {
		String mode = switch (trimming.mode()) {
			case FINISHED -> this.serverInfo.get().has(Capability.TRIM_ACKNOWLEDGED) ? "acked" : "finished";
			case STRICT -> "strict";
			case NONE -> "none";
		};
		return call.add(mode).add(trimming.maxLength()).add(trimming.retention().toMillis());
	}

	private static ScriptCall withTask(ScriptCall call, @Nullable NewTask task, String id) {
		return call.add((task != null) ? 1 : 0).add(id).add((task != null) ? task.retention().toMillis() : 0);
	}

	private static ScriptCall withFields(ScriptCall call, NewEntry entry, String taskId) {
		if (entry.namesAndValues().size() > 2 * MOST_FIELDS) {
			throw new IllegalArgumentException("An entry of " + entry.namesAndValues().size() / 2
					+ " fields for stream '" + entry.stream() + "' cannot be scheduled or be a task, which takes a "
					+ "script that can pass on " + MOST_FIELDS + ". Put its content into the payload");
		}
		entry.namesAndValues().forEach(call::add);
		if (entry.task() != null) {
			call.add(NewTask.FIELD).add(taskId);
		}
		return call;
	}

	/**
	 * What a plain {@code XADD} of an entry takes.
	 */
	CommandArgs<byte[], byte[]> plainArgs(NewEntry entry) {
		CommandArgs<byte[], byte[]> args = args().addKey(bytes(entry.stream()));
		options(entry).forEach(args::add);
		args.add("*");
		entry.namesAndValues().forEach(args::add);
		return args;
	}

	private List<String> options(NewEntry entry) {
		IdempotencyKey key = entry.idempotencyKey();
		if (key == null) {
			return List.of();
		}
		if (!this.serverInfo.get().has(Capability.IDEMPOTENT_ADD)) {
			if (!this.warnedOfIdempotency) {
				this.warnedOfIdempotency = true;
				logger.warn("Entries are sent with an idempotency key, which this server, " + this.serverInfo.get()
						+ ", knows nothing of (Redis 8.6 does): those sent twice are added twice");
			}
			return List.of();
		}
		return List.of("IDMP", key.producer(), key.key());
	}

}
